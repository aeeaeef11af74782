//! A run: entries that are proven, archives, and what became of skills, shown at once at the end.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use skillyard_format::QualifiedName;
use skillyard_install::fetch::registry::{LogEntry, Registry as _};
use skillyard_registry::Registry;
use skillyard_registry::mirror::{Mirror, MirrorEntry, MirrorError, MirrorState, Missing, Run};

use super::taking::{MAX_PARALLEL_DOWNLOADS, Taking};
use crate::commands::registry::mirror::{Had, MirrorSource};
use crate::context::Context;
use crate::error::registry::RegistryFailure;
use crate::error::{CommandError, ExitStatus};

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
    /// Whether changes that were read before are undone there, so that all were read again.
    pub(super) set_back: bool,
    /// Whether nothing of what is new, or nothing at all, could be had.
    pub(super) is_vain: bool,
    /// Whether the registry lets nobody in without a token.
    pub(super) is_private: bool,
    /// Versions that could not be had, and why.
    pub(super) absent: Missing,
    /// Skills of which nothing newer could be had, and why.
    pub(super) stale: BTreeMap<String, String>,
}

/// Takes in what another registry has.
pub(super) async fn copy(
    context: &Context,
    source: &MirrorSource,
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
        for (number, part) in some.chunks(MAX_PARALLEL_DOWNLOADS * 4).enumerate() {
            taking.take(part).await?;
            let done = (number * MAX_PARALLEL_DOWNLOADS * 4 + part.len()).min(some.len());
            context.printer.detail(&format!("{done} of {}", some.len()));
        }
    }
    let Changed {
        names,
        since,
        mut sequence,
    } = changed(source, mirror.sequence()).await?;
    copied.set_back = since < mirror.sequence();
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
                sequence = since;
            }
        }
    }
    copied.changed = states.len();
    let missed = new.iter().filter(|entry| copied.misses(entry)).count();
    copied.is_vain = (missed > 0 && missed == new.len())
        || (copied.changed == 0 && !copied.stale.is_empty())
        || (size > 0 && copied.absent.len() >= size);
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
    /// No, where a copy that looks as if all were well would not have what is new.
    pub(super) fn status(&self) -> ExitStatus {
        if self.is_vain {
            ExitStatus::Negative
        } else {
            ExitStatus::Success
        }
    }

    /// Notes that an entry cannot be had.
    pub(super) fn miss(&mut self, entry: &MirrorEntry, reason: String) {
        let key = (entry.name.to_string(), entry.version.to_string());
        self.absent.entry(key).or_insert(reason);
    }

    /// Whether it was noted so.
    pub(super) fn misses(&self, entry: &MirrorEntry) -> bool {
        let key = (entry.name.to_string(), entry.version.to_string());
        self.absent.contains_key(&key)
    }
}

/// The entries of the log from `have` to `size`.
async fn entries(
    source: &MirrorSource,
    have: usize,
    size: usize,
) -> Result<Vec<MirrorEntry>, CommandError> {
    let mut all: Vec<MirrorEntry> = Vec::new();
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

fn read(entry: LogEntry) -> Result<MirrorEntry, CommandError> {
    let name = entry.name.parse::<QualifiedName>();
    let name = name.map_err(|problem| {
        let problem = format!("an entry has a name that nothing can have: {problem}");
        RegistryFailure::from(MirrorError::Log(problem))
    })?;
    Ok(MirrorEntry {
        name,
        version: entry.version,
        digest: entry.digest,
        signer: entry.signer,
    })
}

/// Skills that changed.
struct Changed {
    names: Vec<QualifiedName>,
    /// The change after which it was asked: the one that was read last, or 0.
    since: i64,
    /// The number of the last change.
    sequence: i64,
}

/// The skills that changed after a change, or all of them where the registry has not even come to
/// that one: it was set back to what it was before, or the number was a lie.
async fn changed(source: &MirrorSource, since: i64) -> Result<Changed, CommandError> {
    let mut changed = Changed {
        names: Vec::new(),
        since,
        sequence: since,
    };
    loop {
        let after = changed.sequence;
        let answer = source
            .ask(move |remote, asked| asked.changes(&remote.http, after))
            .await?;
        let reached = answer.last.unwrap_or(i64::MAX);
        if changed.since > 0 && reached < changed.since {
            (changed.since, changed.sequence) = (0, 0);
            continue;
        }
        let known = answer.skills.iter();
        changed
            .names
            .extend(known.filter_map(|each| each.name.parse().ok()));
        match answer.skills.iter().map(|each| each.sequence).max() {
            // A number that is not reached yet would hide the changes up to it from the next run.
            Some(last) if last > reached => {
                changed.sequence = changed.since;
                return Ok(changed);
            }
            Some(last) if last > after => changed.sequence = last,
            _ => return Ok(changed),
        }
    }
}

/// What can change about a skill, as it is now.
async fn state(
    source: &MirrorSource,
    name: &QualifiedName,
) -> Result<Had<MirrorState>, CommandError> {
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
        MirrorState {
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
