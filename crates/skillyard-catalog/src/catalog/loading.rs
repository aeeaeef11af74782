//! From sources to a catalog: what is in them is found, and the first of each name wins.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use skillyard_format::Digest;

use super::{Catalog, CatalogSettings, CatalogSkill, Shadowed, Status};
use crate::agents::{AGENTS, Agent};
use crate::builtin;
use crate::index::{self, IndexFile, IndexUse, SourceRoot, SourceSnapshot, WalkRules};
use crate::known_digests;
use crate::record::{Reading, Record};
use crate::requires::Commands;
use crate::resource::{DigestLimits, ResourceError, SkillRoot, digest_within};
use crate::source::{ProjectTrust, SkillSource, SourceKind};
use crate::surroundings::Surroundings;
use crate::unhashable::UnhashableSkills;
use crate::walk::{Links, Skipped};

impl Catalog {
    /// Finds every skill.
    pub fn load(settings: &CatalogSettings) -> Self {
        let sources = settings.surroundings.sources();
        let roots: Vec<SourceRoot> = sources
            .iter()
            .filter(|source| source.kind != SourceKind::Builtin)
            .map(|source| SourceRoot::new(&source.root))
            .collect();
        let rules = WalkRules {
            limits: settings.limits,
            links: Links::Within(allowed_roots(&settings.surroundings, &roots)),
        };
        let index_folder = settings.index_folder.as_deref();
        let file = index_folder.map(|folder| index::file_for(folder, &roots, &rules));
        let file = file.as_deref().map(|path| IndexFile {
            path,
            is_read_only: settings.leaves_index,
        });
        let (snapshots, index_use) = index::load(&roots, &rules, file);
        let mut catalog = Self::of(snapshots, &sources, settings);
        catalog.index_use = index_use;
        if let Some(folder) = index_folder {
            let unhashable = UnhashableSkills::read(folder);
            for skill in catalog.enabled_mut() {
                if let Some(reason) = unhashable.reason(&skill.record.folder) {
                    skill.status = Status::Unhashable { reason };
                }
            }
        }
        catalog
    }

    /// The catalog of what the sources on this machine hold.
    fn of(
        snapshots: Vec<SourceSnapshot>,
        sources: &[SkillSource],
        settings: &CatalogSettings,
    ) -> Self {
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

    /// Lets the first of each name win and decides the status of each skill.
    fn decide(&mut self, records: Vec<(usize, Box<Record>)>, settings: &CatalogSettings) {
        let mut commands = Commands::new(settings.command_folders.clone());
        // Mostly patterns are missing, which is checked once and not for each skill.
        let selection = Some(&settings.selection).filter(|selection| !selection.is_silent());
        let mut winners: HashMap<String, usize> = HashMap::with_capacity(records.len());
        for (source, record) in records {
            let from = &self.sources[source];
            let kind = from.kind;
            let status = match selection.and_then(|all| all.reason_against(&record.name)) {
                Some(reason) => Status::Disabled { reason },
                None => status_of(&record, from, settings.project_trust, &mut commands),
            };
            let skill = CatalogSkill {
                record,
                source,
                kind,
                status,
            };
            let Some(winner) = winners.get(&skill.record.name) else {
                winners.insert(skill.record.name.clone(), self.skills.len());
                self.skills.push(skill);
                continue;
            };
            let winner = &self.skills[*winner];
            if !is_same_skill(&winner.record, &skill.record, settings) {
                let winner = winner.record.folder.clone();
                self.shadowed.push(Shadowed { skill, winner });
            } else if winner.status != Status::Enabled || skill.status != Status::Enabled {
                self.copies.push(skill);
            }
        }
        self.skills
            .sort_by(|a, b| (a.source, &a.record.name).cmp(&(b.source, &b.record.name)));
    }
}

/// The status of a skill that is selected.
fn status_of(
    record: &Record,
    source: &SkillSource,
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

/// Whether both are one folder, or hold the same bytes.
///
/// A skill is often found twice, by a link or as a copy for another agent. That is no
/// conflict; two skills with different content are.
fn is_same_skill(first: &Record, second: &Record, settings: &CatalogSettings) -> bool {
    if first.stamp.inode == second.stamp.inode
        && let (Ok(a), Ok(b)) = (
            fs::canonicalize(&first.folder),
            fs::canonicalize(&second.folder),
        )
        && a == b
    {
        return true;
    }
    if first.stamp.size != second.stamp.size
        || (&first.description, &first.fields) != (&second.description, &second.fields)
    {
        return false;
    }
    let digest = |record: &Record| {
        let root = SkillRoot::open(&record.folder)?;
        digest_within(&root, &DigestLimits::USUAL)
    };
    match digest(first) {
        Ok(first) => digest(second).is_ok_and(|second| first == second),
        // Every listing asks, so the digests of large skills are cached.
        Err(ResourceError::TooManyFiles { .. } | ResourceError::TooManyBytes { .. }) => {
            let large = large([&first.folder, &second.folder], settings);
            matches!(large.as_slice(), [Ok(a), Ok(b)] if a == b)
        }
        Err(_) => false,
    }
}

fn large(folders: [&Path; 2], settings: &CatalogSettings) -> Vec<Result<Digest, ResourceError>> {
    let file = settings.index_folder.as_deref().map(known_digests::file);
    if settings.leaves_index {
        known_digests::looked_up(&folders, file.as_deref()).0
    } else {
        known_digests::digests(&folders, file.as_deref())
    }
}

/// The folders that symbolic links may lead into: the sources, the project, the home.
fn allowed_roots(surroundings: &Surroundings, roots: &[SourceRoot]) -> Vec<PathBuf> {
    let home = surroundings.home.as_deref();
    let mut allowed: Vec<PathBuf> = roots
        .iter()
        .filter(|root| root.exists)
        .map(|root| root.path.as_path())
        .chain([surroundings.project_root()])
        .chain(home)
        .filter(|root| !root.as_os_str().is_empty())
        .filter_map(|root: &Path| root.canonicalize().ok())
        // A home of `/`, as some containers have it, would allow everything.
        .filter(|root| root.parent().is_some())
        .collect();
    allowed.sort_unstable();
    allowed.dedup();
    allowed
}
