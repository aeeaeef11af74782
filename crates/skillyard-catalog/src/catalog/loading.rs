//! From sources to a catalog: what is in them is found, and the first of each name wins.

use std::path::{Path, PathBuf};

use super::{Catalog, CatalogSkill, ProjectTrust, Settings, Shadowed, Status};
use crate::agents::{AGENTS, Agent};
use crate::builtin;
use crate::index::{self, IndexFile, IndexUse, Place, Scan, Snapshot};
use crate::record::{Reading, Record};
use crate::requires::Commands;
use crate::same::is_same_skill;
use crate::source::{Source, SourceKind, Surroundings};
use crate::unhashable;
use crate::walk::{Links, Skipped};

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
        if let Some(folder) = &settings.index_folder {
            unhashable::mark(&mut catalog, folder);
        }
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
            let home = settings.surroundings.agents_home();
            let builtin = |agent: &Agent| Some((agent.name.clone(), agent.builtin(source, home)?));
            let builtin: Vec<(String, PathBuf)> = AGENTS.iter().filter_map(builtin).collect();
            let owner = |reading: &Reading| {
                let folder = Path::new(reading.folder());
                builtin.iter().find(|(_, own)| folder.starts_with(own))
            };
            for reading in snapshot.readings {
                if let Some((agent, _)) = owner(&reading) {
                    skipped.push(Skipped {
                        path: reading.path(),
                        reason: format!("it is a part of {agent}, and no skill for others"),
                    });
                    continue;
                }
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
            let from = &self.sources[source];
            let kind = from.kind;
            let status = match selection.and_then(|all| all.reason_against(&record.name)) {
                Some(reason) => Status::Disabled { reason },
                None => standing(&record, from, settings.project_trust, &mut commands),
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
            if !is_same_skill(&winner.record, &skill.record, settings) {
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
    source: &Source,
    project_trust: ProjectTrust,
    commands: &mut Commands,
) -> Status {
    if source.is_untrusted(project_trust) {
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
