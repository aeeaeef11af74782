//! The entry of one installed skill.

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use crate::origin::OriginKind;

/// One installed skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Locked {
    /// The name of its folder.
    pub name: String,
    /// The reference it came from, without the revision.
    pub source: String,
    /// The revision or the version that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested: Option<String>,
    /// The version that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The commit that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The kind of place it came from.
    pub origin: OriginKind,
    /// The address that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The digest over all its files.
    pub digest: Digest,
    /// Who signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// The folders it is in, relative to the scope's root.
    pub targets: Vec<String>,
    /// Whether the targets hold links to the store instead of copies.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub linked: bool,
    /// The skills it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// Whether it is here only because another skill needs it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dependency: bool,
}

impl Locked {
    /// The reference as `skills.toml` has it: with the revision that was asked for.
    pub fn reference(&self) -> String {
        reference(&self.source, self.requested.as_deref())
    }
}

/// A reference put together from what it is about and the revision that is wanted.
pub fn reference(source: &str, requested: Option<&str>) -> String {
    match (requested, source.split_once('#')) {
        (None, _) => source.to_owned(),
        (Some(requested), Some((place, path))) => format!("{place}@{requested}#{path}"),
        (Some(requested), None) => format!("{source}@{requested}"),
    }
}
