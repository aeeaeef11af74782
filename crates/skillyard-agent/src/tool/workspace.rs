//! The tools that work on files.
//!
//! Reading goes through the same descriptors as reading a skill does: nothing outside the
//! workspace and no link is followed. Writing goes through the sandbox, which also keeps a few
//! places from being changed at all.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value};
use skillyard_catalog::resource::{
    Content, ReadLimits, ReadRange, Resource, ResourceError, SkillRoot,
};
use skillyard_format::difference::{Difference, Limits};
use skillyard_format::render::foreign::stream;
use skillyard_trust::guard::ActiveSkill;

use super::skill::{number, wanted};
use crate::host::{CommandRun, Host, Ran, SkillFiles};

/// Most bytes of a file that one call gives.
const MOST_BYTES: u64 = 60_000;
/// Most bytes that an edit reads.
const MOST_EDITED: u64 = 2_000_000;
/// Most lines of a change that a person is shown.
const MOST_SHOWN: usize = 100;

/// Writes a file below the current folder, and leaves the old one where there is no room.
const WRITE: &str = include_str!("write.sh");

/// What a call on the workspace gave.
pub(super) struct Done {
    /// What the model reads.
    pub(super) content: String,
    /// How the command ended, if it was one.
    pub(super) code: Option<i32>,
}

/// What a call on the workspace needs.
pub(super) struct Workspace<'a> {
    pub(super) host: &'a mut dyn Host,
    pub(super) readable: Vec<SkillFiles>,
    /// The skills that are active; what they deny is found by no search.
    pub(super) skills: &'a [ActiveSkill],
    pub(super) cancel: &'a AtomicBool,
    /// What the last program made that other programs obey.
    pub(super) made: Option<String>,
    /// What the last program was kept from.
    pub(super) denials: Vec<String>,
    /// What a person was shown of the file that is to be changed, if it could be shown.
    pub(super) shown: Option<Before>,
}

/// The text of a file that is to be changed, if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Before(Option<String>);

impl Workspace<'_> {
    /// Makes one of the calls; `None` for any other tool.
    pub(super) fn call(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Option<Result<Done, String>> {
        let made = match tool {
            "Read" => self.read(arguments),
            "Write" => self.write(arguments),
            "Edit" => self.edit(arguments),
            "Glob" => self.glob(arguments),
            "Grep" => self.grep(arguments),
            "Bash" => return Some(self.bash(arguments)),
            _ => return None,
        };
        Some(made.map(|content| Done {
            content,
            code: None,
        }))
    }

    /// The file that a call is to change and that stays as it is, whatever the user says.
    pub(super) fn kept(&self, arguments: &Map<String, Value>) -> Option<String> {
        self.path(arguments)
            .ok()
            .filter(|path| self.host.keeps(path))
    }

    pub(super) fn root(&self) -> Result<SkillRoot, String> {
        let folder = self.host.surroundings().workspace();
        SkillRoot::open(folder).map_err(|error| error.to_string())
    }

    /// The path below the workspace that is meant.
    fn path(&self, arguments: &Map<String, Value>) -> Result<String, String> {
        Ok(self.below(wanted(arguments, "path")?))
    }

    /// A path without the workspace in front.
    pub(super) fn below(&self, path: &str) -> String {
        let folder = self.host.surroundings().workspace();
        let below = Path::new(path)
            .strip_prefix(folder)
            .unwrap_or(Path::new(path));
        below.to_str().unwrap_or(path).to_owned()
    }

    fn read(&self, arguments: &Map<String, Value>) -> Result<String, String> {
        let range = ReadRange {
            offset: number(arguments, "cursor")?,
            limit: Some(MOST_BYTES),
        };
        let path = self.path(arguments)?;
        let read = self.root()?.read(&path, range, &ReadLimits::default());
        let read = read.map_err(|error| error.to_string())?;
        match (read.content, read.next_offset) {
            (Content::Text(text), None) => Ok(text),
            (Content::Text(text), Some(next)) => Ok(format!(
                "{text}\n[{} bytes in all; go on with cursor {next}]",
                read.size
            )),
            (Content::Binary { media_type, .. }, _) => Ok(format!(
                "`{path}` is not text: {media_type}, {} bytes",
                read.size
            )),
        }
    }

    fn write(&mut self, arguments: &Map<String, Value>) -> Result<String, String> {
        let path = self.path(arguments)?;
        let content = wanted(arguments, "content")?;
        self.is_as_shown(&path)?;
        self.put(&path, content)?;
        Ok(format!("Wrote {} bytes to `{path}`", content.len()))
    }

    fn edit(&mut self, arguments: &Map<String, Value>) -> Result<String, String> {
        let path = self.path(arguments)?;
        let read = self.whole(&path).map_err(|error| error.to_string())?;
        let before =
            text_of(read).ok_or_else(|| format!("`{path}` is not text, or too long to edit"))?;
        self.is_as_shown(&path)?;
        self.put(&path, &edited(arguments, &path, &before)?)?;
        Ok(format!("Edited `{path}`"))
    }

    /// Refuses to change a file that is not what a person was shown: a question may wait for long,
    /// and what was saved meanwhile would be gone.
    fn is_as_shown(&self, path: &str) -> Result<(), String> {
        if self.shown.is_none() || self.shown == self.text(path) {
            return Ok(());
        }
        Err(format!(
            "`{path}` was changed while the user was asked, so it was left as it is; read it again"
        ))
    }

    /// The file that a call is to change; `None` for what cannot be shown.
    pub(super) fn before(&self, arguments: &Map<String, Value>) -> Option<Before> {
        self.text(&self.path(arguments).ok()?)
    }

    fn text(&self, path: &str) -> Option<Before> {
        match self.whole(path) {
            Ok(read) => Some(Before(Some(text_of(read)?))),
            Err(ResourceError::NotFound { .. }) => Some(Before(None)),
            Err(_) => None,
        }
    }

    /// What a call that changes a file will make other in it, as far as that can be told.
    pub(super) fn difference(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        before: &Before,
    ) -> Option<Difference> {
        let path = self.path(arguments).ok()?;
        let before = before.0.as_deref().unwrap_or_default();
        let after = match tool {
            "Edit" => edited(arguments, &path, before),
            _ => wanted(arguments, "content").map(str::to_owned),
        };
        Some(Difference::between(
            before,
            &after.ok()?,
            Limits::telling(MOST_SHOWN),
        ))
    }

    /// A file as far as it can be edited.
    fn whole(&self, path: &str) -> Result<Resource, ResourceError> {
        let limits = ReadLimits {
            max_bytes: MOST_EDITED,
            ..ReadLimits::default()
        };
        let root = SkillRoot::open(self.host.surroundings().workspace())?;
        root.read(path, ReadRange::default(), &limits)
    }

    fn put(&mut self, path: &str, content: &str) -> Result<(), String> {
        let odd = |part: &str| matches!(part, "" | "." | "..");
        if path.split('/').any(odd) || path.contains('\0') {
            return Err(format!("`{path}` is no path in the workspace"));
        }
        // A path that begins with `-` must not be an option.
        let argv = ["/bin/sh", "-c", WRITE, "sh", &format!("./{path}")];
        let ran = self.run(&argv, Some(content.as_bytes().to_vec()))?;
        match ran.code {
            0 => Ok(()),
            code if ran.stderr.trim().is_empty() => {
                Err(format!("cannot write `{path}`: it ended with {code}"))
            }
            _ => Err(format!("cannot write `{path}`: {}", ran.stderr.trim())),
        }
    }

    fn bash(&mut self, arguments: &Map<String, Value>) -> Result<Done, String> {
        let command = wanted(arguments, "command")?;
        let ran = self.run(&["/bin/sh", "-c", command], None)?;
        Ok(Done {
            content: told(&ran),
            code: Some(ran.code),
        })
    }

    fn run(&mut self, argv: &[&str], stdin: Option<Vec<u8>>) -> Result<Ran, String> {
        let run = CommandRun {
            argv: argv.iter().map(|word| (*word).to_owned()).collect(),
            stdin,
            readable: self.readable.clone(),
        };
        let ran = self.host.run_command(&run, self.cancel);
        let ran = ran.map_err(|error| error.to_string())?;
        self.made.clone_from(&ran.made);
        self.denials.clone_from(&ran.denials);
        Ok(ran)
    }
}

/// What a program did, as a model reads it.
pub(super) fn told(ran: &Ran) -> String {
    let mut text = format!("exit code {}\n", ran.code);
    // Before everything that a program can write, be it without end.
    if let Some(made) = &ran.made {
        let _ = writeln!(
            text,
            "sandbox: it made {made}: look at it before git or an agent obeys it"
        );
    }
    for (label, content) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        if !content.is_empty() {
            text.push_str(&stream(label, content));
            text.push('\n');
        }
    }
    for denial in &ran.denials {
        let _ = writeln!(text, "sandbox: {denial}");
    }
    text
}

/// The text of a file, if all of it was read and it is one.
fn text_of(read: Resource) -> Option<String> {
    match (read.content, read.next_offset) {
        (Content::Text(text), None) => Some(text),
        _ => None,
    }
}

/// What becomes of a text, if what is to be replaced is in it once.
fn edited(arguments: &Map<String, Value>, path: &str, before: &str) -> Result<String, String> {
    let (old, new) = (wanted(arguments, "old")?, wanted(arguments, "new")?);
    match before.matches(old).count() {
        _ if old.is_empty() => Err("the argument `old` is empty".into()),
        1 => Ok(before.replacen(old, new, 1)),
        0 => Err(format!("the old text is not in `{path}`")),
        count => Err(format!(
            "the old text is {count} times in `{path}`; give more of it"
        )),
    }
}
