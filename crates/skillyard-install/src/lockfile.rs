//! `skills.lock`: what is installed, byte for byte.
//!
//! An entry pins the tree digest, so the same lock and the same store give the same bytes.
//! It also is the record of provenance: nothing is written into a skill's folder that its
//! author did not put there. There are no times in it, so that equal states are equal files.

mod gap;
mod locked;
mod required;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use gap::Gap;
pub(crate) use gap::rules_out;
pub use locked::{Locked, reference};
pub use required::Required;

use crate::target::{is_target, may_be_target};
use crate::text::text_if_there;
use crate::write::write_atomically;

/// The version of the format.
const VERSION: u32 = 1;
const HEADER: &str = "# Written by skillyard. Commit it; do not edit it.\n";

/// Everything that is installed in one scope, sorted by name.
///
/// A command needs it as it was, as it is and as it will be, which is mostly the same: copies share
/// their entries until one of them is changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lockfile {
    skills: Arc<Vec<Locked>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LockfileFormat {
    version: u32,
    #[serde(default)]
    skill: Vec<Locked>,
}

/// The same, to be written.
#[derive(Serialize)]
struct WrittenLockfile<'a> {
    version: u32,
    #[serde(skip_serializing_if = "<[Locked]>::is_empty")]
    skill: &'a [Locked],
}

/// Why a lock cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LockfileError {
    /// The disk refused.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// Not the format.
    #[error("`{}` is not a lock file: {message}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// The format, with something in it that a newer version may have.
    #[error("`{}` has what this skillyard does not know: {message}", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// What it is.
        message: String,
    },
    /// A format of the future.
    #[error("`{}` has format {found}, and this skillyard reads up to {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The format it has.
        found: u32,
    },
}

impl Lockfile {
    /// Reads a lock; a missing one is empty.
    pub fn read(path: &Path) -> Result<Self, LockfileError> {
        let text = Self::text_of(path)?;
        text.map_or_else(|| Ok(Self::default()), |text| Self::parse(&text, path))
    }

    pub(crate) fn text_of(path: &Path) -> Result<Option<String>, LockfileError> {
        text_if_there(path).map_err(|source| LockfileError::Read {
            path: path.to_owned(),
            source,
        })
    }

    pub(crate) fn parse(text: &str, path: &Path) -> Result<Self, LockfileError> {
        #[derive(Deserialize)]
        struct LockfileHead {
            version: u32,
        }
        let wrong = |message: String| LockfileError::Format {
            path: path.to_owned(),
            message,
        };
        if has_merge_conflicts(text) {
            return Err(wrong("it has merge conflicts".into()));
        }
        let unknown = |message: String| LockfileError::Unknown {
            path: path.to_owned(),
            message,
        };
        let newer = |found: u32| LockfileError::Version {
            path: path.to_owned(),
            found,
        };
        let format: LockfileFormat = toml::from_str(text).map_err(|error| {
            // A format of the future may have anything in it but the number.
            match toml::from_str::<LockfileHead>(text) {
                Ok(head) if head.version > VERSION => newer(head.version),
                Ok(_) if is_addition(&error) => unknown(one_line(&error)),
                _ => wrong(one_line(&error)),
            }
        })?;
        if format.version > VERSION {
            return Err(newer(format.version));
        }
        let mut skills = format.skill;
        for locked in &mut skills {
            let name = &locked.name;
            keep_first(&mut locked.targets);
            if !is_folder_name(name) || name.starts_with('.') {
                return Err(wrong(format!("`{name}` cannot be the name of a folder")));
            }
            // A lock comes with a checkout, and must not choose where its bytes are written.
            if let Some(target) = locked.targets.iter().find(|target| !is_target(target)) {
                let message =
                    format!("the target `{target}` of `{name}` is no agent's folder of skills");
                return Err(if may_be_target(target) {
                    unknown(message)
                } else {
                    wrong(message)
                });
            }
            if locked.targets.is_empty() {
                return Err(wrong(format!("`{name}` has no target")));
            }
        }
        skills.sort_by(|one, other| one.name.cmp(&other.name));
        if let Some([twice, _]) = skills.array_windows().find(|[a, b]| a.name == b.name) {
            return Err(wrong(format!("`{}` is there twice", twice.name)));
        }
        let names: BTreeSet<String> = skills.iter().map(|each| each.name.clone()).collect();
        let required = skills.iter_mut().flat_map(|each| &mut each.requires);
        for each in required.filter(|each| names.contains(&each.to_string())) {
            each.whole();
        }
        Ok(Self {
            skills: Arc::new(skills),
        })
    }

    /// The lock as text.
    pub fn to_text(&self) -> String {
        let format = WrittenLockfile {
            version: VERSION,
            skill: &self.skills,
        };
        // Strings, numbers and lists always have a form in TOML.
        let text = toml::to_string(&format).unwrap_or_default();
        format!("{HEADER}{text}")
    }

    /// Replaces the file.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        write_atomically(path, self.to_text().as_bytes())
    }

    /// The skills, sorted by name.
    pub fn skills(&self) -> &[Locked] {
        &self.skills
    }

    /// The entry of a name.
    pub fn get(&self, name: &str) -> Option<&Locked> {
        self.at(name).ok().map(|at| &self.skills[at])
    }

    /// Makes an entry what it is given.
    pub(crate) fn set(&mut self, locked: &Locked) {
        if self.get(&locked.name) != Some(locked) {
            self.put(locked.clone());
        }
    }

    /// Puts an entry in, and returns the one it replaces.
    pub fn put(&mut self, locked: Locked) -> Option<Locked> {
        let at = self.at(&locked.name);
        let skills = Arc::make_mut(&mut self.skills);
        match at {
            Ok(at) => Some(std::mem::replace(&mut skills[at], locked)),
            Err(at) => {
                skills.insert(at, locked);
                None
            }
        }
    }

    /// Takes an entry out.
    pub fn remove(&mut self, name: &str) -> Option<Locked> {
        let at = self.at(name).ok()?;
        Some(Arc::make_mut(&mut self.skills).remove(at))
    }

    fn at(&self, name: &str) -> Result<usize, usize> {
        self.skills
            .binary_search_by(|each| each.name.as_str().cmp(name))
    }
}

/// Whether somebody still has to say which side of a merge is right.
pub(crate) fn has_merge_conflicts(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("<<<<<<< "))
}

/// Whether a name, which may come from a stranger, is one folder's.
pub(crate) fn is_folder_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 255
        && !matches!(name, "." | "..")
        && !name
            .chars()
            .any(|c| matches!(c, '/' | '\\') || c.is_control())
}

/// Removes what was there before. Whoever merged two locks meant each target once.
fn keep_first(targets: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    targets.retain(|target| seen.insert(target.clone()));
}

/// Whether a lock has a field or a word that this version does not know, and is right otherwise.
fn is_addition(error: &toml::de::Error) -> bool {
    let message = error.message();
    message.starts_with("unknown field") || message.starts_with("unknown variant")
}

fn one_line(error: &toml::de::Error) -> String {
    error.message().replace('\n', " ")
}

#[cfg(test)]
mod tests;
