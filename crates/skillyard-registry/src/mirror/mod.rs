//! A registry that is a copy of another one: what is taken in, once it is proven.
//!
//! The network is somebody else's business. What comes from it is believed only as far as the log
//! of the other registry proves it: its entries have to add up to the root that was signed, and
//! each archive has to have the digest of its entry.

mod error;

use bytes::Bytes;
use jiff::Timestamp;
use semver::Version;
use skillyard_format::{Digest, Namespace, QualifiedName};
use skillyard_trust::transparency::{SignedCheckpoint, leaf};

use crate::error::RegistryError;
use crate::names;
use crate::package;
use crate::registry::Registry;
use crate::role::Role;
use crate::store::upstream::Upstream;
use crate::store::{checkpoints, namespaces, owners, roles, skills, tags, upstream, versions};

pub use error::MirrorError;

/// An entry of the other registry's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The skill.
    pub name: QualifiedName,
    /// The version.
    pub version: Version,
    /// The digest of its archive.
    pub digest: Digest,
    /// Who signed it.
    pub signer: Option<String>,
}

/// What the other registry says about a version besides its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// When it was published.
    pub published: Option<Timestamp>,
    /// By whom.
    pub publisher: Option<String>,
}

/// What the other registry says about a skill now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
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

    /// Whether an archive is here already.
    pub async fn has(&self, digest: Digest) -> Result<bool, MirrorError> {
        Ok(self.registry.blobs.has(digest).await?)
    }

    /// Checks that what is here and the new entries are together what was signed, by the key that
    /// signed before.
    pub async fn check(
        &mut self,
        signed: &SignedCheckpoint,
        new: &[Entry],
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
        upstream::keep(&self.registry.database, &self.upstream).await?;
        Ok(())
    }

    /// Takes in an archive, which has to be the one that its entry names.
    pub async fn store(&self, entry: &Entry, archive: Bytes) -> Result<(), MirrorError> {
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

    /// Takes in the next entry of the log, whose archive was stored.
    pub async fn add(&self, entry: &Entry, told: &Told) -> Result<(), MirrorError> {
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
        let (mut change, sequence) = self.registry.database.change().await?;
        let folded = names::folded(&entry.name);
        match skills::lookalike(&mut change, &folded).await? {
            None => {
                let (name, version) = (&entry.name, &entry.version);
                skills::add(&mut change, name, &folded, version, sequence, time).await?;
            }
            Some(found) if found == entry.name.as_str() => {}
            Some(found) => {
                return Err(MirrorError::Entry {
                    name,
                    version,
                    problem: format!("its name looks like `{found}`"),
                });
            }
        }
        versions::add(&mut change, &package, publisher, sequence, time).await?;
        skills::refresh(&mut change, entry.name.as_str(), sequence).await?;
        change.commit().await?;
        Ok(())
    }

    /// Brings what can change about a skill up to date.
    pub async fn refresh(&self, name: &QualifiedName, state: &State) -> Result<(), MirrorError> {
        let now = self.registry.now();
        let text = name.as_str();
        let (mut change, sequence) = self.registry.database.change().await?;
        for (version, _) in versions::numbers(&mut change, text).await? {
            let yanked = state.yanked.iter().find(|(each, _)| *each == version);
            let reason = yanked.map(|(_, reason)| reason.as_str());
            versions::set_yanked(&mut change, text, &version, reason).await?;
        }
        tags::clear(&mut change, text).await?;
        for (tag, version) in &state.tags {
            if versions::find(&mut change, text, version).await?.is_some() {
                tags::set(&mut change, text, tag, version, now).await?;
            }
        }
        let instead = state.deprecated.as_deref();
        skills::set_deprecated(&mut change, text, instead, sequence).await?;
        // Who is none there any more is none here.
        roles::FOR_SKILLS.clear(&mut change, text).await?;
        for owner in &state.owners {
            let owner = owner.as_str();
            roles::FOR_SKILLS
                .set(&mut change, text, owner, Role::Owner, now)
                .await?;
        }
        if let Some(namespace) = name.namespace() {
            ensure(&mut change, namespace, now).await?;
            let roles = roles::IN_NAMESPACES;
            let within = namespace.as_str();
            // It has the owners of all its skills.
            roles.clear(&mut change, within).await?;
            for owner in owners::within(&mut change, within).await? {
                roles
                    .set(&mut change, within, &owner, Role::Owner, now)
                    .await?;
            }
        }
        skills::refresh(&mut change, text, sequence).await?;
        change.commit().await?;
        Ok(())
    }

    /// Notes that everything up to a checkpoint and a change was taken in.
    pub async fn finish(
        &mut self,
        signed: &SignedCheckpoint,
        sequence: i64,
    ) -> Result<(), MirrorError> {
        let database = &self.registry.database;
        checkpoints::keep(database, signed).await?;
        self.upstream.sequence = self.upstream.sequence.max(sequence);
        upstream::keep(database, &self.upstream).await?;
        Ok(())
    }
}

/// Makes a namespace, unless it is there.
async fn ensure(
    change: &mut sqlx::AnyConnection,
    namespace: &Namespace,
    now: Timestamp,
) -> Result<(), MirrorError> {
    let folded = names::folded_text(namespace.as_str());
    if namespaces::lookalike(change, &folded).await?.is_none() {
        namespaces::add(change, namespace, &folded, now).await?;
    }
    Ok(())
}
