//! `approvals.toml`: what the user has approved, as text and as values.
//!
//! A `[[skill]]` is bound to the digest of the skill's files, so that any changed byte asks again;
//! a `[[folder]]` is a project whose skills may be used. Edits keep what else is in the file.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use skillyard_format::package::Digest;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

/// How large the file may be.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Everything that was approved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Approvals {
    /// Trusted projects.
    pub folders: Vec<PathBuf>,
    /// Approved skills.
    pub skills: Vec<SkillApproval>,
}

/// What was approved about one version of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillApproval {
    /// The skill's name.
    pub name: String,
    /// The digest of all its files.
    pub digest: Digest,
    /// Whether its scripts may run.
    pub scripts: bool,
    /// Hosts that its scripts may reach.
    pub network: Vec<String>,
    /// Tools that it may use.
    pub tools: Vec<String>,
    /// When, as RFC 3339.
    pub approved_at: String,
    /// Who.
    pub approved_by: Option<String>,
}

/// What is wrong with the file.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalError {
    /// It is not TOML, or says something else.
    #[error("{0}")]
    Text(String),
    /// It is too large.
    #[error("it has {0} bytes, and at most {MAX_BYTES} are read")]
    TooLarge(usize),
    /// A list is something else.
    #[error("`{0}` is not a list of tables")]
    NotAList(&'static str),
    /// A path cannot be written down.
    #[error("`{0}` cannot be written down: its path is not UTF-8")]
    NotUtf8(String),
    /// A digest is none.
    #[error("the digest of `{name}` cannot be read: {reason}")]
    Digest {
        /// The skill.
        name: String,
        /// Why.
        reason: String,
    },
    /// A host is none.
    #[error("`{0}` is not the name of a host")]
    Host(String),
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct File {
    folder: Vec<Folder>,
    skill: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
struct Folder {
    path: PathBuf,
}

// A key that is not known may narrow what was approved, so it is an error.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    digest: String,
    #[serde(default)]
    scripts: bool,
    #[serde(default)]
    network: Vec<String>,
    #[serde(default)]
    tools: Vec<String>,
    approved_at: String,
    approved_by: Option<String>,
}

impl Approvals {
    /// Reads the text of the file.
    pub fn parse(text: &str) -> Result<Self, ApprovalError> {
        if text.len() > MAX_BYTES {
            return Err(ApprovalError::TooLarge(text.len()));
        }
        let file: File = toml::from_str(text)
            .map_err(|error| ApprovalError::Text(error.to_string().trim().to_owned()))?;
        let mut folders: Vec<PathBuf> = file.folder.into_iter().map(|each| each.path).collect();
        folders.sort_unstable();
        let skills: Result<Vec<_>, _> = file.skill.into_iter().map(Entry::approval).collect();
        Ok(Self {
            folders,
            skills: skills?,
        })
    }

    /// What was approved of exactly these bytes under this name.
    pub fn of(&self, name: &str, digest: &Digest) -> Option<&SkillApproval> {
        self.skills
            .iter()
            .rev()
            .find(|each| each.name == name && each.digest == *digest)
    }
}

impl SkillApproval {
    /// When and by whom, in a phrase.
    pub fn when(&self) -> String {
        match &self.approved_by {
            Some(who) => format!("on {} by {who}", self.approved_at),
            None => format!("on {}", self.approved_at),
        }
    }
}

impl Entry {
    fn approval(self) -> Result<SkillApproval, ApprovalError> {
        let digest =
            self.digest
                .parse()
                .map_err(
                    |error: skillyard_format::package::DigestError| ApprovalError::Digest {
                        name: self.name.clone(),
                        reason: error.to_string(),
                    },
                )?;
        if let Some(host) = self.network.iter().find(|host| !is_host(host)) {
            return Err(ApprovalError::Host(host.clone()));
        }
        Ok(SkillApproval {
            name: self.name,
            digest,
            scripts: self.scripts,
            network: self.network,
            tools: self.tools,
            approved_at: self.approved_at,
            approved_by: self.approved_by,
        })
    }
}

/// Whether `text` names one host, perhaps with a port: no pattern and no address.
pub fn is_host(text: &str) -> bool {
    let (host, port) = text.split_once(':').unwrap_or((text, "443"));
    let is_part = |part: &str| {
        !part.is_empty()
            && part.len() < 64
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    host.len() < 254 && host.split('.').all(is_part) && port.parse::<u16>().is_ok_and(|it| it > 0)
}

/// A change of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change<'a> {
    /// Trusts a folder.
    TrustFolder(&'a Path),
    /// Trusts a folder no longer.
    RevokeFolder(&'a Path),
    /// Approves a version of a skill, in place of what was approved of it before.
    ApproveSkill(&'a SkillApproval),
    /// Approves nothing of a skill any more, in no version.
    RevokeSkill(&'a str),
}

/// The text after a change, or `None` when nothing changes.
pub fn edit(text: &str, change: &Change<'_>) -> Result<Option<String>, ApprovalError> {
    // What cannot be read must not be written back.
    Approvals::parse(text)?;
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| ApprovalError::Text(error.to_string()))?;
    let changed = match change {
        Change::TrustFolder(path) => {
            let path = path
                .to_str()
                .ok_or_else(|| ApprovalError::NotUtf8(path.to_string_lossy().into_owned()))?;
            let folders = list(&mut document, "folder")?;
            let is_new = !folders.iter().any(|each| is(each, "path", path));
            if is_new {
                let mut table = Table::new();
                table.insert("path", value(path));
                folders.push(table);
            }
            is_new
        }
        Change::RevokeFolder(path) => {
            let path = path.to_string_lossy();
            remove(list(&mut document, "folder")?, |each| {
                is(each, "path", &path)
            })
        }
        Change::ApproveSkill(approval) => {
            let skills = list(&mut document, "skill")?;
            let digest = approval.digest.to_string();
            remove(skills, |each| {
                is(each, "name", &approval.name) && is(each, "digest", &digest)
            });
            skills.push(table(approval));
            true
        }
        Change::RevokeSkill(name) => {
            remove(list(&mut document, "skill")?, |each| is(each, "name", name))
        }
    };
    Ok(changed.then(|| document.to_string()))
}

fn list<'a>(
    document: &'a mut DocumentMut,
    key: &'static str,
) -> Result<&'a mut ArrayOfTables, ApprovalError> {
    document
        .entry(key)
        .or_insert(Item::ArrayOfTables(ArrayOfTables::new()))
        .as_array_of_tables_mut()
        .ok_or(ApprovalError::NotAList(key))
}

fn is(table: &Table, key: &str, text: &str) -> bool {
    table.get(key).and_then(Item::as_str) == Some(text)
}

fn remove(tables: &mut ArrayOfTables, goes: impl Fn(&Table) -> bool) -> bool {
    let before = tables.len();
    tables.retain(|each| !goes(each));
    tables.len() < before
}

fn table(approval: &SkillApproval) -> Table {
    let list = |texts: &[String]| texts.iter().collect::<Array>();
    let mut table = Table::new();
    table.insert("name", value(&approval.name));
    table.insert("digest", value(approval.digest.to_string()));
    table.insert("scripts", value(approval.scripts));
    if !approval.network.is_empty() {
        table.insert("network", value(list(&approval.network)));
    }
    if !approval.tools.is_empty() {
        table.insert("tools", value(list(&approval.tools)));
    }
    table.insert("approved_at", value(&approval.approved_at));
    if let Some(who) = &approval.approved_by {
        table.insert("approved_by", value(who));
    }
    table
}
