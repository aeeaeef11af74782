//! The skills that an agent can reach, tier by tier.
//!
//! Tier 1 is what the catalog knows already. Tier 2 is read when a skill is loaded, and the bytes
//! that are rendered are the bytes that were hashed. Tier 3 is read file by file, and so are they.

mod error;
mod load;
mod skill;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use skillyard_catalog::finder::build_index;
use skillyard_catalog::resource::{
    DigestLimits, ReadLimits, ResourceError, SkillRoot, file_digests,
};
use skillyard_catalog::search::{Detail, Index, Options};
use skillyard_catalog::{CatalogSkill, Status, unhashable};
use skillyard_format::Digest;
use skillyard_format::render::catalog::CatalogEntry;
use tempfile::TempDir;

pub use error::ShelfError;
pub use load::{Caller, Hashed, Loaded};
pub use skill::{Author, Expected, InstalledSkill, Published, ShelfSkill, Withheld, origin};

/// The skills that an agent can reach.
#[derive(Debug)]
pub struct Shelf {
    skills: Vec<ShelfSkill>,
    offered: Vec<usize>,
    /// Built when something is searched for.
    search_index: OnceLock<Index>,
    limits: ReadLimits,
    instruction_bytes: usize,
    index_folder: Option<PathBuf>,
    published: Option<Box<dyn Published>>,
    installed: BTreeMap<String, Expected>,
    withheld: BTreeMap<String, Withheld>,
    editions: BTreeMap<String, Vec<Edition>>,
    /// A folder with files of skills, which is removed with the shelf.
    _lent_folder: Option<TempDir>,
}

/// Most bytes of a `SKILL.md` that a model gets at once, unless something else is said.
pub const INSTRUCTION_BYTES: usize = 200_000;

/// The search score from which a skill is chosen without a model.
pub(crate) const MIN_SCORE: f32 = 1.0;

impl Shelf {
    /// The given skills, in their order; what cannot be hashed is noted in `index_folder`.
    pub fn new(skills: Vec<ShelfSkill>, index_folder: Option<&Path>, limits: ReadLimits) -> Self {
        let offered = offered(&skills);
        Self {
            skills,
            offered,
            search_index: OnceLock::new(),
            limits,
            instruction_bytes: INSTRUCTION_BYTES,
            index_folder: index_folder.map(Path::to_owned),
            published: None,
            installed: BTreeMap::new(),
            withheld: BTreeMap::new(),
            editions: BTreeMap::new(),
            _lent_folder: None,
        }
    }

    /// The same shelf, which keeps a folder with files of its skills as long as it lives.
    #[must_use]
    pub fn with_folder(self, folder: TempDir) -> Self {
        Self {
            _lent_folder: Some(folder),
            ..self
        }
    }

    /// The same, with another limit for the bytes of a `SKILL.md` that a model gets at once.
    #[must_use]
    pub fn with_instruction_bytes(self, most: usize) -> Self {
        Self {
            instruction_bytes: most,
            ..self
        }
    }

    /// The same shelf, with who brings the files of published skills.
    #[must_use]
    pub fn with_published(mut self, published: Box<dyn Published>) -> Self {
        self.published = Some(published);
        self
    }

    /// The same shelf, with what the files of installed skills may be; anything else was altered
    /// behind the user's back, and is not given to a model.
    #[must_use]
    pub fn with_installed(mut self, installed: BTreeMap<String, Expected>) -> Self {
        self.installed = installed;
        self
    }

    /// The same shelf, with the skills that are here and not on it, and why.
    #[must_use]
    pub fn with_withheld(mut self, withheld: BTreeMap<String, Withheld>) -> Self {
        self.withheld = withheld;
        self
    }

    /// Why a skill that is here is not given to anybody.
    pub(crate) fn withheld(&self, name: &str) -> Option<&Withheld> {
        self.withheld.get(name)
    }

    /// Whether a skill that consists of this is what was installed, or was not installed at all.
    pub(crate) fn intact(&self, name: &str, now: Digest) -> Result<(), ShelfError> {
        let Some(Expected { digests, remedy }) = self.installed.get(name) else {
            return Ok(());
        };
        match &digests[..] {
            [installed, ..] if !digests.contains(&now) => Err(ShelfError::Altered {
                name: name.to_owned(),
                now,
                installed: *installed,
                remedy: remedy.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// The installed skills as a session is told of them, by their names.
    pub fn installed(&self) -> BTreeMap<String, InstalledSkill> {
        let installed = self.skills.iter().filter_map(|each| {
            let name = each.skill.record.name.clone();
            let digest = *self.installed.get(&name)?.digests.first()?;
            let skill = InstalledSkill {
                digest,
                directory: each.directory.clone(),
                origin: each.origin.clone(),
                tier: each.tier.clone(),
                author: each.author,
                altered: each.skill.status == Status::Altered,
            };
            Some((name, skill))
        });
        installed.collect()
    }

    /// The marks of all published skills, by their names.
    pub fn marks(&self) -> BTreeMap<String, String> {
        let published = self.skills.iter().filter(|each| each.is_published());
        let marked = published.filter_map(|each| {
            let name = each.skill.record.name.clone();
            let mark = self.published.as_ref()?.mark(&name)?;
            Some((name, mark))
        });
        marked.collect()
    }

    /// The folder of a skill, opened, with its files in it.
    fn root(&self, found: &ShelfSkill) -> Result<SkillRoot, ShelfError> {
        Ok(SkillRoot::open(self.brought(found)?)?)
    }

    /// The folder of a skill, with its files in it.
    pub(crate) fn brought<'s>(&self, found: &'s ShelfSkill) -> Result<&'s Path, ShelfError> {
        if found.is_published()
            && let Some(published) = &self.published
        {
            let name = found.skill.record.name.clone();
            let brought = published.bring(&name);
            brought.map_err(|problem| ShelfError::Unpublished { name, problem })?;
        }
        Ok(&found.folder)
    }

    /// The skills that a model is told of.
    pub fn offered(&self) -> impl Iterator<Item = &ShelfSkill> {
        self.offered.iter().map(|at| &self.skills[*at])
    }

    /// All skills.
    pub fn all(&self) -> &[ShelfSkill] {
        &self.skills
    }

    /// The entries of the catalog, without locations.
    pub fn entries(&self) -> Vec<CatalogEntry> {
        let entries = self.offered().map(|each| CatalogEntry {
            name: each.skill.record.name.clone(),
            description: each.skill.record.description.clone(),
            location: None,
        });
        entries.collect()
    }

    /// The best skills for a task, with their scores.
    pub fn search(&self, task: &str, limit: usize) -> Vec<(&ShelfSkill, f32)> {
        let options = Options {
            limit,
            detail: Detail::Ranking,
            ..Options::default()
        };
        let index = self.search_index.get_or_init(|| {
            let offered = self.offered.iter();
            let skills: Vec<&CatalogSkill> = offered.map(|at| &self.skills[*at].skill).collect();
            build_index(&skills)
        });
        let hits = index.search(task, &options);
        let found = hits.iter().filter_map(|hit| {
            let at = *self.offered.get(hit.document as usize)?;
            Some((&self.skills[at], hit.score))
        });
        found.collect()
    }

    /// The skill that a user named, or why it cannot be used.
    pub fn named(&self, name: &str) -> Result<&ShelfSkill, ShelfError> {
        self.find(name).map_err(|error| {
            let wanted = skillyard_format::name::known_as(name);
            match self.withheld.get(&*wanted) {
                Some(why) => ShelfError::Withheld {
                    name: wanted.into_owned(),
                    why: why.clone(),
                },
                None => error,
            }
        })
    }

    /// Whether there is a skill of this name that can be used.
    pub fn has(&self, name: &str) -> bool {
        let wanted = skillyard_format::name::known_as(name);
        let mut skills = self.skills.iter();
        skills.any(|each| *each.skill.record.name == wanted)
    }

    /// Whether there is a skill of this name, be it one that cannot be used.
    pub fn knows(&self, name: &str) -> bool {
        let wanted = skillyard_format::name::known_as(name);
        self.withheld.contains_key(&*wanted) || self.has(name)
    }

    /// The skill of a name.
    pub fn find(&self, name: &str) -> Result<&ShelfSkill, ShelfError> {
        let wanted = skillyard_format::name::known_as(name);
        let found = self
            .skills
            .iter()
            .find(|each| *each.skill.record.name == wanted);
        found.ok_or_else(|| {
            let names = self
                .skills
                .iter()
                .map(|each| each.skill.record.name.as_str());
            ShelfError::Unknown {
                name: name.to_owned(),
                nearest: skillyard_format::text::nearest(name, names).map(str::to_owned),
            }
        })
    }

    /// What a skill consists of now.
    pub fn digest(&self, name: &str) -> Result<Digest, ShelfError> {
        Ok(self.hashed(name)?.digest())
    }

    /// Tier 3: the files of a skill, as they are now.
    pub fn hashed(&self, name: &str) -> Result<Hashed, ShelfError> {
        let found = self.find(name)?;
        let root = self.root(found)?;
        let files = file_digests(&root, &DigestLimits::HERE);
        Ok(Hashed {
            files: files.map_err(|error| self.unhashable(found, &error))?,
            limits: self.limits,
            root,
        })
    }

    /// That the files of a skill cannot be hashed, which is remembered: no prompt has it from then on.
    fn unhashable(&self, found: &ShelfSkill, error: &ResourceError) -> ShelfError {
        if let Some(folder) = &self.index_folder {
            unhashable::note(folder, &found.skill.record.folder, error);
        }
        ShelfError::Unhashable {
            name: found.skill.record.name.clone(),
            reason: error.whole(),
        }
    }

    /// The files of a skill, without reading any.
    pub fn files(&self, name: &str, folder: Option<&str>) -> Result<Vec<String>, ShelfError> {
        let root = self.root(self.find(name)?)?;
        let listing = root.list(folder)?;
        Ok(listing.files.into_iter().map(|file| file.path).collect())
    }
}

/// The positions of the skills that a model may choose.
fn offered(skills: &[ShelfSkill]) -> Vec<usize> {
    let is_offered = |at: &usize| {
        let skill = &skills[*at].skill;
        skill.record.model_invocable && skill.status != Status::Altered
    };
    (0..skills.len()).filter(is_offered).collect()
}

/// A skill as it was at one time.
#[derive(Debug, Clone)]
pub struct Edition {
    /// What it consists of.
    pub digest: Digest,
    /// The skill.
    pub skill: ShelfSkill,
}

impl Shelf {
    /// The same shelf, with all editions of the skills of which there are several, by their names. The
    /// first of each is the one on the shelf.
    #[must_use]
    pub fn with_editions(self, editions: BTreeMap<String, Vec<Edition>>) -> Self {
        Self { editions, ..self }
    }

    /// Has the edition of a skill that consists of this, if there is one.
    pub(crate) fn turn(&mut self, name: &str, digest: &str) {
        let editions = self.editions.get(name).into_iter().flatten();
        let mut matching = editions.filter(|each| each.digest.to_string() == digest);
        if let Some(edition) = matching.next().cloned() {
            self.put(edition);
        }
    }

    /// Has the edition with this number of a skill, or of all of them. Whether there is one.
    pub(crate) fn turn_to(&mut self, number: usize, name: Option<&str>) -> bool {
        let wanted = self.editions.iter();
        let wanted = wanted.filter(|(each, _)| name.is_none_or(|name| *name == **each));
        let wanted = wanted.filter_map(|(_, editions)| editions.get(number));
        let wanted: Vec<Edition> = wanted.cloned().collect();
        let is_there = !wanted.is_empty();
        for edition in wanted {
            self.put(edition);
        }
        is_there
    }

    fn put(&mut self, edition: Edition) {
        let name = &edition.skill.skill.record.name;
        let mut skills = self.skills.iter_mut();
        let found = skills.find(|each| each.skill.record.name == *name);
        let found = found.filter(|each| each.folder != edition.skill.folder);
        if let Some(found) = found {
            *found = edition.skill;
            // Its description may be another.
            self.offered = offered(&self.skills);
            self.search_index = OnceLock::new();
        }
    }
}
