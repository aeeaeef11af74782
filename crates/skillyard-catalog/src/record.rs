//! What one `SKILL.md` says, as far as a catalog needs it: tier 1.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skillyard_format::document::MAX_BYTES;
use skillyard_format::rules::{self, Profile, Subject};
use skillyard_format::{Document, Severity, Skill};

use crate::regular_file::beginning;
use crate::walk::{FoundSkill, Stamp, UNREADABLE};

/// A skill that can be used, without its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The skill's folder.
    pub folder: PathBuf,
    /// The name of its file.
    pub file_name: String,
    /// The file's stamp when it was read.
    pub stamp: Stamp,
    /// Its name.
    pub name: String,
    /// The text for a model: its description and `when_to_use`.
    pub description: String,
    /// The further fields of its frontmatter, as JSON.
    pub fields: String,
    /// Commands it needs.
    pub requires: Vec<String>,
    /// Whether a model may choose it.
    pub model_invocable: bool,
    /// Whether a user may invoke it.
    pub user_invocable: bool,
    /// What is wrong with it.
    pub problems: Vec<SkillProblem>,
}

/// Something wrong with a skill that does not keep it from being used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillProblem {
    /// The rule's code.
    pub code: String,
    /// What is wrong.
    pub message: String,
}

/// What became of a `SKILL.md`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reading {
    /// A skill.
    Skill(Box<Record>),
    /// A file that holds no skill, and why.
    Unloadable(Box<Unloadable>),
}

/// A `SKILL.md` that holds no skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unloadable {
    /// The file.
    pub path: PathBuf,
    /// Its stamp.
    pub stamp: Stamp,
    /// Why it holds none.
    pub reason: String,
}

impl Record {
    /// The path of the skill's file.
    pub fn path(&self) -> PathBuf {
        self.folder.join(&self.file_name)
    }

    /// The bytes of the skill's file, of which there may be one more than are ever looked at.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        beginning(&self.path(), MAX_BYTES as u64 + 1)
    }

    /// The further fields of its frontmatter, as values.
    pub fn fields_json(&self) -> serde_json::Value {
        serde_json::from_str(&self.fields).unwrap_or_default()
    }
}

impl Reading {
    /// The folder of the file, whatever became of it.
    pub(crate) fn folder(&self) -> &OsStr {
        match self {
            Self::Skill(record) => record.folder.as_os_str(),
            Self::Unloadable(unloadable) => {
                let path = &unloadable.path;
                path.parent().unwrap_or(path).as_os_str()
            }
        }
    }

    /// The stamp of the file when it was read.
    pub(crate) fn stamp(&self) -> Stamp {
        match self {
            Self::Skill(record) => record.stamp,
            Self::Unloadable(unloadable) => unloadable.stamp,
        }
    }

    /// The path of the file that was read.
    pub(crate) fn path(&self) -> PathBuf {
        match self {
            Self::Skill(record) => record.path(),
            Self::Unloadable(unloadable) => unloadable.path.clone(),
        }
    }
}

/// Reads a skill's record from its first block, or from the whole file where that is not enough.
pub(crate) fn read(found: &FoundSkill<'_>) -> Reading {
    // The first block would do, but what cannot be activated must not be offered.
    if found.stamp.size > MAX_BYTES as u64 {
        return unloadable(
            found,
            format!(
                "the file has {} bytes, and at most {MAX_BYTES} are read",
                found.stamp.size
            ),
        );
    }
    let directory = found.directory();
    let head = if found.complete {
        Some(Document::parse(found.bytes))
    } else {
        Document::parse_head(found.bytes)
    };
    if let Some(document) = head {
        return from_document(
            document,
            found.folder,
            found.file_name,
            found.stamp,
            directory,
        );
    }
    match found.read_whole() {
        Ok(bytes) => from_document(
            Document::parse(&bytes),
            found.folder,
            found.file_name,
            found.stamp,
            directory,
        ),
        Err(error) => unloadable(found, format!("{UNREADABLE}{error}")),
    }
}

fn unloadable(found: &FoundSkill<'_>, reason: String) -> Reading {
    Reading::Unloadable(Box::new(Unloadable {
        path: found.folder.join(found.file_name),
        stamp: found.stamp,
        reason,
    }))
}

/// The record of a document.
pub(crate) fn from_document(
    document: Document<'_>,
    folder: &Path,
    file_name: &str,
    stamp: Stamp,
    directory: Option<&str>,
) -> Reading {
    let subject = Subject {
        file_name,
        ..Subject::new(&document, directory)
    };
    let found = rules::check(&subject, Profile::Load);
    let fatal = found.iter().find(|each| each.severity == Severity::Error);
    let skill = match fatal {
        None => Skill::take(document, directory),
        Some(_) => None,
    };
    let Some(mut skill) = skill else {
        let reason = fatal.map_or_else(|| "it has no name".to_owned(), |each| each.message.clone());
        return Reading::Unloadable(Box::new(Unloadable {
            path: folder.join(file_name),
            stamp,
            reason,
        }));
    };
    let offer = skill.offer().into_owned();
    skill
        .frontmatter
        .entries
        .retain(|entry| !matches!(&*entry.key, "name" | "description"));
    let fields = serde_json::Value::Object(skill.frontmatter.to_json()).to_string();
    // Advice is left to `validate`, but of this spelling most clients see nothing at all.
    let misspelled = !matches!(file_name, "SKILL.md" | "skill.md");
    let spelling = misspelled.then(|| SkillProblem {
        code: "file-name".to_owned(),
        message: format!("the file is called `{file_name}`"),
    });
    Reading::Skill(Box::new(Record {
        folder: folder.to_owned(),
        file_name: file_name.to_owned(),
        stamp,
        name: skill.name.clone(),
        description: offer,
        fields,
        requires: skill.requires(),
        model_invocable: skill.is_model_invocable(),
        user_invocable: skill.is_user_invocable(),
        problems: found
            .into_iter()
            // Fields of other clients are not a problem to their users.
            .filter(|each| each.code != "field-unknown")
            .map(|each| SkillProblem {
                code: each.code.to_owned(),
                message: each.message,
            })
            .chain(spelling)
            .collect(),
    }))
}
