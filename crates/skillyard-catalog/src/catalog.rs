//! All skills that were found: a winner and its losers for each name, and why the others
//! are not there.

use std::path::{Path, PathBuf};

use crate::builtin;
use crate::index::{self, IndexFile, IndexUse, Place, Scan, Snapshot};
use crate::record::{Reading, Record};
use crate::requires::Commands;
use crate::same::is_same_skill;
use crate::selection::Selection;
use crate::source::{Source, SourceKind, Surroundings};
pub use crate::status::Status;
use crate::walk::{Links, Skipped, WalkLimits};

/// Everything a catalog depends on.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Where to look.
    pub surroundings: Surroundings,
    /// How far to look.
    pub limits: WalkLimits,
    /// Which skills are wanted.
    pub selection: Selection,
    /// Whether the user trusts the project.
    pub project_trust: ProjectTrust,
    /// The folders of `PATH`.
    pub command_folders: Vec<PathBuf>,
    /// The folder of the persistent index; `None` to walk everything.
    pub index_folder: Option<PathBuf>,
    /// Whether the index stays as it is, whatever is found.
    pub leaves_index: bool,
}

/// Whether skills of the project may reach a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProjectTrust {
    /// The user trusts the project's folder.
    Trusted,
    /// The user has not said so.
    #[default]
    Untrusted,
}

/// All skills that were found.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// The winners, in order of their sources and then of their names.
    pub skills: Vec<CatalogSkill>,
    /// Skills with other content that lost to a winner of the same name.
    pub shadowed: Vec<Shadowed>,
    /// What was passed over.
    pub skipped: Vec<Skipped>,
    /// The sources, in order of precedence.
    pub sources: Vec<Source>,
    /// How much of the index was still true.
    pub index_use: IndexUse,
    /// Skills with the content of a winner, where it or they cannot be used.
    copies: Vec<CatalogSkill>,
}

/// A skill and its standing.
#[derive(Debug, Clone)]
pub struct CatalogSkill {
    /// What its file says.
    pub record: Box<Record>,
    /// Where it came from: a place in [`Catalog::sources`].
    pub source: usize,
    /// The kind of that source.
    pub kind: SourceKind,
    /// Its standing.
    pub status: Status,
}

/// A skill that lost to another of the same name.
#[derive(Debug, Clone)]
pub struct Shadowed {
    /// The loser.
    pub skill: CatalogSkill,
    /// The folder of the winner.
    pub winner: PathBuf,
}

impl Catalog {
    /// Finds every skill.
    pub fn load(settings: &Settings) -> Self {
        let sources = settings.surroundings.sources();
        let places: Vec<Place> = sources
            .iter()
            .filter(|source| source.kind != SourceKind::Builtin)
            .map(|source| Place::new(&source.root))
            .collect();
        let scan = Scan {
            limits: settings.limits,
            links: Links::Within(allowed_roots(&settings.surroundings, &places)),
        };
        let file = settings
            .index_folder
            .as_deref()
            .map(|folder| index::file_for(folder, &places, &scan));
        let decide = |snapshots| Self::of(snapshots, &sources, settings);
        let file = file.as_deref().map(|path| IndexFile {
            path,
            stays: settings.leaves_index,
        });
        let (mut catalog, index_use) = index::load(&places, &scan, file, decide);
        catalog.index_use = index_use;
        catalog
    }

    /// The catalog of what the sources on this machine hold.
    fn of(snapshots: Vec<Snapshot>, sources: &[Source], settings: &Settings) -> Self {
        let mut skipped = Vec::new();
        let mut records: Vec<(usize, Box<Record>)> = Vec::new();
        let mut snapshots = snapshots.into_iter();
        for (at, source) in sources.iter().enumerate() {
            if source.kind == SourceKind::Builtin {
                records.extend(builtin::records().map(|record| (at, record)));
                continue;
            }
            let Some(snapshot) = snapshots.next() else {
                continue;
            };
            skipped.extend(snapshot.skipped);
            records.reserve(snapshot.readings.len());
            for reading in snapshot.readings {
                match reading {
                    Reading::Skill(record) => records.push((at, record)),
                    Reading::Unloadable(unloadable) => skipped.push(Skipped {
                        path: unloadable.path,
                        reason: unloadable.reason,
                    }),
                }
            }
        }
        skipped.sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
        let mut catalog = Self {
            skills: Vec::with_capacity(records.len()),
            shadowed: Vec::new(),
            skipped,
            sources: sources.to_vec(),
            index_use: IndexUse::default(),
            copies: Vec::new(),
        };
        catalog.decide(records, settings);
        catalog
    }

    /// Lets the first of each name win and gives every winner its standing.
    fn decide(&mut self, records: Vec<(usize, Box<Record>)>, settings: &Settings) {
        let mut commands = Commands::new(settings.command_folders.clone());
        // Mostly nobody said anything, which need not be found out for each skill.
        let selection = Some(&settings.selection).filter(|selection| !selection.is_silent());
        let order = by_name(&records);
        let is_sorted = is_sorted_by_source(&records, &order);
        let first = first_of_each_name(&records, &order);
        // Where a winner went, by its place among the records.
        let mut places = vec![0; records.len()];
        for (at, (source, record)) in records.into_iter().enumerate() {
            let kind = self.sources[source].kind;
            let status = match selection.and_then(|all| all.reason_against(&record.name)) {
                Some(reason) => Status::Disabled { reason },
                None => standing(&record, kind, settings.project_trust, &mut commands),
            };
            let skill = CatalogSkill {
                record,
                source,
                kind,
                status,
            };
            if first[at] == at {
                places[at] = self.skills.len();
                self.skills.push(skill);
                continue;
            }
            let winner = &self.skills[places[first[at]]];
            if !is_same_skill(&winner.record, &skill.record) {
                let winner = winner.record.folder.clone();
                self.shadowed.push(Shadowed { skill, winner });
            } else if winner.status != Status::Enabled || skill.status != Status::Enabled {
                self.copies.push(skill);
            }
        }
        if !is_sorted {
            self.skills
                .sort_by(|a, b| (a.source, &*a.record.name).cmp(&(b.source, &*b.record.name)));
        }
    }

    /// Keeps out of prompts what could reach one and is revoked, as `why` says.
    ///
    /// Nothing else is asked about: a project that is not trusted takes no skill away, be it
    /// with something that is revoked.
    pub fn withdraw(&mut self, why: impl Fn(&CatalogSkill) -> Option<String>) {
        let losers = self.shadowed.iter_mut().map(|each| &mut each.skill);
        let all = self.skills.iter_mut().chain(losers).chain(&mut self.copies);
        for skill in all.filter(|skill| skill.status == Status::Enabled) {
            if let Some(reason) = why(skill) {
                skill.status = Status::Revoked { reason };
            }
        }
    }

    /// The winner of a name.
    pub fn find(&self, name: &str) -> Option<&CatalogSkill> {
        let name = skillyard_format::name::normalise(name);
        self.skills.iter().find(|skill| *skill.record.name == name)
    }

    /// The skill that a name means to whoever uses it.
    ///
    /// A project that is not trusted wins its names in a listing only: what would be there without
    /// the project is meant, even where that cannot be used. Where there is nothing else, it is the
    /// untrusted one.
    pub fn meant(&self, name: &str) -> Option<&CatalogSkill> {
        let winner = self.find(name)?;
        if winner.status != Status::Untrusted {
            return Some(winner);
        }
        let name = &winner.record.name;
        let next = || {
            let others = self.losers(name);
            others
                .filter(|other| other.status != Status::Untrusted)
                .min_by_key(|other| other.source)
        };
        Some(self.stand_in(name).or_else(next).unwrap_or(winner))
    }

    /// Every skill that was found, also one that lost to another, but for copies of what can be used.
    pub fn all(&self) -> impl Iterator<Item = &CatalogSkill> {
        let losers = self.shadowed.iter().map(|loser| &loser.skill);
        self.skills.iter().chain(losers).chain(&self.copies)
    }

    /// Every skill that was found and may be used, also one that lost to another.
    pub fn enabled_mut(&mut self) -> impl Iterator<Item = &mut CatalogSkill> {
        let losers = self.shadowed.iter_mut().map(|loser| &mut loser.skill);
        let all = self.skills.iter_mut().chain(losers).chain(&mut self.copies);
        all.filter(|skill| skill.status == Status::Enabled)
    }

    /// The winners whose files were altered. Who asks for one by its name is refused where its
    /// files are read, since only then it is certain what they are.
    pub fn altered(&self) -> impl Iterator<Item = &CatalogSkill> {
        let skills = self.skills.iter();
        skills.filter(|skill| skill.status == Status::Altered)
    }

    /// The skills that may reach a prompt.
    ///
    /// A project that is not trusted wins its names in a listing, but it cannot take a skill
    /// away: in a prompt the next one of the name stands in for it.
    pub fn enabled(&self) -> impl Iterator<Item = &CatalogSkill> {
        self.skills.iter().filter_map(|skill| match skill.status {
            Status::Enabled => Some(skill),
            Status::Untrusted => self.stand_in(&skill.record.name),
            _ => None,
        })
    }

    /// The skill that prompts have in place of an untrusted winner of this name.
    pub fn stand_in(&self, name: &str) -> Option<&CatalogSkill> {
        let losers = self.losers(name);
        losers
            .filter(|loser| loser.status == Status::Enabled)
            .min_by_key(|loser| loser.source)
    }

    fn losers<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a CatalogSkill> {
        let shadowed = self.shadowed.iter().map(|shadowed| &shadowed.skill);
        let all = shadowed.chain(&self.copies);
        all.filter(move |loser| *loser.record.name == *name)
    }

    /// The known name nearest to `name`, if one is near.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let names = self.skills.iter().map(|skill| skill.record.name.as_str());
        skillyard_format::nearest::nearest(name, names)
    }
}

/// The places of the records in order of their names, the strongest of a name first.
///
/// Names are nearly sorted, because folders are called like their skills: bringing them into
/// order takes one look at each, and a map would have to hash them all.
fn by_name(records: &[(usize, Box<Record>)]) -> Vec<usize> {
    let name = |at: usize| records[at].1.name.as_str();
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_by(|a, b| name(*a).cmp(name(*b)));
    order
}

/// Whether the records of each source stand in the order of their names.
fn is_sorted_by_source(records: &[(usize, Box<Record>)], order: &[usize]) -> bool {
    let sources = records.last().map_or(0, |(source, _)| source + 1);
    let mut last = vec![0; sources];
    order.iter().all(|&at| {
        let last = &mut last[records[at].0];
        std::mem::replace(last, at) <= at
    })
}

/// For each record the place of the first one of its name.
fn first_of_each_name(records: &[(usize, Box<Record>)], order: &[usize]) -> Vec<usize> {
    let name = |at: usize| records[at].1.name.as_str();
    let mut first = vec![0; records.len()];
    for same in order.chunk_by(|a, b| name(*a) == name(*b)) {
        for at in same {
            first[*at] = same[0];
        }
    }
    first
}

/// The standing of a skill that is wanted.
fn standing(
    record: &Record,
    kind: SourceKind,
    project_trust: ProjectTrust,
    commands: &mut Commands,
) -> Status {
    if kind == SourceKind::Project && project_trust == ProjectTrust::Untrusted {
        return Status::Untrusted;
    }
    let missing = commands.missing(&record.requires);
    if missing.is_empty() {
        Status::Enabled
    } else {
        Status::Unavailable { missing }
    }
}

/// The folders that symbolic links may lead into: the sources, the project, the home.
fn allowed_roots(surroundings: &Surroundings, places: &[Place]) -> Vec<PathBuf> {
    let home = surroundings.home.as_deref();
    let mut roots: Vec<PathBuf> = places
        .iter()
        .filter(|place| place.is_there)
        .map(|place| place.root.as_path())
        .chain([surroundings.project_root()])
        .chain(home)
        .filter(|root| !root.as_os_str().is_empty())
        .filter_map(|root: &Path| root.canonicalize().ok())
        // A home of `/`, as some containers have it, would allow everything.
        .filter(|root| root.parent().is_some())
        .collect();
    roots.sort_unstable();
    roots.dedup();
    roots
}
