//! The tools that work on files.
//!
//! Reading goes through the same descriptors as reading a skill does: nothing outside the
//! workspace and no link is followed. Writing goes through the sandbox, which also keeps a few
//! places from being changed at all.

use std::path::{Component, Path};
use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value};
use skillyard_catalog::resource::{
    PathRules, ReadLimits, ReadRange, Resource, ResourceContent, ResourceError, SkillRoot,
};
use skillyard_format::difference::{DiffLimits, Difference};
use skillyard_format::text::counted;
use skillyard_trust::guard::ActiveSkill;

use super::render_run;
use super::skill::{number, only, wanted};
use super::workspace_path;
use crate::host::{CommandRun, Host, Ran, SkillFiles};

/// Most bytes of a file that one call gives.
const MAX_BYTES: u64 = 60_000;
/// Most bytes that an edit reads.
const MAX_EDITED: u64 = 2_000_000;
/// Most lines of a change that a person is shown.
const MAX_SHOWN: usize = 20_000;

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
        let unreadable = match tool {
            "Read" | "Edit" | "Glob" | "Grep" => self.host.unreadable(),
            _ => None,
        };
        if let Some(reason) = unreadable {
            return Some(Err(format!("nothing can be read: {reason}")));
        }
        let made = match tool {
            "Read" => self.read(arguments),
            "Write" => self.write(arguments),
            "Edit" => self.edit(arguments),
            "Glob" => self.glob(arguments),
            "Grep" => self.grep(arguments),
            "Bash" => return Some(self.bash(arguments)),
            _ => return None,
        };
        let made = made.map_err(|refusal| match self.way_to_skill(arguments) {
            Some(way) if matches!(tool, "Read" | "Glob" | "Grep") => format!("{refusal}; {way}"),
            _ => refusal,
        });
        Some(made.map(|content| Done {
            content,
            code: None,
        }))
    }

    /// How to get at a file of an active skill, whose folder a model is told, where it is asked for as
    /// one of the workspace.
    fn way_to_skill(&self, arguments: &Map<String, Value>) -> Option<String> {
        let path = Path::new(arguments.get("path")?.as_str()?);
        self.skills.iter().find_map(|active| {
            let (skill, folder) = (&active.name, active.folder.as_ref()?);
            let below = match path.strip_prefix(folder) {
                Ok(below) => below,
                Err(_) if path.is_absolute() => return None,
                Err(_) => path,
            };
            let mut parts = below.components();
            let is_plain = parts.all(|part| matches!(part, Component::Normal(_)));
            let there = folder.join(below);
            if !is_plain || !there.exists() {
                return None;
            }
            Some(if there.is_dir() {
                format!("that is of the skill `{skill}`, and `skill_files` lists what it has")
            } else {
                let below = below.display();
                format!("call `skill_read` with the name `{skill}` and the path `{below}`")
            })
        })
    }

    pub(super) fn root(&self) -> Result<SkillRoot, String> {
        let folder = self.host.surroundings().workspace();
        SkillRoot::open(folder).map_err(|error| workspace_path::unread(&error))
    }

    /// The file below the workspace that is meant.
    pub(super) fn path(&self, arguments: &Map<String, Value>) -> Result<String, String> {
        let folder = self.host.surroundings().workspace();
        workspace_path::file(folder, wanted(arguments, "path")?)
    }

    fn read(&self, arguments: &Map<String, Value>) -> Result<String, String> {
        only(arguments, &["path", "cursor"])?;
        let range = ReadRange {
            offset: number(arguments, "cursor")?,
            limit: Some(MAX_BYTES),
        };
        let path = self.path(arguments)?;
        let limits = ReadLimits {
            names: PathRules::Any,
            ..ReadLimits::default()
        };
        let read = self.root()?.read(&path, range, &limits);
        let read = read.map_err(|error| workspace_path::unread(&error))?;
        match (read.content, read.next_offset) {
            (ResourceContent::Text(text), None) => Ok(text),
            (ResourceContent::Text(text), Some(next)) => Ok(format!(
                "{text}\n[{} bytes in all; go on with cursor {next}]",
                read.size
            )),
            (ResourceContent::Binary { media_type, .. }, _) => Ok(format!(
                "`{path}` is not text: {media_type}, {}",
                counted(read.size, "byte")
            )),
        }
    }

    fn write(&mut self, arguments: &Map<String, Value>) -> Result<String, String> {
        let path = self.path(arguments)?;
        let content = wanted(arguments, "content")?;
        self.is_as_shown(&path)?;
        self.put(&path, content)?;
        let bytes = counted(content.len(), "byte");
        Ok(format!("Wrote {bytes} to `{path}`"))
    }

    fn edit(&mut self, arguments: &Map<String, Value>) -> Result<String, String> {
        let path = self.path(arguments)?;
        let read = self
            .whole(&path)
            .map_err(|error| workspace_path::unread(&error))?;
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
            DiffLimits::telling(MAX_SHOWN),
        ))
    }

    /// A file as far as it can be edited.
    fn whole(&self, path: &str) -> Result<Resource, ResourceError> {
        let limits = ReadLimits {
            max_bytes: MAX_EDITED,
            names: PathRules::Any,
            ..ReadLimits::default()
        };
        let root = SkillRoot::open(self.host.surroundings().workspace())?;
        root.read(path, ReadRange::default(), &limits)
    }

    fn put(&mut self, path: &str, content: &str) -> Result<(), String> {
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
            content: render_run(&ran),
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

/// The text of a file, if all of it was read and it is one.
fn text_of(read: Resource) -> Option<String> {
    match (read.content, read.next_offset) {
        (ResourceContent::Text(text), None) => Some(text),
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
