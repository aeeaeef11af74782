//! Registries: which versions a skill has, and their archives.
//!
//! Versions and digests come from the sparse index, one small file per skill that
//! any cache can keep; whoever serves the archive cannot change what it is.

mod account;
mod error;
mod http;
mod log;
mod memory;
mod namespace;
mod tokens;
mod whole;

use semver::Version;
use serde::{Deserialize, Serialize};
use skillyard_format::{Digest, QualifiedName};

use super::http::Http;
use super::{Fetched, Transfer};
use crate::reference::Requirement;

pub use account::{Account, Destination, PublishedVersion};
pub use error::RegistryError;
pub use http::{HttpRegistry, IndexMode, VersionListing};
pub use log::SeenLog;
pub use memory::{RegistryMemory, SeenIndex, SeenSkill, UsedVersion};
pub use namespace::{OwnershipOffer, People, Person};
pub use tokens::{IssuedToken, TokenInfo, TokenRequest};
pub use whole::{ChangedSkill, Changes, LogEntry, SkillDetails};

/// A registry of skills.
pub trait Registry {
    /// Searches; the best match is first.
    fn search(&self, http: &Http, query: &SearchQuery<'_>) -> Result<SearchResults, RegistryError>;
    /// What the registry says about a skill.
    fn summary(&self, http: &Http, name: &QualifiedName) -> Result<SkillSummary, RegistryError>;
    /// All versions of a skill, yanked ones included, in the order they were published.
    fn versions(&self, http: &Http, name: &QualifiedName) -> Result<VersionListing, RegistryError>;
    /// Downloads a version and checks it against its digest.
    fn download(
        &self,
        transfer: &Transfer<'_>,
        version: &VersionInfo,
    ) -> Result<Fetched, RegistryError>;
}

/// What is searched for.
#[derive(Debug, Clone, Copy, Default)]
pub struct SearchQuery<'a> {
    /// The words.
    pub words: &'a str,
    /// The most that are wanted.
    pub limit: usize,
    /// Only of this account or namespace.
    pub owner: Option<&'a str>,
    /// Only with this licence.
    pub license: Option<&'a str>,
    /// Only with this tag.
    pub tag: Option<&'a str>,
    /// Only with scripts, or only without.
    pub scripts: Option<bool>,
    /// Only what somebody signed, or only what nobody did.
    pub signed: Option<bool>,
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
    /// Why it was withdrawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yank_reason: Option<String>,
    /// Who published it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// The tags that stand for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dist_tags: Vec<String>,
    /// What to use instead of the skill, if its owners gave it up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchResults {
    /// The skills.
    pub skills: Vec<SkillSummary>,
    /// How many there are in all.
    #[serde(default)]
    pub total: u64,
    /// Why they could not be kept for when nobody is asked, if they could not.
    #[serde(skip)]
    pub unkept: Option<String>,
}

/// What a registry says about a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillSummary {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Its latest version.
    pub version: String,
    /// Whom it names as its author, which nobody has checked.
    #[serde(default)]
    pub author: Option<String>,
    /// The account that published it, if the registry tells it apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// How often it was downloaded.
    #[serde(default)]
    pub downloads: u64,
    /// Where its latest archive is.
    #[serde(default)]
    pub download_url: Option<String>,
    /// Its licence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// Its tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether it brings scripts.
    #[serde(default)]
    pub has_scripts: bool,
    /// Who signed it, as the registry found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// What to use instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
}

impl SkillSummary {
    /// Who published it, as far as the registry says.
    pub fn published_by(&self) -> Option<&str> {
        self.publisher.as_deref().or(self.author.as_deref())
    }
}

/// The highest version that fits and was not withdrawn; a withdrawn one only for a lock that names it.
pub fn select<'a>(
    name: &QualifiedName,
    versions: &'a [VersionInfo],
    requirement: &Requirement,
) -> Result<&'a VersionInfo, RegistryError> {
    let is_locked = matches!(requirement, Requirement::Locked(_));
    let offered = || versions.iter().filter(|info| is_locked || !info.yanked);
    let tagged = |tag: &str| offered().find(|info| info.dist_tags.iter().any(|each| each == tag));
    let found = match requirement {
        Requirement::Tag(tag) => tagged(tag),
        // What its owners set by hand goes before what the numbers say.
        Requirement::Latest if tagged("latest").is_some() => tagged("latest"),
        requirement => {
            let candidates = offered().map(|info| (info.version.clone(), info));
            requirement.select(candidates).map(|(_, info)| info)
        }
    };
    if let Some(info) = found {
        return Ok(info);
    }
    let mut withdrawn = versions.iter().filter(|info| info.yanked);
    let withdrawn = match requirement {
        Requirement::Tag(tag) => withdrawn.find(|info| info.dist_tags.contains(tag)),
        Requirement::Range { .. } => {
            let withdrawn = withdrawn.map(|info| (info.version.clone(), info));
            requirement.select(withdrawn).map(|(_, info)| info)
        }
        _ => None,
    };
    if let Some(info) = withdrawn {
        return Err(RegistryError::Withdrawn {
            name: name.to_string(),
            version: info.version.clone(),
            reason: info.yank_reason.clone(),
            has_others: offered().next().is_some(),
        });
    }
    if !versions.is_empty() && offered().next().is_none() {
        return Err(RegistryError::AllWithdrawn {
            name: name.to_string(),
        });
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

/// Where a skill is in the sparse index.
pub fn index_path(name: &QualifiedName) -> Vec<String> {
    let mut path = vec!["index".to_owned()];
    path.extend(name.index_path());
    path
}

/// The segments of `folder`, a name and what stands behind it in an address.
fn segments<'a>(folder: &'a str, name: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    let mut all = vec![folder];
    all.extend(name.split('/'));
    all.extend(rest);
    all
}
