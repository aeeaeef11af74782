//! All skills that were found: a winner and its losers for each name, and why the others
//! are not there.

mod loading;

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use crate::index::IndexUse;
use crate::record::Record;
use crate::selection::Selection;
use crate::source::{ProjectTrust, SkillSource, SourceKind};
pub use crate::status::Status;
use crate::surroundings::Surroundings;
use crate::walk::{Skipped, WalkLimits};

/// Everything a catalog depends on.
#[derive(Debug, Clone, Default)]
pub struct CatalogSettings {
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

/// All skills that were found.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// The winners, in order of their sources and then of their names.
    pub skills: Vec<CatalogSkill>,
    /// Skills with other content that are shadowed by a winner of the same name.
    pub shadowed: Vec<Shadowed>,
    /// What was skipped.
    pub skipped: Vec<Skipped>,
    /// The sources, in order of precedence.
    pub sources: Vec<SkillSource>,
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

/// A skill that is shadowed by another of the same name.
#[derive(Debug, Clone)]
pub struct Shadowed {
    /// The loser.
    pub skill: CatalogSkill,
    /// The folder of the winner.
    pub winner: PathBuf,
}

impl CatalogSkill {
    /// How near it is to be meant in place of another; the least is. What cannot be used comes last.
    fn rank(&self) -> (bool, usize) {
        (self.status != Status::Enabled, self.source)
    }
}

impl Catalog {
    /// Keeps out of prompts what is revoked, as `why` says. That its files are altered or cannot be
    /// hashed, that its lock cannot be read or that commands are missing makes it no better.
    ///
    /// Nothing else is asked about: what is switched off stays so, and a project that is not trusted
    /// takes no skill away, be it with something that is revoked.
    pub fn withdraw(&mut self, why: impl Fn(&CatalogSkill) -> Option<String>) {
        let losers = self.shadowed.iter_mut().map(|each| &mut each.skill);
        let all = self.skills.iter_mut().chain(losers).chain(&mut self.copies);
        let is_asked =
            |status: &Status| !matches!(status, Status::Disabled { .. } | Status::Untrusted);
        for skill in all.filter(|skill| is_asked(&skill.status)) {
            if let Some(reason) = why(skill) {
                skill.status = Status::Revoked { reason };
            }
        }
    }

    /// The winner of a name.
    pub fn find(&self, name: &str) -> Option<&CatalogSkill> {
        let name = skillyard_format::name::known_as(name);
        self.skills.iter().find(|skill| skill.record.name == *name)
    }

    /// The skill that a name refers to when it is used.
    ///
    /// An untrusted project wins its names in listings only: the name refers to the skill that would win without
    /// the project, even if that cannot be used, and to the untrusted one if that is the only one.
    pub fn resolve(&self, name: &str) -> Option<&CatalogSkill> {
        let winner = self.find(name)?;
        if winner.status != Status::Untrusted {
            return Some(winner);
        }
        let others = self.losers(&winner.record.name);
        let usable = others.filter(|other| other.status != Status::Untrusted);
        Some(usable.min_by_key(|other| other.rank()).unwrap_or(winner))
    }

    /// The skills that [`Catalog::resolve`] finds in place of untrusted winners, by name.
    pub fn fallbacks_for_untrusted(&self) -> HashMap<&str, &CatalogSkill> {
        let untrusted = self.skills.iter();
        let untrusted = untrusted.filter(|skill| skill.status == Status::Untrusted);
        let untrusted: HashSet<&str> = untrusted.map(|skill| skill.record.name.as_str()).collect();
        let mut found: HashMap<&str, &CatalogSkill> = HashMap::new();
        for other in self.all_losers() {
            let name = other.record.name.as_str();
            if other.status != Status::Untrusted && untrusted.contains(name) {
                let best = found.entry(name).or_insert(other);
                if other.rank() < best.rank() {
                    *best = other;
                }
            }
        }
        found
    }

    /// Every skill that was found, shadowed ones included, except copies of usable skills.
    pub fn all(&self) -> impl Iterator<Item = &CatalogSkill> {
        self.skills.iter().chain(self.all_losers())
    }

    /// Every skill that was found and may be used, shadowed ones included.
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
            Status::Untrusted => self.fallback_for_untrusted(&skill.record.name),
            _ => None,
        })
    }

    /// The skill that prompts contain in place of an untrusted winner of this name.
    pub fn fallback_for_untrusted(&self, name: &str) -> Option<&CatalogSkill> {
        let losers = self.losers(name);
        losers
            .filter(|loser| loser.status == Status::Enabled)
            .min_by_key(|loser| loser.source)
    }

    fn losers<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a CatalogSkill> {
        let all = self.all_losers();
        all.filter(move |loser| loser.record.name == *name)
    }

    fn all_losers(&self) -> impl Iterator<Item = &CatalogSkill> {
        let shadowed = self.shadowed.iter().map(|shadowed| &shadowed.skill);
        shadowed.chain(&self.copies)
    }

    /// The known name nearest to `name`, if one is near.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let names = self.skills.iter().map(|skill| skill.record.name.as_str());
        skillyard_format::text::nearest(name, names)
    }
}
