//! The entry of one installed skill.

use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use super::required::Required;
use crate::origin::{OriginKind, is_same_registry};
use crate::reference::{Reference, ReferenceContext};

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
    /// The digest of what its source gave, where it has another name here: what is revoked stays so
    /// under every name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered_as: Option<Digest>,
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
    pub requires: Vec<Required>,
    /// Whether it is here only because another skill needs it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dependency: bool,
}

impl Locked {
    /// The names of the skills it needs.
    pub fn needs(&self) -> impl Iterator<Item = &str> {
        self.requires.iter().map(|each| each.name.as_str())
    }

    /// The registry that it was locked from, where `origin` is another place. One name can be another
    /// skill there.
    pub fn other_registry(&self, origin: OriginKind, url: Option<&str>) -> Option<&str> {
        let own = self.url.as_deref();
        let own = own.filter(|_| self.origin == OriginKind::Registry)?;
        let is_same =
            origin == OriginKind::Registry && url.is_some_and(|url| is_same_registry(own, url));
        (!is_same).then_some(own)
    }

    /// The reference as `skills.toml` has it: with the revision that was asked for.
    pub fn reference(&self) -> String {
        reference(&self.source, self.requested.as_deref())
    }

    /// Whether `skills.toml` has the entry so, by the hand of this version or of an older one.
    pub fn is_written(&self, text: &str) -> bool {
        let as_before = |requested: &String| with_nothing_escaped(&self.source, requested);
        text == self.reference() || self.requested.as_ref().map(as_before).as_deref() == Some(text)
    }
}

/// A reference put together from what it is about and the revision that is wanted.
pub fn reference(source: &str, requested: Option<&str>) -> String {
    let Some(requested) = requested else {
        return source.to_owned();
    };
    let reference = Reference::parse(source, &ReferenceContext::default());
    let reference = reference.and_then(|reference| reference.at(requested));
    reference.map_or_else(
        |_| with_nothing_escaped(source, requested),
        |reference| reference.to_string(),
    )
}

/// The same as older versions wrote it, which could not be read where a revision has slashes.
fn with_nothing_escaped(source: &str, requested: &str) -> String {
    match source.split_once('#') {
        Some((place, path)) => format!("{place}@{requested}#{path}"),
        None => format!("{source}@{requested}"),
    }
}
