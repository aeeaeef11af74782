//! A registry that is a copy of another one: what is taken in, once it is proven.
//!
//! The network is somebody else's business. What comes from it is believed only as far as the log
//! of the other registry proves it: its entries have to add up to the root that was signed, and
//! each archive has to have the digest of its entry.

mod showing;

use bytes::Bytes;
use jiff::Timestamp;
use semver::Version;
pub use showing::{Missing, Run};
use skillyard_format::{Digest, QualifiedName};
use skillyard_trust::transparency::{CheckpointError, SignedCheckpoint, leaf};

use crate::blobs::BlobError;
use crate::database::DatabaseError;
use crate::error::RegistryError;
use crate::package;
use crate::package::Refusal;
use crate::registry::Registry;
use crate::store::logged::LoggedRow;
use crate::store::upstream::Upstream;
use crate::store::{arrivals, logged, upstream};

/// The longest version that is asked for: longer ones are in no address and no name of a file.
const MAX_REASON_LENGTH: usize = 200;

/// An entry of the other registry's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorEntry {
    /// The skill.
    pub name: QualifiedName,
    /// The version.
    pub version: Version,
    /// The digest of its archive.
    pub digest: Digest,
    /// Who signed it.
    pub signer: Option<String>,
}

impl MirrorEntry {
    /// Why it is not even asked for, if it is not.
    pub fn unbearable(&self) -> Option<String> {
        let length = self.version.to_string().chars().count();
        (length > MAX_REASON_LENGTH).then(|| format!("its version has {length} characters"))
    }
}

/// What the other registry says about a version besides its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MirrorEvent {
    /// When it was published.
    pub published: Option<Timestamp>,
    /// By whom.
    pub publisher: Option<String>,
}

/// What the other registry says about a skill now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MirrorState {
    /// Which versions are withdrawn, and why.
    pub yanked: Vec<(Version, String)>,
    /// Its tags.
    pub tags: Vec<(String, Version)>,
    /// What to use instead.
    pub deprecated: Option<String>,
    /// Its owners.
    pub owners: Vec<String>,
}

/// A mirror that takes things in.
pub struct Mirror<'a> {
    registry: &'a Registry,
    upstream: Upstream,
}

impl<'a> Mirror<'a> {
    /// Makes an empty registry a mirror, or goes on with one.
    pub async fn open(registry: &'a Registry, url: &str) -> Result<Self, MirrorError> {
        let database = &registry.database;
        let found = upstream::find(database).await?;
        let upstream = match found {
            Some(found) if found.url == url => found,
            Some(found) => {
                return Err(MirrorError::OtherMirror {
                    here: found.url,
                    wanted: url.to_owned(),
                });
            }
            None => {
                if database.sequence().await? > 0 {
                    return Err(MirrorError::NotAMirror(url.to_owned()));
                }
                Upstream {
                    url: url.to_owned(),
                    key: String::new(),
                    sequence: 0,
                }
            }
        };
        Ok(Self { registry, upstream })
    }

    /// How many entries of the log were taken in.
    pub async fn size(&self) -> Result<usize, MirrorError> {
        let log = self.registry.log.read(&self.registry.database).await?;
        Ok(log.tree.size())
    }

    /// The last change of the other registry that was taken in.
    pub fn sequence(&self) -> i64 {
        self.upstream.sequence
    }

    /// Entries that could not be had before, in the order of the log.
    pub async fn absent(&self) -> Result<Vec<MirrorEntry>, MirrorError> {
        let rows = logged::missing(&self.registry.database).await?;
        let read = |row: LoggedRow| {
            Some(MirrorEntry {
                name: row.skill.parse().ok()?,
                version: Version::parse(&row.version).ok()?,
                digest: row.digest,
                signer: row.signer,
            })
        };
        // They were written from entries, so all of them are.
        Ok(rows.into_iter().filter_map(read).collect())
    }

    /// Whether an archive is here already.
    pub async fn has(&self, digest: Digest) -> Result<bool, MirrorError> {
        Ok(self.registry.blobs.has(digest).await?)
    }

    /// Whether an entry was taken in by a run that was broken off.
    pub async fn has_arrived(&self, entry: &MirrorEntry) -> Result<bool, MirrorError> {
        let mut connection = self.registry.database.pool().acquire().await?;
        let found = arrivals::find(&mut connection, entry.name.as_str(), &entry.version).await?;
        Ok(found.is_some_and(|found| found.digest == entry.digest && found.signer == entry.signer))
    }

    /// Checks that what is here and the new entries are together what was signed, by the key that
    /// signed before.
    pub async fn check(
        &mut self,
        signed: &SignedCheckpoint,
        new: &[MirrorEntry],
    ) -> Result<(), MirrorError> {
        let known = Some(self.upstream.key.as_str()).filter(|key| !key.is_empty());
        let key = signed.check(known)?;
        let log = self.registry.log.read(&self.registry.database).await?;
        let mut tree = log.tree.clone();
        drop(log);
        let size = usize::try_from(signed.checkpoint.size).unwrap_or(usize::MAX);
        if size < tree.size() {
            let problem = format!(
                "it has {size} entries, and {} were taken in before",
                tree.size()
            );
            return Err(MirrorError::Log(problem));
        }
        for entry in new {
            tree.push(leaf(
                entry.name.as_str(),
                &entry.version.to_string(),
                entry.digest,
                entry.signer.as_deref(),
            ));
        }
        if tree.size() != size || tree.root(size) != Some(signed.checkpoint.root) {
            let problem = "its entries are not what was signed, or not those of last time";
            return Err(MirrorError::Log(problem.to_owned()));
        }
        self.upstream.key = key;
        upstream::keep(self.registry.database.pool(), &self.upstream).await?;
        Ok(())
    }

    /// Takes in an archive, which has to be the one that its entry names.
    pub async fn store(&self, entry: &MirrorEntry, archive: Bytes) -> Result<(), MirrorError> {
        let found = Digest::of(&archive);
        if found != entry.digest {
            return Err(MirrorError::Entry {
                name: entry.name.to_string(),
                version: entry.version.to_string(),
                problem: format!("its archive is {found}, and the log says {}", entry.digest),
            });
        }
        Ok(self.registry.blobs.put(entry.digest, archive).await?)
    }

    /// Takes in an entry of the log, whose archive was stored; nobody sees it before the run is over.
    pub async fn add(&self, entry: &MirrorEntry, told: &MirrorEvent) -> Result<(), MirrorError> {
        let archive = self.registry.blobs.read(entry.digest).await?;
        let now = self.registry.now();
        let inspected = tokio::task::spawn_blocking(move || package::inspect(archive, now)).await;
        let inspected = inspected.map_err(RegistryError::internal)?;
        let (name, version) = (entry.name.to_string(), entry.version.to_string());
        let mut package = inspected.map_err(|problem| MirrorError::Unreadable {
            name: name.clone(),
            version: version.clone(),
            problem: Box::new(problem),
        })?;
        if package.name.name() != entry.name.name() || package.version != entry.version {
            return Err(MirrorError::Entry {
                name,
                version,
                problem: format!("its archive is `{}@{}`", package.name, package.version),
            });
        }
        package.name = entry.name.clone();
        // As it stands in the log; a signature that we cannot read is no reason to differ.
        package.signer.clone_from(&entry.signer);
        let time = told.published.unwrap_or(now);
        let publisher = told.publisher.as_deref().unwrap_or("unknown");
        arrivals::keep(&self.registry.database, &package, publisher, time).await?;
        Ok(())
    }
}

/// Why something was not taken in.
#[derive(Debug, thiserror::Error)]
pub enum MirrorError {
    /// The registry here has skills of its own.
    #[error("the registry here is not an empty one or a mirror of {0}")]
    NotAMirror(String),
    /// The registry here is a mirror of another one.
    #[error("the registry here is a mirror of {here}, and not of {wanted}")]
    OtherMirror {
        /// What it is a mirror of.
        here: String,
        /// What it was to be a mirror of.
        wanted: String,
    },
    /// The signature on the log.
    #[error("the log of the registry cannot be believed: {0}")]
    Checkpoint(#[from] CheckpointError),
    /// The log does not begin with what was taken in before, or is not what was signed.
    #[error("the log of the registry cannot be believed: {0}")]
    Log(String),
    /// Two runs at once.
    #[error("another run took something in meanwhile")]
    Overtaken,
    /// The archive is not the one of the log.
    #[error("`{name}@{version}`: {problem}")]
    Entry {
        /// The skill.
        name: String,
        /// The version.
        version: String,
        /// What is wrong.
        problem: String,
    },
    /// The archive cannot be read.
    #[error("`{name}@{version}` cannot be taken in: {problem}")]
    Unreadable {
        /// The skill.
        name: String,
        /// The version.
        version: String,
        /// Why.
        problem: Box<Refusal>,
    },
    /// The database.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The archives.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// Something else.
    #[error(transparent)]
    Registry(Box<RegistryError>),
}

impl From<RegistryError> for MirrorError {
    fn from(error: RegistryError) -> Self {
        Self::Registry(Box::new(error))
    }
}

impl From<sqlx::Error> for MirrorError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error.into())
    }
}
