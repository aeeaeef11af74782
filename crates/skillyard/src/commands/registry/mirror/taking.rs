//! The taking in of entries: their archives, and what the index says of them.

use std::collections::{HashMap, HashSet};

use skillyard_format::QualifiedName;
use skillyard_install::fetch::DOWNLOAD_LIMIT;
use skillyard_install::fetch::registry::{Registry as _, VersionListing};
use skillyard_registry::mirror::{Mirror, MirrorEntry, MirrorError, MirrorEvent};

use super::copying::Copied;
use crate::commands::registry::mirror::{Had, MirrorSource, PendingQuery, had};
use crate::error::CommandError;
use crate::error::registry::RegistryFailure;

/// How many archives are fetched at once.
pub(super) const MAX_PARALLEL_DOWNLOADS: usize = 8;

/// Entries on their way here.
pub(super) struct Taking<'a, 'b> {
    pub(super) source: &'a MirrorSource,
    pub(super) mirror: &'a Mirror<'b>,
    pub(super) listings: HashMap<QualifiedName, Had<VersionListing>>,
    pub(super) copied: &'a mut Copied,
}

impl Taking<'_, '_> {
    /// Takes in some entries; one that cannot be had keeps nothing else from coming.
    pub(super) async fn take(&mut self, entries: &[MirrorEntry]) -> Result<(), CommandError> {
        for entry in entries {
            if let Some(reason) = entry.unbearable() {
                self.copied.miss(entry, reason);
            }
        }
        self.fetch(entries).await?;
        for entry in entries {
            let has_arrived = self.mirror.has_arrived(entry).await;
            if self.copied.misses(entry) || has_arrived.map_err(RegistryFailure::from)? {
                continue;
            }
            let told = match self.listing(&entry.name).await? {
                Ok(listing) => told(listing, entry),
                Err(reason) => {
                    let reason = reason.clone();
                    self.copied.miss(entry, reason);
                    continue;
                }
            };
            match self.mirror.add(entry, &told).await {
                Ok(()) => {}
                Err(MirrorError::Unreadable { problem, .. }) => {
                    self.copied.miss(entry, problem.to_string());
                }
                Err(error) => return Err(RegistryFailure::from(error).into()),
            }
        }
        Ok(())
    }

    /// Fetches the archives that are not here yet, several at once.
    async fn fetch(&mut self, entries: &[MirrorEntry]) -> Result<(), CommandError> {
        let mut seen = HashSet::new();
        let mut missing = Vec::new();
        for entry in entries.iter().filter(|entry| !self.copied.misses(entry)) {
            let is_here = self.mirror.has(entry.digest).await;
            if !is_here.map_err(RegistryFailure::from)? && seen.insert(entry.digest) {
                missing.push(entry);
            }
        }
        let mut lost = HashMap::new();
        for some in missing.chunks(MAX_PARALLEL_DOWNLOADS) {
            let asked: Vec<PendingQuery<Vec<u8>>> = some
                .iter()
                .map(|entry| {
                    let (name, version) = (entry.name.clone(), entry.version.clone());
                    self.source.begin(move |remote, asked| {
                        asked.archive(&remote.http, &name, &version, DOWNLOAD_LIMIT)
                    })
                })
                .collect();
            for (entry, asked) in some.iter().zip(asked) {
                match had(asked).await? {
                    Ok(archive) => {
                        let stored = self.mirror.store(entry, archive.into()).await;
                        stored.map_err(RegistryFailure::from)?;
                        self.copied.fetched += 1;
                    }
                    Err(reason) => {
                        lost.insert(entry.digest, reason);
                    }
                }
            }
        }
        for entry in entries {
            if let Some(reason) = lost.get(&entry.digest) {
                self.copied.miss(entry, reason.clone());
            }
        }
        Ok(())
    }

    /// The index of a skill, asked for once.
    async fn listing(
        &mut self,
        name: &QualifiedName,
    ) -> Result<&Had<VersionListing>, CommandError> {
        if !self.listings.contains_key(name) {
            let wanted = name.clone();
            let question = self
                .source
                .try_ask(move |remote, asked| asked.versions(&remote.http, &wanted));
            self.listings.insert(name.clone(), question.await?);
        }
        self.listings.get(name).ok_or(CommandError::Stopped)
    }
}

/// What an index says about an entry.
fn told(listing: &VersionListing, entry: &MirrorEntry) -> MirrorEvent {
    let mut lines = listing.versions.iter();
    let line = lines.find(|each| each.version == entry.version);
    MirrorEvent {
        published: line.and_then(|line| line.published.as_deref()?.parse().ok()),
        publisher: line.and_then(|line| line.publisher.clone()),
    }
}
