//! The index of a site, read from hostile JSON.

use std::collections::HashMap;

use skillyard_format::text::nearest;
use skillyard_format::{Digest, SkillName};
use url::Url;

use super::entry;
use super::error::WellKnownError;
use super::wire::{self, WireIndex};
use crate::fetch::http::Body;
use crate::reference::SubPath;
use crate::reference::shown::{shown, shown_url};

/// The format of version 0.2.0.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
/// The most bytes of one that lists files: a few letters of it become a path and an address each.
const MAX_OF_FILES: usize = 4 * 1024 * 1024;

/// The skills that a site lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// Where the index came from in the end.
    pub url: Url,
    /// Its format.
    pub version: IndexVersion,
    /// The skills, in the order of the site.
    pub skills: Vec<IndexEntry>,
    /// What is listed but cannot be used.
    pub skipped: Vec<SkippedEntry>,
}

/// A format of indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexVersion {
    /// Lists of files, without digests.
    V0_1,
    /// One SKILL.md or archive each, with its digest.
    V0_2,
}

/// A skill that a site lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// Its name.
    pub name: SkillName,
    /// What the site says about it.
    pub description: String,
    /// How it is fetched.
    pub artifact: Artifact,
    /// The host it is on, with its scheme and port, if that is not the index's.
    pub foreign_host: Option<String>,
}

/// How a skill is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Artifact {
    /// A SKILL.md and nothing else.
    SkillFile {
        /// Where it is.
        url: Url,
        /// Its digest.
        digest: Digest,
    },
    /// An archive with SKILL.md at its root.
    Archive {
        /// Where it is.
        url: Url,
        /// Its digest.
        digest: Digest,
    },
    /// Files, one by one.
    Files(Vec<FileEntry>),
}

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Its path in the skill.
    pub path: SubPath,
    /// Where it is.
    pub url: Url,
    /// Its digest, where the index has it.
    pub digest: Option<Digest>,
}

/// An entry that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedEntry {
    /// The name, as far as there is one.
    pub name: String,
    /// Why.
    pub reason: String,
}

impl Index {
    /// The entry of a name.
    pub fn find(&self, name: &SkillName) -> Result<&IndexEntry, WellKnownError> {
        if let Some(entry) = self.skills.iter().find(|entry| entry.name == *name) {
            return Ok(entry);
        }
        if let Some(skipped) = self
            .skipped
            .iter()
            .find(|skipped| skipped.name == name.as_str())
        {
            return Err(WellKnownError::Skipped {
                name: skipped.name.clone(),
                reason: skipped.reason.clone(),
            });
        }
        let names = self.skills.iter().map(|entry| entry.name.as_str());
        Err(WellKnownError::NoSuchSkill {
            url: shown_url(&self.url),
            name: name.to_string(),
            nearest: nearest(name.as_str(), names).map(str::to_owned),
        })
    }

    /// The index with nothing but the skill at an address, if it lists one there.
    pub(super) fn only_at(mut self, address: &Url) -> Option<Self> {
        self.skills.retain(|entry| match &entry.artifact {
            Artifact::SkillFile { url, .. } | Artifact::Archive { url, .. } => url == address,
            Artifact::Files(_) => false,
        });
        self.skipped.clear();
        (!self.skills.is_empty()).then_some(self)
    }

    pub(super) fn parse(body: &Body) -> Result<Self, WellKnownError> {
        let wire: WireIndex<'_> = body.json()?;
        let version = version(&body.url, wire.schema.as_deref())?;
        if wire.skills.more || (version == IndexVersion::V0_1 && body.bytes.len() > MAX_OF_FILES) {
            return Err(WellKnownError::TooMany {
                url: shown_url(&body.url),
            });
        }
        // What follows `?` may be a secret, and no address is relative to it.
        let mut url = body.url.clone();
        url.set_query(None);
        let mut index = Self {
            url,
            version,
            skills: Vec::new(),
            skipped: Vec::new(),
        };
        for text in wire.skills.texts {
            let value = wire::value(text);
            match value.and_then(|value| entry::read(&index.url, version, &value)) {
                Ok(entry) => index.skills.push(entry),
                Err(reason) => index.skipped.push(SkippedEntry {
                    name: shown(&wire::name(text)),
                    reason,
                }),
            }
        }
        index.skip_repeated();
        Ok(index)
    }

    /// Two entries of one name could be two skills, so neither is taken.
    fn skip_repeated(&mut self) {
        let mut counts: HashMap<SkillName, usize> = HashMap::new();
        for entry in &self.skills {
            *counts.entry(entry.name.clone()).or_default() += 1;
        }
        self.skills.retain(|entry| counts[&entry.name] == 1);
        let mut repeated: Vec<_> = counts.into_iter().filter(|(_, count)| *count > 1).collect();
        repeated.sort();
        self.skipped
            .extend(repeated.into_iter().map(|(name, count)| SkippedEntry {
                name: name.to_string(),
                reason: format!("it is listed {count} times"),
            }));
    }
}

/// Without a schema it is the first version, whatever else it says.
fn version(url: &Url, schema: Option<&str>) -> Result<IndexVersion, WellKnownError> {
    match schema {
        Some(SCHEMA) => Ok(IndexVersion::V0_2),
        None => Ok(IndexVersion::V0_1),
        Some(unknown) => Err(WellKnownError::UnknownSchema {
            url: shown_url(url),
            schema: shown(unknown),
        }),
    }
}
