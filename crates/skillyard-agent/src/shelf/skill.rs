//! A skill on a shelf: what is known of it besides its files.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use skillyard_catalog::CatalogSkill;
use skillyard_format::Digest;
use skillyard_trust::policy::Policy;
use skillyard_trust::provenance::Provenance;
use skillyard_trust::tier::Tier;
use skillyard_trust::verdict::assess;

/// Whoever brings the files of skills that MCP servers publish, when they are first needed.
pub trait Published: fmt::Debug + Send + Sync {
    /// Puts the files into the skill's folder, or says why they cannot be had.
    fn bring(&self, name: &str) -> Result<(), String>;

    /// What tells this listing of a skill from any other.
    fn mark(&self, name: &str) -> Option<String>;
}

/// A skill and what is known of its standing.
#[derive(Debug, Clone)]
pub struct ShelfSkill {
    /// What the catalog knows.
    pub skill: CatalogSkill,
    /// Its folder, also if it comes from inside the binary.
    pub folder: PathBuf,
    /// How a model is told where it is.
    pub directory: String,
    /// Where it came from, in words or as a URL.
    pub origin: String,
    /// The trust tier.
    pub tier: String,
    /// Whether the user has vouched for its text.
    pub author: Author,
}

/// Where a skill came from, as models read it: its address, or the kind of folder that it lies in.
pub fn origin(skill: &CatalogSkill, provenance: &Provenance) -> String {
    match &provenance.url {
        Some(url) => url.clone(),
        None => skill.kind.as_str().to_owned(),
    }
}

impl ShelfSkill {
    /// A skill of the catalog that came from there, as far as this policy believes it. The address of
    /// its provenance is shown to models, so it must have no password in it.
    pub fn new(skill: &CatalogSkill, provenance: &Provenance, policy: &Policy) -> Self {
        let tier = assess(policy, provenance).tier;
        Self::at(skill.record.folder.clone(), skill, provenance, tier)
    }

    /// The same for a skill whose files lie in another folder, as those from inside the binary do once
    /// they are [written out](skillyard_catalog::builtin::materialise).
    pub fn at(folder: PathBuf, skill: &CatalogSkill, provenance: &Provenance, tier: Tier) -> Self {
        let directory = folder.canonicalize();
        let directory = directory.as_deref().unwrap_or(&folder);
        Self {
            directory: directory.to_string_lossy().into_owned(),
            origin: origin(skill, provenance),
            tier: tier.as_str().to_owned(),
            author: if provenance.is_third_party() {
                Author::ThirdParty
            } else {
                Author::Known
            },
            skill: skill.clone(),
            folder,
        }
    }

    /// Whether an MCP server publishes it: only then its name has a colon.
    pub fn is_published(&self) -> bool {
        self.skill.record.name.contains(':')
    }

    /// Where it came from as a URI, without credentials and without the paths of this machine.
    pub fn uri(&self) -> String {
        let record = &self.skill.record;
        // Where there is no address, or one of this machine, only the name is nobody's secret.
        let is_scheme = |scheme: &str| {
            scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
                && !scheme.to_ascii_lowercase().ends_with("file")
        };
        let address = self.origin.split_once("://");
        let Some((scheme, rest)) = address.filter(|(scheme, _)| is_scheme(scheme)) else {
            return format!("skillyard:{}/{}", self.skill.kind.as_str(), record.name);
        };
        let end = rest.find(['?', '#']).unwrap_or(rest.len());
        let (authority, path) = match rest[..end].split_once('/') {
            Some((authority, path)) => (authority, format!("/{path}")),
            None => (&rest[..end], String::new()),
        };
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        format!("{scheme}://{host}{path}")
    }
}

/// What the files of an installed skill may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// What was installed, and what else was approved.
    pub digests: Vec<Digest>,
    /// What the user can do where they are something else.
    pub remedy: String,
}

/// An installed skill as a session was told of it: enough to make it again from the store when it
/// was updated or removed since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstalledSkill {
    /// What was installed.
    pub digest: Digest,
    /// How a model was told where it is.
    pub directory: String,
    /// Where it came from.
    pub origin: String,
    /// The trust tier.
    pub tier: String,
    /// Whose words it is made of.
    pub author: Author,
    /// Whether its files were others than were installed, so that no model was told of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub altered: bool,
}

/// Why a skill that is here is not on the shelf. Only users are told: the words may be those of
/// a stranger's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withheld {
    /// What keeps it, in words that name no path of this machine.
    pub reason: String,
    /// What lies behind that, for the user of this machine.
    pub detail: Option<String>,
    /// What the user can do about it.
    pub remedy: Option<String>,
}

/// Whose words a skill is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The user's, their organisation's, or ours.
    Known,
    /// Somebody else's.
    ThirdParty,
}
