//! The user's editor.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;

use crate::context::Context;
use crate::error::{CommandError, EditorFailure};
use crate::terminal::SignalState;

/// The user's editor, with its own arguments: `code --wait`.
pub(crate) struct Editor {
    program: String,
    arguments: Vec<String>,
    heard: SignalState,
}

impl Editor {
    /// The editor of the environment; that there is none is said before anything is made.
    pub(crate) fn of(context: &Context) -> Result<Self, CommandError> {
        let editor = context.environment.editor.as_ref();
        let editor = editor.map(|editor| editor.to_string_lossy().into_owned());
        let mut words = words(&editor.unwrap_or_default()).into_iter();
        Ok(Self {
            program: words.next().ok_or(CommandError::NoEditor)?,
            arguments: words.collect(),
            heard: context.printer.heard().clone(),
        })
    }

    /// Opens a file and waits; Ctrl-C meanwhile is the editor's.
    #[expect(clippy::disallowed_methods, reason = "this file owns the editor")]
    pub(crate) fn open(&self, file: &Path) -> Result<(), EditorFailure> {
        let mut command = std::process::Command::new(&self.program);
        command.args(&self.arguments).arg(file);
        match self.heard.lent(|| command.status()) {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(self.failure(ended(status))),
            Err(error) => Err(self.failure(format!("could not be started: {error}"))),
        }
    }

    /// That it took the file away.
    pub(crate) fn left_nothing(&self) -> EditorFailure {
        self.failure("left no text".to_owned())
    }

    fn failure(&self, what: String) -> EditorFailure {
        EditorFailure {
            program: self.program.clone(),
            what,
        }
    }
}

fn ended(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "failed".to_owned(),
    }
}

/// The words of a command as a shell takes them apart. Nothing in it stands for anything else: nobody
/// has to run a shell for it, which would be in the way of Ctrl-C.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut quote = None;
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        let is_escaped = |after: &char| quote.is_none() || matches!(after, '"' | '\\');
        match next {
            '\'' | '"' if quote.is_none() => {
                quote = Some(next);
                word.get_or_insert_default();
            }
            _ if quote == Some(next) => quote = None,
            '\\' if quote != Some('\'') => {
                let letter = rest.next_if(is_escaped).unwrap_or(next);
                word.get_or_insert_default().push(letter);
            }
            blank if blank.is_whitespace() && quote.is_none() => words.extend(word.take()),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_taken_apart_as_by_a_shell() {
        for (text, expected) in [
            ("code --wait", &["code", "--wait"][..]),
            (" vim ", &["vim"]),
            ("", &[]),
            ("'/a b/ed' -x", &["/a b/ed", "-x"]),
            (r#""/a b/e\"d" '' "#, &["/a b/e\"d", ""]),
            (r"/a\ b/ed", &["/a b/ed"]),
            (r#"'\a' "\a""#, &[r"\a", r"\a"]),
            ("'/a b", &["/a b"]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }
}
