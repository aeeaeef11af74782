//! Search over all skills, in memory, built from the database whenever that has changed.
//!
//! Matches come in tiers: the very name, names that begin so, then words by score. A registry of
//! many skills goes on answering from the last picture while the next one is made.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use bytes::Bytes;
use serde_json::Value;
use skillyard_catalog::search::{Document, Index, Options};
use tokio::sync::Mutex;

use crate::database::Database;
use crate::error::RegistryError;
use crate::facets::Facets;
use crate::registry::Registry;
use crate::store::skills::{self, SkillRow};

/// From so many downloads on a skill is used, not only there.
const ADOPTED: u64 = 10;

/// Up to so many skills a new picture is quicker than anybody would notice.
const SMALL: usize = 2_000;

/// How results are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// The best match first; without words, by name.
    #[default]
    Relevance,
    /// By name.
    Name,
    /// The most fetched first.
    Downloads,
    /// The last published first.
    Updated,
}

/// What is asked.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// Words, or none for everything.
    pub words: String,
    /// Only this owner's.
    pub owner: Option<String>,
    /// Only with this licence.
    pub license: Option<String>,
    /// Only with this tag.
    pub tag: Option<String>,
    /// Only with scripts, or only without.
    pub scripts: Option<bool>,
    /// Only what somebody signed, or only what nobody did.
    pub signed: Option<bool>,
    /// Only with this verdict of the scanner.
    pub verdict: Option<String>,
    /// The order.
    pub sort: Sort,
    /// How many to leave out at the start.
    pub offset: usize,
    /// The most that are wanted.
    pub limit: usize,
}

/// The skills at one moment.
#[derive(Debug)]
pub struct Picture {
    sequence: i64,
    skills: Vec<SkillRow>,
    index: Index,
    by_name: Vec<u32>,
    /// By the name that the skill itself has, whatever its namespace.
    by_own_name: Vec<u32>,
    by_downloads: Vec<u32>,
    by_time: Vec<u32>,
    documents: [OnceLock<Bytes>; 3],
}

/// A document over all skills, which is long, and therefore made once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentKind {
    /// Discovery with archives.
    Archives,
    /// Discovery with files.
    Files,
    /// Plugins.
    Marketplace,
}

/// The last picture, and who is making the next one.
#[derive(Debug, Default)]
pub(crate) struct Search {
    picture: RwLock<Option<Arc<Picture>>>,
    making: Arc<Mutex<()>>,
}

impl Search {
    /// The picture to answer from.
    pub(crate) async fn picture(
        self: &Arc<Self>,
        database: &Database,
    ) -> Result<Arc<Picture>, RegistryError> {
        let current = self.current();
        let sequence = database.sequence().await?;
        match current {
            Some(picture) if picture.sequence >= sequence => Ok(picture),
            Some(picture) if picture.skills.len() > SMALL => {
                // One is enough to make it; the others answer from what is there.
                if let Ok(guard) = Arc::clone(&self.making).try_lock_owned() {
                    let (search, database) = (Arc::clone(self), database.clone());
                    tokio::spawn(async move {
                        // Who asks next tries again.
                        let _ = search.make(&database).await;
                        drop(guard);
                    });
                }
                Ok(picture)
            }
            _ => {
                let _guard = self.making.lock().await;
                match self.current() {
                    Some(picture) if picture.sequence >= sequence => Ok(picture),
                    _ => self.make(database).await,
                }
            }
        }
    }

    fn current(&self) -> Option<Arc<Picture>> {
        self.picture
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    async fn make(&self, database: &Database) -> Result<Arc<Picture>, RegistryError> {
        // Read before the skills, so that a change in between leads to another picture.
        let sequence = database.sequence().await?;
        let skills = skills::all(database).await?;
        let made = tokio::task::spawn_blocking(move || Picture::new(sequence, skills)).await;
        let made = Arc::new(made.map_err(RegistryError::internal)?);
        *self.picture.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&made));
        Ok(made)
    }
}

impl Registry {
    /// The picture to answer from.
    pub(crate) async fn picture(&self) -> Result<Arc<Picture>, RegistryError> {
        self.search.picture(&self.database).await
    }
}

impl Picture {
    fn new(sequence: i64, mut skills: Vec<SkillRow>) -> Self {
        skills.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let index = Index::build(skills.iter().map(|skill| {
            Document {
                id: (&*skill.name).into(),
                name: (&*skill.name).into(),
                description: (&*skill.latest.facts.description).into(),
                tags: skill
                    .latest
                    .facts
                    .tags
                    .iter()
                    .map(|tag| (&**tag).into())
                    .collect(),
                ..Document::default()
            }
        }));
        let by_name: Vec<u32> = (0..u32::try_from(skills.len()).unwrap_or(u32::MAX)).collect();
        let at = |place: &u32| &skills[*place as usize];
        let mut by_own_name = by_name.clone();
        by_own_name.sort_by(|a, b| at(a).own_name().cmp(at(b).own_name()));
        let mut by_downloads = by_name.clone();
        by_downloads.sort_by_key(|place| std::cmp::Reverse(at(place).downloads));
        let mut by_time = by_name.clone();
        by_time.sort_by_key(|place| std::cmp::Reverse(at(place).latest.sequence));
        Self {
            sequence,
            skills,
            index,
            by_name,
            by_own_name,
            by_downloads,
            by_time,
            documents: Default::default(),
        }
    }

    /// A document over the skills with bare names, or in a namespace, that are offered: `entry` makes a part for each, `frame` puts
    /// something around them.
    pub(crate) fn document(
        &self,
        kind: DocumentKind,
        namespace: Option<&str>,
        entry: impl Fn(&SkillRow) -> Value,
        frame: impl FnOnce(Vec<Value>) -> Value,
    ) -> Bytes {
        let make = || {
            let offered = self
                .skills
                .iter()
                .filter(|skill| skill.latest.yanked.is_none() && skill.namespace() == namespace);
            frame(offered.map(entry).collect()).to_string().into()
        };
        match namespace {
            None => self.documents[kind as usize].get_or_init(make).clone(),
            Some(_) => make(),
        }
    }

    /// What a document made of this picture is tagged with.
    pub(crate) fn tag(&self) -> String {
        format!("\"{}-{}\"", env!("CARGO_PKG_VERSION"), self.sequence)
    }

    /// The skill of a name.
    pub(crate) fn one(&self, name: &str) -> Option<&SkillRow> {
        let place = self
            .skills
            .binary_search_by(|skill| (*skill.name).cmp(name));
        self.skills.get(place.ok()?)
    }

    /// Every skill, by name.
    pub(crate) fn all(&self) -> &[SkillRow] {
        &self.skills
    }

    /// The skills that fit, and how many there are in all.
    pub fn ask(&self, question: &Question) -> (Vec<&SkillRow>, usize) {
        let fitting = self.fitting(question);
        let total = fitting.len();
        let page = fitting
            .into_iter()
            .skip(question.offset)
            .take(question.limit);
        (page.collect(), total)
    }

    /// How many of the skills that fit have which owner, licence, tag and so on.
    pub fn facets(&self, question: &Question) -> Facets {
        Facets::of(&self.fitting(question))
    }

    fn fitting(&self, question: &Question) -> Vec<&SkillRow> {
        let words = question.words.trim();
        let places = if words.is_empty() {
            match question.sort {
                Sort::Relevance | Sort::Name => self.by_name.clone(),
                Sort::Downloads => self.by_downloads.clone(),
                Sort::Updated => self.by_time.clone(),
            }
        } else {
            self.ranked(words, question.sort)
        };
        let fitting = places
            .iter()
            .filter_map(|place| self.skills.get(*place as usize));
        fitting.filter(|skill| fits(skill, question)).collect()
    }

    /// Places whose names are this one, then those that begin so.
    ///
    /// The same name in a namespace is the name that is meant only where people use it or somebody
    /// signed it: else whoever makes a namespace would stand beside everything well known.
    fn named(&self, name: &str) -> Vec<u32> {
        let at = |place: &u32| &self.skills[*place as usize];
        let text = |place: &u32| -> &str {
            if name.starts_with('@') {
                &at(place).name
            } else {
                at(place).own_name()
            }
        };
        let order = if name.starts_with('@') {
            &self.by_name
        } else {
            &self.by_own_name
        };
        let start = order.partition_point(|place| text(place) < name);
        let begin_so = order[start..]
            .iter()
            .take_while(|place| text(place).starts_with(name));
        let is_meant = |place: &u32| {
            let skill = at(place);
            text(place) == name
                && (skill.name == name
                    || skill.downloads >= ADOPTED
                    || skill.latest.signer.is_some())
        };
        let (mut exact, others): (Vec<u32>, Vec<u32>) = begin_so.copied().partition(is_meant);
        exact.sort_by_key(|place| {
            (
                at(place).name != name,
                std::cmp::Reverse(at(place).downloads),
            )
        });
        exact.extend(others);
        exact
    }

    /// Places in tiers: the name, names that begin so, words.
    fn ranked(&self, words: &str, sort: Sort) -> Vec<u32> {
        let options = Options {
            limit: self.skills.len(),
            ..Options::default()
        };
        let name = words.to_lowercase().replace(' ', "-");
        let mut places = self.named(&name);
        let tiered: std::collections::HashSet<u32> = places.iter().copied().collect();
        let hits = self
            .index
            .search(words, &options)
            .into_iter()
            .map(|hit| hit.document);
        places.extend(hits.filter(|place| !tiered.contains(place)));
        let at = |place: &u32| &self.skills[*place as usize];
        match sort {
            Sort::Relevance => {}
            Sort::Name => places.sort_unstable(),
            Sort::Downloads => places.sort_by_key(|place| std::cmp::Reverse(at(place).downloads)),
            Sort::Updated => {
                places.sort_by_key(|place| std::cmp::Reverse(at(place).latest.sequence));
            }
        }
        places
    }
}

fn fits(skill: &SkillRow, question: &Question) -> bool {
    let facts = &skill.latest.facts;
    let is = |asked: &Option<String>, found: Option<&str>| match asked {
        None => true,
        Some(asked) => found.is_some_and(|found| found.eq_ignore_ascii_case(asked)),
    };
    (is(&question.owner, Some(&skill.latest.publisher)) || is(&question.owner, skill.namespace()))
        && question.signed.is_none_or(|wanted| wanted == skill.latest.signer.is_some())
        && is(&question.verdict, Some(&skill.latest.verdict))
        && is(&question.license, facts.license.as_deref())
        && question.tag.as_ref().is_none_or(|tag| facts.tags.iter().any(|each| each.eq_ignore_ascii_case(tag)))
        && question.scripts.is_none_or(|wanted| wanted == facts.has_scripts())
        // A skill whose every version was withdrawn is found by nobody new.
        && skill.latest.yanked.is_none()
}
