//! Registries: which versions a skill has, and their archives.
//!
//! Versions and digests come from the sparse index, one small file per skill that
//! any cache can keep; whoever serves the archive cannot change what it is.

mod account;
mod http;
mod log;

use semver::Version;
use serde::{Deserialize, Serialize};
use skillyard_format::{Digest, SkillName};

use super::http::{Http, HttpError};
use super::{Fetched, Transfer};
use crate::reference::Requirement;

pub use account::{Account, Published};
pub use http::HttpRegistry;
pub use log::SeenLog;

/// A registry of skills.
pub trait Registry {
    /// Searches; the best match is first.
    fn search(
        &self,
        http: &Http,
        query: &str,
        limit: usize,
    ) -> Result<SearchResults, RegistryError>;
    /// What the registry says about a skill.
    fn summary(&self, http: &Http, name: &SkillName) -> Result<Summary, RegistryError>;
    /// All versions of a skill, yanked ones included, in the order they were published.
    fn versions(&self, http: &Http, name: &SkillName) -> Result<Vec<VersionInfo>, RegistryError>;
    /// Downloads a version and checks it against its digest.
    fn download(
        &self,
        transfer: &Transfer<'_>,
        version: &VersionInfo,
    ) -> Result<Fetched, RegistryError>;
}

/// One version of a skill, as one line of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionInfo {
    /// The skill.
    pub name: String,
    /// The version.
    pub version: Version,
    /// The digest of the archive.
    pub digest: Digest,
    /// The tree digest of the skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Digest>,
    /// The length of the archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Whether it was withdrawn: locks may still use it, nothing new does.
    #[serde(default)]
    pub yanked: bool,
    /// When it was published, as RFC 3339 writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// Who signed it, as the registry found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchResults {
    /// The skills.
    pub skills: Vec<Summary>,
    /// How many there are in all.
    #[serde(default)]
    pub total: u64,
}

/// What a registry says about a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Its latest version.
    pub version: String,
    /// Who published it.
    #[serde(default)]
    pub author: Option<String>,
    /// How often it was downloaded.
    #[serde(default)]
    pub downloads: u64,
    /// Where its latest archive is.
    #[serde(default)]
    pub download_url: Option<String>,
}

/// Why a registry gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The registry has no such skill.
    #[error("{registry} has no skill `{name}`")]
    NotFound {
        /// The registry.
        registry: String,
        /// The skill.
        name: String,
    },
    /// No version fits.
    #[error("`{name}` has no version that fits `{requirement}`{}", those(.versions))]
    NoVersion {
        /// The skill.
        name: String,
        /// What was asked for.
        requirement: String,
        /// The highest versions there are.
        versions: Vec<String>,
    },
    /// The registry wants to know who asks.
    #[error("{registry} wants a token, or refuses the one it was sent")]
    Unauthorized {
        /// The registry.
        registry: String,
    },
    /// The index contradicts itself.
    #[error("the index of {registry} is not sound: {problem}")]
    Index {
        /// The registry.
        registry: String,
        /// What is wrong.
        problem: String,
    },
    /// The log contradicts what was said or seen before.
    #[error("the log of {registry} cannot be believed: {problem}")]
    Log {
        /// The registry.
        registry: String,
        /// What is wrong.
        problem: String,
    },
    /// A request failed.
    #[error(transparent)]
    Http(#[from] HttpError),
}

/// The highest version that fits and was not withdrawn; a withdrawn one only for a lock that names it.
pub fn select<'a>(
    name: &SkillName,
    versions: &'a [VersionInfo],
    requirement: &Requirement,
) -> Result<&'a VersionInfo, RegistryError> {
    let is_locked = matches!(requirement, Requirement::Locked(_));
    let offered = || versions.iter().filter(|info| is_locked || !info.yanked);
    let candidates = offered().map(|info| (info.version.clone(), info));
    if let Some((_, info)) = requirement.select(candidates) {
        return Ok(info);
    }
    let mut highest: Vec<&Version> = offered().map(|info| &info.version).collect();
    highest.sort_unstable_by(|first, second| second.cmp(first));
    Err(RegistryError::NoVersion {
        name: name.to_string(),
        requirement: requirement.to_string(),
        versions: highest
            .into_iter()
            .take(3)
            .map(ToString::to_string)
            .collect(),
    })
}

/// Where a skill is in the sparse index; the folders keep each other small.
pub fn index_path(name: &SkillName) -> Vec<String> {
    let letters: Vec<char> = name.as_str().chars().collect();
    let part = |range: &[char]| range.iter().collect::<String>();
    let mut path = vec!["index".to_owned()];
    match letters.as_slice() {
        [_] => path.push("1".to_owned()),
        [_, _] => path.push("2".to_owned()),
        [first, _, _] => path.extend(["3".to_owned(), first.to_string()]),
        [a @ .., _] if a.len() >= 3 => path.extend([part(&letters[..2]), part(&letters[2..4])]),
        _ => {}
    }
    path.push(name.to_string());
    path
}

fn those(versions: &[String]) -> String {
    match versions {
        [] => "; it has none".to_owned(),
        versions => format!("; the highest are {}", versions.join(", ")),
    }
}
