//! One skill as clients fetch it: its file in the index and where its archives are.
//!
//! These two are nearly all that is ever asked of a registry, so they are kept in memory until
//! something changes.

use std::sync::Arc;

use axum::http::HeaderValue;
use bytes::Bytes;
use semver::Version;
use skillyard_format::{Digest, QualifiedName};

use crate::endpoints::index;
use crate::error::RegistryError;
use crate::server::Server;
use crate::store::versions::VersionRow;
use crate::store::{skills, tags, versions};

/// Archives up to this length are sent whole and kept; others are passed on piece by piece.
const SHORT: u64 = 256 * 1024;

/// What is fetched of one skill.
#[derive(Debug)]
pub(crate) struct Sheet {
    /// Its file in the index.
    pub(crate) text: Bytes,
    /// The tag of that file.
    pub(crate) tag: HeaderValue,
    /// The latest version, unless all of them were withdrawn.
    latest: Option<Version>,
    releases: Vec<Release>,
}

/// A version, as far as it matters for fetching it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Release {
    pub(crate) version: Version,
    pub(crate) digest: Digest,
    pub(crate) size: u64,
}

impl Sheet {
    /// The version that is named, or the latest.
    fn release(&self, version: Option<&Version>) -> Option<&Release> {
        let version = version.or(self.latest.as_ref())?;
        self.releases.iter().find(|each| each.version == *version)
    }

    /// About how many bytes it takes in memory.
    fn bytes(&self) -> usize {
        self.text.len() + self.releases.len() * size_of::<Release>() + 256
    }
}

impl Server {
    /// The sheet of a skill, as new as the request.
    pub(crate) async fn sheet(&self, name: &QualifiedName) -> Result<Arc<Sheet>, RegistryError> {
        let database = &self.registry.database;
        let sequence = self.registry.looks.sequence(database).await?;
        if let Some(sheet) = self.sheets.get(sequence, name.as_str()) {
            return Ok(sheet);
        }
        // All of it as it is at one moment: what one statement names, the next one has.
        let mut moment = database.snapshot().await?;
        let rows = versions::of(&mut *moment, name.as_str()).await?;
        if rows.is_empty() {
            return Err(RegistryError::NoSkill(name.to_string()));
        }
        let standing = skills::standing(&mut *moment, name.as_str()).await?;
        let tags = tags::of(&mut *moment, name.as_str()).await?;
        drop(moment);
        let text = index::text(name.as_str(), &rows, &tags, &standing);
        let tag = format!("\"{}\"", &Digest::of(text.as_bytes()).to_hex()[..32]);
        let sheet = Arc::new(Sheet {
            // It is kept, so it takes no more room than it needs.
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
        });
        let (key, bytes) = (name.to_string(), sheet.bytes());
        self.sheets.put(sequence, key, Arc::clone(&sheet), bytes);
        Ok(sheet)
    }

    /// A version of a skill to be fetched: the one that is named, or the latest.
    pub(crate) async fn release(
        &self,
        name: &QualifiedName,
        version: Option<&Version>,
    ) -> Result<Release, RegistryError> {
        let sheet = match (self.sheet(name).await, version) {
            (Err(RegistryError::NoSkill(_)), Some(version)) => return Err(missing(name, version)),
            (sheet, _) => sheet?,
        };
        match (sheet.release(version), version) {
            (Some(release), _) => Ok(release.clone()),
            (None, Some(version)) => Err(missing(name, version)),
            // Nothing new chooses a version that was withdrawn.
            (None, None) => Err(RegistryError::Withdrawn(name.to_string())),
        }
    }

    /// The archive of a version, if it is short enough to be held in memory.
    pub(crate) async fn short_archive(
        &self,
        release: &Release,
    ) -> Result<Option<Bytes>, RegistryError> {
        // A digest belongs to its bytes for good, whatever changes.
        const FOR_GOOD: i64 = 0;
        if release.size > SHORT {
            return Ok(None);
        }
        if let Some(bytes) = self.archives.get(FOR_GOOD, &release.digest) {
            return Ok(Some(bytes));
        }
        let bytes = self.registry.blobs.read(release.digest).await?;
        if bytes.len() as u64 != release.size {
            let reason = format!("the archive {} has another length", release.digest);
            return Err(RegistryError::internal(reason));
        }
        let (kept, length) = (bytes.clone(), bytes.len());
        self.archives.put(FOR_GOOD, release.digest, kept, length);
        Ok(Some(bytes))
    }
}

/// The latest version, if it is for anybody new.
fn offered(rows: &[VersionRow], latest: Option<Version>) -> Option<Version> {
    let is_offered = |version: &Version| {
        let mut rows = rows.iter();
        rows.any(|row| row.version == *version && row.yanked.is_none())
    };
    latest.filter(is_offered)
}

fn missing(name: &QualifiedName, version: &Version) -> RegistryError {
    RegistryError::NoVersion {
        skill: name.to_string(),
        version: version.to_string(),
    }
}
