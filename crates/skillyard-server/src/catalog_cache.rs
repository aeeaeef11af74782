//! The current catalog as an immutable snapshot; a reload replaces the whole snapshot, so that no
//! answer mixes two states.

pub(crate) mod edition;
pub(crate) mod prompt;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use parking_lot::{Mutex, RwLock};
use skillyard_catalog::finder::build_index;
use skillyard_catalog::search::{Detail, Hit, Index, Options};
use skillyard_catalog::source::SourceKind;
use skillyard_catalog::walk::WatchedPath;
use skillyard_catalog::{Catalog, CatalogSkill, Status};
use skillyard_format::package::Digest;
use tokio::sync::watch;

use self::prompt::PromptCache;
use crate::host::{Host, HostError};
use crate::problem::Problem;

/// The skills at hand.
#[derive(Debug)]
pub struct CatalogCache {
    current: RwLock<Arc<CatalogSnapshot>>,
    /// The files that decided about the state at hand, unless they may have changed unnoticed.
    decided: Mutex<Option<Vec<WatchedPath>>>,
    /// The state's fingerprint, for those who wait for changes.
    changes: watch::Sender<String>,
    /// How often it was looked, for those who wait for changes of single files.
    looks: watch::Sender<u64>,
}

/// One state of the catalog.
#[derive(Debug)]
pub struct CatalogSnapshot {
    /// The catalog.
    pub catalog: Catalog,
    /// A text that differs when any skill does.
    pub fingerprint: String,
    everything: OnceLock<Index>,
    choosable: OnceLock<Index>,
    pub(crate) prompts: PromptCache,
}

impl CatalogCache {
    /// The skills that `host` finds now.
    pub(crate) fn load(host: &dyn Host) -> Result<Self, HostError> {
        // Before it is looked: what changes meanwhile is noticed the next time.
        let decided = settled(host.deciders());
        let snapshot = CatalogSnapshot::new(host.load()?);
        let (changes, _) = watch::channel(snapshot.fingerprint.clone());
        Ok(Self {
            current: RwLock::new(Arc::new(snapshot)),
            decided: Mutex::new(decided),
            changes,
            looks: watch::channel(0).0,
        })
    }

    /// The state at hand.
    pub fn snapshot(&self) -> Arc<CatalogSnapshot> {
        Arc::clone(&self.current.read())
    }

    /// Looks again; tells whether anything is different.
    pub fn reload(&self, host: &dyn Host) -> Result<bool, HostError> {
        let decided = settled(host.deciders());
        let snapshot = CatalogSnapshot::new(host.load()?);
        let fingerprint = snapshot.fingerprint.clone();
        *self.decided.lock() = decided;
        *self.current.write() = Arc::new(snapshot);
        self.looks.send_modify(|looks| *looks += 1);
        Ok(self.changes.send_if_modified(|known| {
            let differs = *known != fingerprint;
            *known = fingerprint;
            differs
        }))
    }

    /// Whether a file that decides which skills may be used is not what it was.
    pub(crate) fn is_stale(&self, host: &dyn Host) -> bool {
        let now = host.deciders();
        let decided = self.decided.lock();
        decided.as_ref() != Some(&now)
    }

    /// Tells whenever something may have changed, be it a file that no catalog shows.
    pub(crate) fn looks(&self) -> watch::Receiver<u64> {
        self.looks.subscribe()
    }

    /// Tells of changes from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<String> {
        self.changes.subscribe()
    }
}

impl CatalogSnapshot {
    fn new(catalog: Catalog) -> Self {
        let fingerprint = fingerprint(&catalog);
        Self {
            catalog,
            fingerprint,
            everything: OnceLock::new(),
            choosable: OnceLock::new(),
            prompts: PromptCache::default(),
        }
    }

    /// The skill of a name, whether it may be used or not.
    pub(crate) fn known(&self, name: &str) -> Result<&CatalogSkill, Problem> {
        let found = self.catalog.find(name);
        found.ok_or_else(|| Problem::no_skill(name, self.catalog.nearest(name)))
    }

    /// The skill that a name refers to, usable or not; one of an untrusted project only if there is
    /// no other.
    pub(crate) fn meant(&self, name: &str) -> Result<&CatalogSkill, Problem> {
        let listed = self.known(name)?;
        Ok(self.catalog.resolve(name).unwrap_or(listed))
    }

    /// The skill of a name that may be asked for; of one that was altered or is revoked nothing is
    /// given, which is decided and recorded where its files are read.
    pub fn usable(&self, name: &str) -> Option<&CatalogSkill> {
        let name = skillyard_format::name::known_as(name);
        let is_revoked = |skill: &&CatalogSkill| matches!(skill.status, Status::Revoked { .. });
        let revoked = self.catalog.skills.iter().filter(is_revoked);
        self.catalog
            .enabled()
            .chain(self.catalog.altered())
            .chain(revoked)
            .find(|skill| *skill.record.name == name)
    }

    /// The skills a model may choose from.
    pub fn choosable(&self) -> Vec<&CatalogSkill> {
        self.catalog
            .enabled()
            .filter(|skill| skill.record.model_invocable)
            .collect()
    }

    /// A part of a list, and where the next begins. A cursor is of one state only.
    pub(crate) fn page<'a, T>(
        &self,
        all: &'a [T],
        cursor: Option<&str>,
        size: usize,
    ) -> Result<(&'a [T], Option<String>), Problem> {
        let first = match cursor {
            None => 0,
            Some(cursor) => cursor
                .split_once('-')
                .filter(|(state, _)| *state == self.fingerprint)
                .and_then(|(_, place)| place.parse::<usize>().ok())
                .filter(|place| *place <= all.len())
                .ok_or_else(|| Problem::bad("the skills have changed, or the cursor is none"))?,
        };
        let last = first.saturating_add(size).min(all.len());
        let next = (last < all.len()).then(|| format!("{}-{last}", self.fingerprint));
        Ok((&all[first..last], next))
    }

    /// The skills that words find, best first.
    pub fn search(&self, words: &str, limit: usize) -> Vec<(&CatalogSkill, f32)> {
        let skills: Vec<&CatalogSkill> = self.catalog.skills.iter().collect();
        ranked(&self.everything, &skills, words, limit)
    }

    /// The skills that fit a task, best first, of those a model may choose from.
    pub fn matching(&self, task: &str, limit: usize) -> Vec<(&CatalogSkill, f32)> {
        ranked(&self.choosable, &self.choosable(), task, limit)
    }

    /// The folders that skills lie in.
    pub fn roots(&self) -> Vec<PathBuf> {
        let sources = self.catalog.sources.iter();
        sources
            .filter(|source| source.kind != SourceKind::Builtin)
            .map(|source| source.root.clone())
            .collect()
    }
}

fn ranked<'a>(
    index: &OnceLock<Index>,
    skills: &[&'a CatalogSkill],
    words: &str,
    limit: usize,
) -> Vec<(&'a CatalogSkill, f32)> {
    let index = index.get_or_init(|| build_index(skills));
    let options = Options {
        limit,
        detail: Detail::Ranking,
        ..Options::default()
    };
    let hits = index.search(words, &options);
    let skill = |hit: &Hit| Some((*skills.get(hit.document as usize)?, hit.score));
    hits.iter().filter_map(skill).collect()
}

/// Files whose stamps tell when they change.
fn settled(files: Vec<WatchedPath>) -> Option<Vec<WatchedPath>> {
    let now = SystemTime::now();
    (!files.iter().any(|file| file.is_racy(now))).then_some(files)
}

fn fingerprint(catalog: &Catalog) -> String {
    let mut key = String::new();
    for skill in &catalog.skills {
        let record = &skill.record;
        let folder = record.folder.display();
        let _ = writeln!(key, "{folder}\n{:?}\n{:?}", record.stamp, skill.status);
    }
    for loser in &catalog.shadowed {
        let _ = writeln!(key, "-{}", loser.skill.record.folder.display());
    }
    for skipped in &catalog.skipped {
        let _ = writeln!(key, "?{} {}", skipped.path.display(), skipped.reason);
    }
    Digest::of(key.as_bytes()).to_hex()[..16].to_owned()
}
