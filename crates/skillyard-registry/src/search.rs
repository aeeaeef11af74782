//! Search over all skills, in memory, built from the database whenever that has changed.
//!
//! Matches come in tiers: the very name, names that begin so, then words by score. A registry of
//! many skills goes on answering from the last picture while the next one is made.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::Value;
use skillyard_catalog::search::{Document, Index, Options};
use tokio::sync::Mutex;

use crate::database::Database;
use crate::error::RegistryError;
use crate::facets::Facets;
use crate::look::Looks;
use crate::registry::Registry;
use crate::store::skills::{self, SkillRow};

/// From so many downloads on a skill is used, not only there.
const ADOPTED: u64 = 10;

/// Up to so many skills a new picture is quicker than anybody would notice.
const SMALL: usize = 2_000;

/// Making pictures of a large registry that changes all the time may take this part of the time.
const REST: u32 = 4;

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

impl Question {
    /// Whether only words decide.
    fn is_about_all(&self) -> bool {
        let texts = [&self.owner, &self.license, &self.tag, &self.verdict];
        let switches = [self.scripts, self.signed];
        texts.iter().all(|each| each.is_none()) && switches.iter().all(Option::is_none)
    }
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
    /// Which skills anybody new may find, side by side, because a search asks this of thousands.
    offered: Vec<bool>,
    made: Instant,
    took: Duration,
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
    looks: Looks,
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
        let sequence = self.looks.sequence(database).await?;
        match current {
            Some(picture) if picture.sequence >= sequence => Ok(picture),
            Some(picture) if picture.skills.len() > SMALL => {
                // One is enough to make it; the others answer from what is there.
                if picture.has_rested()
                    && let Ok(guard) = Arc::clone(&self.making).try_lock_owned()
                {
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
        let start = Instant::now();
        let sequence = database.sequence().await?;
        let skills = skills::all(database).await?;
        let made = tokio::task::spawn_blocking(move || Picture::new(sequence, skills, start)).await;
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
    fn new(sequence: i64, mut skills: Vec<SkillRow>, start: Instant) -> Self {
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
        // A skill whose every version was withdrawn is found by nobody new.
        let offered = skills.iter().map(|skill| skill.latest.yanked.is_none());
        let offered = offered.collect();
        Self {
            sequence,
            skills,
            index,
            by_name,
            by_own_name,
            by_downloads,
            by_time,
            offered,
            made: Instant::now(),
            took: start.elapsed(),
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

    /// How many of the skills that fit have which owner, licence, tag and so on.
    pub fn facets(&self, question: &Question) -> Facets {
        let all = Question {
            offset: 0,
            limit: usize::MAX,
            ..question.clone()
        };
        Facets::of(&self.ask(&all).0)
    }

    /// The skills that fit, and how many there are in all.
    pub fn ask(&self, question: &Question) -> (Vec<&SkillRow>, usize) {
        let words = question.words.trim();
        let (page, total) = if words.is_empty() {
            let order = match question.sort {
                Sort::Relevance | Sort::Name => &self.by_name,
                Sort::Downloads => &self.by_downloads,
                Sort::Updated => &self.by_time,
            };
            let fitting = order.iter().filter(|place| self.fits(**place, question));
            let page = fitting.clone().skip(question.offset);
            let page: Vec<u32> = page.take(question.limit).copied().collect();
            (page, fitting.count())
        } else {
            self.ranked(words, question)
        };
        let page = page
            .iter()
            .filter_map(|place| self.skills.get(*place as usize));
        (page.collect(), total)
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

    /// The page of places in tiers, the name, names that begin so, words; and how many fit.
    fn ranked(&self, words: &str, question: &Question) -> (Vec<u32>, usize) {
        let name = words.to_lowercase().replace(' ', "-");
        let tier = self.named(&name);
        let is_in_tier: HashSet<u32> = tier.iter().copied().collect();
        let is_in_tier = |place: u32| is_in_tier.contains(&place);
        let mut places = tier;
        places.retain(|place| self.fits(*place, question));
        // Every match passes here, and most of them are on no page: they are counted, not ordered.
        let matches = RefCell::new(Vec::new());
        let filter = |place: u32| {
            let is_match = !is_in_tier(place) && self.fits(place, question);
            if is_match {
                matches.borrow_mut().push(place);
            }
            is_match
        };
        let end = question.offset.saturating_add(question.limit);
        let options = Options {
            limit: match question.sort {
                Sort::Relevance => end.saturating_sub(places.len()),
                _ => 0,
            },
            filter: Some(&filter),
            ..Options::default()
        };
        let hits = self.index.search(words, &options);
        let matches = matches.take();
        let total = places.len() + matches.len();
        let at = |place: &u32| &self.skills[*place as usize];
        match question.sort {
            Sort::Relevance => places.extend(hits.iter().map(|hit| hit.document)),
            _ => places.extend(matches),
        }
        match question.sort {
            Sort::Relevance => {}
            Sort::Name => places.sort_unstable(),
            Sort::Downloads => places.sort_by_key(|place| std::cmp::Reverse(at(place).downloads)),
            Sort::Updated => {
                places.sort_by_key(|place| std::cmp::Reverse(at(place).latest.sequence));
            }
        }
        let page = places.into_iter().skip(question.offset);
        (page.take(question.limit).collect(), total)
    }

    fn fits(&self, place: u32, question: &Question) -> bool {
        let place = place as usize;
        let is_offered = self.offered.get(place).copied().unwrap_or(false);
        is_offered && (question.is_about_all() || fits(&self.skills[place], question))
    }

    /// Whether the next picture may be begun: one that takes long is made less often.
    fn has_rested(&self) -> bool {
        self.made.elapsed() >= self.took * REST
    }
}

fn fits(skill: &SkillRow, question: &Question) -> bool {
    let facts = &skill.latest.facts;
    let is = |asked: &Option<String>, found: Option<&str>| match asked {
        None => true,
        Some(asked) => found.is_some_and(|found| found.eq_ignore_ascii_case(asked)),
    };
    (is(&question.owner, Some(&skill.latest.publisher)) || is(&question.owner, skill.namespace()))
        && question
            .signed
            .is_none_or(|wanted| wanted == skill.latest.signer.is_some())
        && is(&question.verdict, Some(&skill.latest.verdict))
        && is(&question.license, facts.license.as_deref())
        && question
            .tag
            .as_ref()
            .is_none_or(|tag| facts.tags.iter().any(|each| each.eq_ignore_ascii_case(tag)))
        && question
            .scripts
            .is_none_or(|wanted| wanted == facts.has_scripts())
}
