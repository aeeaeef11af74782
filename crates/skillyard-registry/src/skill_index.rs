//! One skill as clients fetch it: its file in the index, and the archives of its versions.

use axum::http::HeaderValue;
use bytes::Bytes;
use semver::Version;
use serde::Serialize;
use skillyard_format::{Digest, QualifiedName};
use utoipa::ToSchema;

use crate::database::Database;
use crate::error::RegistryError;
use crate::store::skills::SkillState;
use crate::store::versions::VersionRow;
use crate::store::{skills, tags, versions};

/// What clients fetch of one skill.
#[derive(Debug)]
pub(crate) struct SkillIndexEntry {
    /// Its file in the index.
    pub(crate) text: Bytes,
    /// The tag of that file.
    pub(crate) tag: HeaderValue,
    /// The latest version, unless all of them were withdrawn.
    latest: Option<Version>,
    releases: Vec<Release>,
}

/// What is needed to fetch a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Release {
    pub(crate) version: Version,
    pub(crate) digest: Digest,
    pub(crate) size: u64,
}

impl SkillIndexEntry {
    /// Reads the entry of a skill from the database.
    pub(crate) async fn load(
        database: &Database,
        name: &QualifiedName,
    ) -> Result<Self, RegistryError> {
        // One snapshot, so that the statements see the same state.
        let mut snapshot = database.snapshot().await?;
        let rows = versions::of(&mut *snapshot, name.as_str()).await?;
        if rows.is_empty() {
            return Err(RegistryError::NoSkill(name.to_string()));
        }
        let standing = skills::standing(&mut *snapshot, name.as_str()).await?;
        let tags = tags::of(&mut *snapshot, name.as_str()).await?;
        drop(snapshot);
        let text = text(name.as_str(), &rows, &tags, &standing);
        let tag = format!("\"{}\"", &Digest::of(text.as_bytes()).to_hex()[..32]);
        Ok(Self {
            // Boxed, because a cached entry should have no spare capacity.
            text: text.into_boxed_str().into_boxed_bytes().into(),
            tag: HeaderValue::from_str(&tag).map_err(RegistryError::internal)?,
            latest: offered(&rows, standing.latest),
            releases: rows
                .into_iter()
                .map(|row| Release {
                    version: row.version,
                    digest: row.digest,
                    size: row.size,
                })
                .collect(),
        })
    }

    /// The version that is named, or the latest.
    pub(crate) fn release(&self, version: Option<&Version>) -> Option<&Release> {
        let version = version.or(self.latest.as_ref())?;
        self.releases.iter().find(|each| each.version == *version)
    }

    /// About how many bytes it takes in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len() + self.releases.len() * size_of::<Release>() + 256
    }
}

/// The latest version, if it is not withdrawn.
fn offered(rows: &[VersionRow], latest: Option<Version>) -> Option<Version> {
    let is_offered = |version: &Version| {
        let mut rows = rows.iter();
        rows.any(|row| row.version == *version && row.yanked.is_none())
    };
    latest.filter(is_offered)
}

/// One line of the index.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Line)]
pub(crate) struct IndexLine<'a> {
    /// The skill.
    name: &'a str,
    /// The version.
    version: String,
    /// The digest of its archive.
    #[schema(value_type = String)]
    digest: Digest,
    /// The digest over its files.
    #[schema(value_type = String)]
    tree: Digest,
    /// The length of its archive.
    size: u64,
    /// The commands that it needs.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[schema(required = false)]
    requires: &'a [String],
    /// Whether it was withdrawn.
    yanked: bool,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    yank_reason: Option<&'a str>,
    /// When it was published.
    published: &'a str,
    /// By whom.
    publisher: &'a str,
    /// Who signed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<&'a str>,
    /// The worst that the scanner found.
    verdict: &'a str,
    /// The tags that stand for this version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    dist_tags: Vec<&'a str>,
    /// What to use instead of the skill, if it is deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecated: Option<&'a str>,
}

impl<'a> IndexLine<'a> {
    fn new(
        name: &'a str,
        row: &'a VersionRow,
        tags: &'a [(String, String)],
        standing: &'a SkillState,
    ) -> Self {
        let version = row.version.to_string();
        let own = tags.iter().filter(|(_, of)| *of == version);
        Self {
            name,
            dist_tags: own.map(|(tag, _)| tag.as_str()).collect(),
            version,
            digest: row.digest,
            tree: row.tree,
            size: row.size,
            requires: &row.facts.requires,
            yanked: row.yanked.is_some(),
            yank_reason: row.yanked.as_deref(),
            published: &row.published,
            publisher: &row.publisher,
            signer: row.signer.as_deref(),
            verdict: &row.verdict,
            deprecated: standing.deprecated.as_deref(),
        }
    }
}

/// The file of a skill: a line for each of these versions.
pub(crate) fn text(
    name: &str,
    rows: &[VersionRow],
    tags: &[(String, String)],
    standing: &SkillState,
) -> String {
    let mut text = String::new();
    for row in rows {
        // Text and numbers can always be written.
        text.push_str(&serde_json::json!(IndexLine::new(name, row, tags, standing)).to_string());
        text.push('\n');
    }
    text
}
