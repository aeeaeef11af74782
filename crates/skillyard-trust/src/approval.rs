//! `approvals.toml`: what the user has approved, as text and as values.
//!
//! A `[[skill]]` is bound to the digest of the skill's files, so that any changed byte asks again;
//! a `[[folder]]` is a project whose skills may be used, and no other folder that takes its place.
//! Edits keep what else is in the file.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use skillyard_format::package::{Digest, DigestError};
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

/// How large the file may be.
const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;

/// Everything that was approved.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Approvals {
    /// Trusted projects.
    pub folders: Vec<TrustedFolder>,
    /// Approved skills.
    pub skills: Vec<SkillApproval>,
}

/// A project that was trusted, and which folder that was.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TrustedFolder {
    /// Where it is.
    pub path: PathBuf,
    /// What it is known by, wherever it is; older files and some file systems do not tell.
    pub identity: Option<Digest>,
    /// The number of the user it belonged to; older files do not tell.
    pub owner: Option<u32>,
}

impl TrustedFolder {
    /// Whether the folder of this identity, in the place that was trusted, is the one that was.
    pub fn is_same(&self, identity: Option<&Digest>) -> bool {
        self.identity.is_none() || self.identity.as_ref() == identity
    }

    /// Whether what belongs to `owner` may be trusted by this: what is the user's or root's, and
    /// folders with the owner they had when they were trusted.
    pub fn admits(&self, owner: u32, user: u32) -> bool {
        [0, user].contains(&owner) || self.owner == Some(owner)
    }
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
    #[error("it has {0} bytes, and at most {MAX_FILE_BYTES} are read")]
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
struct ApprovalsFile {
    folder: Vec<FolderEntry>,
    skill: Vec<SkillEntry>,
}

#[derive(Debug, Deserialize)]
struct FolderEntry {
    path: PathBuf,
    identity: Option<String>,
    owner: Option<u32>,
}

impl FolderEntry {
    fn trusted(self) -> Result<TrustedFolder, ApprovalError> {
        let identity = self
            .identity
            .map(|text| digest(&text, &self.path.to_string_lossy()));
        Ok(TrustedFolder {
            identity: identity.transpose()?,
            path: self.path,
            owner: self.owner,
        })
    }
}

// A key that is not known may narrow what was approved, so it is an error.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SkillEntry {
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
        if text.len() > MAX_FILE_BYTES {
            return Err(ApprovalError::TooLarge(text.len()));
        }
        let file: ApprovalsFile = toml::from_str(text)
            .map_err(|error| ApprovalError::Text(error.to_string().trim().to_owned()))?;
        let folders: Result<Vec<_>, _> =
            file.folder.into_iter().map(FolderEntry::trusted).collect();
        let mut folders = folders?;
        folders.sort_unstable();
        let skills: Result<Vec<_>, _> = file.skill.into_iter().map(SkillEntry::approval).collect();
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
    /// The time and the user of the approval, as a phrase.
    pub fn when(&self) -> String {
        match &self.approved_by {
            Some(who) => format!("on {} by {who}", self.approved_at),
            None => format!("on {}", self.approved_at),
        }
    }
}

impl SkillEntry {
    fn approval(self) -> Result<SkillApproval, ApprovalError> {
        let digest = digest(&self.digest, &self.name)?;
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

fn digest(text: &str, name: &str) -> Result<Digest, ApprovalError> {
    text.parse()
        .map_err(|error: DigestError| ApprovalError::Digest {
            name: name.to_owned(),
            reason: error.to_string(),
        })
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
pub enum ApprovalChange<'a> {
    /// Trusts a folder, in place of another one that was trusted there.
    TrustFolder(&'a TrustedFolder),
    /// Trusts a folder no longer.
    RevokeFolder(&'a Path),
    /// Approves a version of a skill, in place of what was approved of it before.
    ApproveSkill(&'a SkillApproval),
    /// Approves nothing of a skill any more, in no version.
    RevokeSkill(&'a str),
}

/// The text after a change, or `None` when nothing changes.
pub fn edit(text: &str, change: &ApprovalChange<'_>) -> Result<Option<String>, ApprovalError> {
    // What cannot be read must not be written back.
    let before = Approvals::parse(text)?;
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| ApprovalError::Text(error.to_string()))?;
    let changed = match change {
        ApprovalChange::TrustFolder(folder) => {
            let path = &folder.path;
            let path = path
                .to_str()
                .ok_or_else(|| ApprovalError::NotUtf8(path.to_string_lossy().into_owned()))?;
            let is_new = !before.folders.contains(folder);
            if is_new {
                let folders = list(&mut document, "folder")?;
                remove(folders, |each| is(each, "path", path));
                folders.push(folder_table(path, folder));
            }
            is_new
        }
        ApprovalChange::RevokeFolder(path) => {
            let path = path.to_string_lossy();
            remove(list(&mut document, "folder")?, |each| {
                is(each, "path", &path)
            })
        }
        ApprovalChange::ApproveSkill(approval) => {
            let skills = list(&mut document, "skill")?;
            let digest = approval.digest.to_string();
            remove(skills, |each| {
                is(each, "name", &approval.name) && is(each, "digest", &digest)
            });
            skills.push(table(approval));
            true
        }
        ApprovalChange::RevokeSkill(name) => {
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

fn folder_table(path: &str, folder: &TrustedFolder) -> Table {
    let mut table = Table::new();
    table.insert("path", value(path));
    if let Some(identity) = &folder.identity {
        table.insert("identity", value(identity.to_string()));
    }
    if let Some(owner) = folder.owner {
        table.insert("owner", value(i64::from(owner)));
    }
    table
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
