//! The user's editor.

use std::path::Path;

use crate::context::Context;
use crate::error::CommandError;
use crate::terminal::Heard;

/// The user's editor, with its own arguments: `code --wait`.
pub(crate) struct Editor {
    program: String,
    arguments: Vec<String>,
    heard: Heard,
}

impl Editor {
    /// The editor of the environment; that there is none is said before anything is made.
    pub(crate) fn of(context: &Context) -> Result<Self, CommandError> {
        let editor = context.environment.editor.as_ref();
        let editor = editor.map(|editor| editor.to_string_lossy().into_owned());
        let editor = editor.unwrap_or_default();
        let mut words = editor.split_whitespace().map(str::to_owned);
        Ok(Self {
            program: words.next().ok_or(CommandError::NoEditor)?,
            arguments: words.collect(),
            heard: context.printer.heard().clone(),
        })
    }

    /// Opens a file and waits; Ctrl-C meanwhile is the editor's.
    #[expect(clippy::disallowed_methods, reason = "this file owns the editor")]
    pub(crate) fn open(&self, file: &Path) -> Result<(), CommandError> {
        let mut command = std::process::Command::new(&self.program);
        command.args(&self.arguments).arg(file);
        match self.heard.lent(|| command.status()) {
            Ok(status) if status.success() => Ok(()),
            _ => Err(CommandError::Editor {
                editor: self.program.clone(),
                file: file.to_owned(),
            }),
        }
    }
}
