//! A run: entries that are proven, archives, and what became of skills, shown at once at the end.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use skillyard_format::QualifiedName;
use skillyard_install::fetch::DOWNLOAD_LIMIT;
use skillyard_install::fetch::registry::{Listing, LogEntry, Registry as _};
use skillyard_registry::Registry;
use skillyard_registry::mirror::{Entry, Mirror, MirrorError, Missing, Run, State, Told};

use super::source::{Asked, Had, Source, had};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::registry::RegistryFailure;

/// How many archives are fetched at once.
const AT_ONCE: usize = 8;

/// What was done.
#[derive(Debug, Default)]
pub(super) struct Copied {
    /// How many entries the log has.
    pub(super) entries: usize,
    /// How many of them are new.
    pub(super) new: usize,
    /// How many archives were fetched.
    pub(super) fetched: usize,
    /// How many skills were brought up to date.
    pub(super) changed: usize,
    /// Versions that could not be had, and why.
    pub(super) absent: Missing,
    /// Skills of which nothing newer could be had, and why.
    pub(super) stale: BTreeMap<String, String>,
}

/// Takes in what another registry has.
pub(super) async fn copy(
    context: &Context,
    source: &Source,
    registry: &Registry,
) -> Result<Copied, CommandError> {
    let failed = RegistryFailure::from;
    let url = source.0.address();
    let mut mirror = Mirror::open(registry, &url).await.map_err(failed)?;
    let have = mirror.size().await.map_err(failed)?;
    let signed = source
        .ask(|remote, asked| asked.checkpoint(&remote.http))
        .await?;
    let size = usize::try_from(signed.checkpoint.size).unwrap_or(usize::MAX);
    let new = entries(source, have, size).await?;
    mirror.check(&signed, &new).await.map_err(failed)?;
    let mut copied = Copied {
        entries: size,
        new: new.len(),
        ..Copied::default()
    };
    // What could not be had before may be there now.
    let before = mirror.absent().await.map_err(failed)?;
    let mut taking = Taking {
        source,
        mirror: &mirror,
        listings: HashMap::new(),
        copied: &mut copied,
    };
    for some in [&before[..], &new[..]] {
        for (number, part) in some.chunks(AT_ONCE * 4).enumerate() {
            taking.take(part).await?;
            let done = (number * AT_ONCE * 4 + part.len()).min(some.len());
            context.printer.detail(&format!("{done} of {}", some.len()));
        }
    }
    let (names, mut sequence) = changed(source, mirror.sequence()).await?;
    // A version that was withdrawn or tagged on its way here is not among the changes any more.
    let arrived = new.iter().chain(&before);
    let arrived = arrived.filter(|entry| !copied.misses(entry));
    let arrived: Vec<&QualifiedName> = arrived.map(|entry| &entry.name).collect();
    let names: BTreeSet<&QualifiedName> = names.iter().chain(arrived).collect();
    let mut states = Vec::new();
    for name in names {
        match state(source, name).await? {
            Ok(state) => states.push((name.clone(), state)),
            Err(reason) => {
                // Whether its versions were withdrawn is not known, so none of them is shown.
                for entry in new.iter().chain(&before).filter(|each| each.name == *name) {
                    copied.miss(entry, reason.clone());
                }
                copied.stale.insert(name.to_string(), reason);
                sequence = mirror.sequence();
            }
        }
    }
    copied.changed = states.len();
    let run = Run {
        signed: &signed,
        new: &new,
        missing: &copied.absent,
        states: &states,
        sequence,
    };
    mirror.finish(run).await.map_err(failed)?;
    Ok(copied)
}

impl Copied {
    /// Notes that an entry cannot be had.
    fn miss(&mut self, entry: &Entry, reason: String) {
        let key = (entry.name.to_string(), entry.version.to_string());
        self.absent.entry(key).or_insert(reason);
    }

    fn misses(&self, entry: &Entry) -> bool {
        let key = (entry.name.to_string(), entry.version.to_string());
        self.absent.contains_key(&key)
    }
}

/// The entries of the log from `have` to `size`.
async fn entries(source: &Source, have: usize, size: usize) -> Result<Vec<Entry>, CommandError> {
    let mut all: Vec<Entry> = Vec::new();
    while have + all.len() < size {
        let from = have + all.len();
        let some = source
            .ask(move |remote, asked| asked.log_entries(&remote.http, from))
            .await?;
        if some.is_empty() {
            break;
        }
        for entry in some.into_iter().take(size - from) {
            all.push(read(entry)?);
        }
    }
    Ok(all)
}

fn read(entry: LogEntry) -> Result<Entry, CommandError> {
    let name = entry.name.parse::<QualifiedName>();
    let name = name.map_err(|problem| {
        let problem = format!("an entry has a name that nothing can have: {problem}");
        RegistryFailure::from(MirrorError::Log(problem))
    })?;
    Ok(Entry {
        name,
        version: entry.version,
        digest: entry.digest,
        signer: entry.signer,
    })
}

/// The skills that changed after a change, and the number of the last change.
async fn changed(
    source: &Source,
    mut sequence: i64,
) -> Result<(Vec<QualifiedName>, i64), CommandError> {
    let mut names = Vec::new();
    loop {
        let since = sequence;
        let changes = source
            .ask(move |remote, asked| asked.changes(&remote.http, since))
            .await?;
        let Some(last) = changes.iter().map(|each| each.sequence).max() else {
            return Ok((names, sequence));
        };
        let known = changes.iter().filter_map(|each| each.name.parse().ok());
        names.extend(known);
        sequence = sequence.max(last);
    }
}

/// Entries on their way here.
struct Taking<'a, 'b> {
    source: &'a Source,
    mirror: &'a Mirror<'b>,
    listings: HashMap<QualifiedName, Had<Listing>>,
    copied: &'a mut Copied,
}

impl Taking<'_, '_> {
    /// Takes in some entries; one that cannot be had keeps nothing else from coming.
    async fn take(&mut self, entries: &[Entry]) -> Result<(), CommandError> {
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
    async fn fetch(&mut self, entries: &[Entry]) -> Result<(), CommandError> {
        let mut seen = HashSet::new();
        let mut missing = Vec::new();
        for entry in entries.iter().filter(|entry| !self.copied.misses(entry)) {
            let is_here = self.mirror.has(entry.digest).await;
            if !is_here.map_err(RegistryFailure::from)? && seen.insert(entry.digest) {
                missing.push(entry);
            }
        }
        let mut lost = HashMap::new();
        for some in missing.chunks(AT_ONCE) {
            let asked: Vec<Asked<Vec<u8>>> = some
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
    async fn listing(&mut self, name: &QualifiedName) -> Result<&Had<Listing>, CommandError> {
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
fn told(listing: &Listing, entry: &Entry) -> Told {
    let mut lines = listing.versions.iter();
    let line = lines.find(|each| each.version == entry.version);
    Told {
        published: line.and_then(|line| line.published.as_deref()?.parse().ok()),
        publisher: line.and_then(|line| line.publisher.clone()),
    }
}

/// What can change about a skill, as it is now.
async fn state(source: &Source, name: &QualifiedName) -> Result<Had<State>, CommandError> {
    let wanted = name.clone();
    let asked = source
        .try_ask(move |remote, asked| {
            let listing = asked.versions(&remote.http, &wanted)?;
            Ok((listing, asked.details(&remote.http, &wanted)?))
        })
        .await?;
    Ok(asked.map(|(listing, details)| {
        let yanked = listing.versions.iter().filter(|each| each.yanked);
        let tags = listing.versions.iter().flat_map(|each| {
            let tags = each.dist_tags.iter();
            tags.map(|tag| (tag.clone(), each.version.clone()))
        });
        State {
            yanked: yanked
                .map(|each| {
                    let reason = each.yank_reason.clone().unwrap_or_default();
                    (each.version.clone(), reason)
                })
                .collect(),
            tags: tags.collect(),
            deprecated: details.deprecated,
            owners: details.owners,
        }
    }))
}
