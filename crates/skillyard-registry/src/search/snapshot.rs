//! The skills at one moment, ready to be searched.
//!
//! Matches come in tiers: the very name, names that begin so, then words by score.

use std::cell::RefCell;
use std::collections::HashSet;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use skillyard_catalog::search::{Index, Options, SearchDocument};

use super::columns::{Builder, Columns, Filter};
use super::{SearchQuery, Sort};
use crate::facets::Facets;
use crate::store::listing::{Listed, own_name};

/// From so many downloads on a skill is used, not only there.
const ADOPTED: u64 = 10;

/// Making pictures of a large registry that changes all the time may take this part of the time.
const REST_FACTOR: u32 = 4;

/// The skills at one moment: their names and words, and what they are chosen by.
#[derive(Debug)]
pub struct SearchSnapshot {
    /// The number of the last change that it has.
    pub(super) sequence: i64,
    /// When it was begun.
    pub(super) time: Timestamp,
    index: Index,
    columns: Columns,
    by_name: Vec<u32>,
    /// By the name that the skill itself has, whatever its namespace.
    by_own_name: Vec<u32>,
    by_downloads: Vec<u32>,
    by_time: Vec<u32>,
    offered: usize,
    made: Instant,
    took: Duration,
}

/// What a question finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHits<'a> {
    /// The names of the skills on the page that was asked for.
    pub names: Vec<&'a str>,
    /// How many fit in all.
    pub total: usize,
}

impl SearchSnapshot {
    /// Makes a picture of skills as they come, in any order, as of a change and a time.
    pub(super) fn new(
        (sequence, time): (i64, Timestamp),
        skills: impl Iterator<Item = Listed>,
        start: Instant,
    ) -> Self {
        let mut columns = Builder::default();
        let index = Index::build(skills.map(|skill| {
            columns.push(&skill);
            let description = skill.facts.offer().into_owned();
            let tags = skill.facts.tags.into_iter();
            SearchDocument {
                name: skill.name.into(),
                description: description.into(),
                tags: tags.map(Into::into).collect(),
                ..SearchDocument::default()
            }
        }));
        let columns = columns.finish();
        let mut by_name: Vec<u32> = (0..u32::try_from(columns.len()).unwrap_or(u32::MAX)).collect();
        by_name.sort_unstable_by(|a, b| index.name(*a).cmp(index.name(*b)));
        // Sorting is stable from here on: what is equal stays in the order of names.
        let mut by_own_name = by_name.clone();
        by_own_name.sort_by(|a, b| own_name(index.name(*a)).cmp(own_name(index.name(*b))));
        let mut by_downloads = by_name.clone();
        by_downloads.sort_by_key(|place| columns.by_downloads(*place));
        let mut by_time = by_name.clone();
        by_time.sort_by_key(|place| columns.by_time(*place));
        Self {
            sequence,
            time,
            offered: columns.offered(),
            index,
            columns,
            by_name,
            by_own_name,
            by_downloads,
            by_time,
            made: Instant::now(),
            took: start.elapsed(),
        }
    }

    /// How many skills there are.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many skills anybody new may find: those of which some version is not withdrawn.
    pub fn offered(&self) -> usize {
        self.offered
    }

    /// How long it took to make.
    pub fn took(&self) -> Duration {
        self.took
    }

    /// How often some skills were fetched in all.
    pub(crate) fn downloads<'a>(&self, names: impl Iterator<Item = &'a str>) -> u64 {
        let place = |name: &str| {
            let name_at = |place: &u32| self.index.name(*place).cmp(name);
            let found = self.by_name.binary_search_by(name_at).ok()?;
            self.by_name.get(found).copied()
        };
        let places = names.filter_map(place);
        places.map(|place| self.columns.downloads(place)).sum()
    }

    /// The names of the skills whose latest version needs one, sorted.
    pub(crate) fn dependents(&self, name: &str) -> Vec<&str> {
        let places = self.columns.dependents(name).into_iter();
        let mut names: Vec<&str> = places.map(|place| self.index.name(place)).collect();
        names.sort_unstable();
        names
    }

    /// The skills that fit.
    pub fn ask(&self, question: &SearchQuery) -> SearchHits<'_> {
        let (page, total) = self.places(question);
        self.found(&page, total)
    }

    /// The same, and how many of all that fit have which owner, licence, tag and so on.
    pub fn survey(&self, question: &SearchQuery) -> (SearchHits<'_>, Facets) {
        let all = SearchQuery {
            offset: 0,
            limit: usize::MAX,
            ..question.clone()
        };
        let (places, total) = self.places(&all);
        let start = question.offset.min(places.len());
        let end = start.saturating_add(question.limit).min(places.len());
        let found = self.found(&places[start..end], total);
        (found, self.columns.facets(&places))
    }

    fn found(&self, page: &[u32], total: usize) -> SearchHits<'_> {
        SearchHits {
            names: page.iter().map(|place| self.index.name(*place)).collect(),
            total,
        }
    }

    /// The places of the skills on a page, and how many fit in all.
    fn places(&self, question: &SearchQuery) -> (Vec<u32>, usize) {
        let filter = self.columns.filter(question);
        let words = question.words.trim();
        if !words.is_empty() {
            return self.ranked(words, question, &filter);
        }
        let order = match question.sort {
            Sort::Relevance | Sort::Name => &self.by_name,
            Sort::Downloads => &self.by_downloads,
            Sort::Updated => &self.by_time,
        };
        let fitting = order.iter().filter(|place| filter.fits(**place));
        let page = fitting.clone().skip(question.offset);
        let page = page.take(question.limit).copied().collect();
        (page, fitting.count())
    }

    /// Places whose names are this one, then those that begin so, the most used first.
    ///
    /// The same name in a namespace is the name that is meant only where people use it: else whoever
    /// makes a namespace would stand beside everything well known. A signature makes no difference,
    /// because anybody can make a key.
    fn named(&self, name: &str) -> Vec<u32> {
        let (order, text): (_, fn(&str) -> &str) = if name.starts_with('@') {
            (&self.by_name, |whole| whole)
        } else {
            (&self.by_own_name, own_name)
        };
        let text = |place: &u32| text(self.index.name(*place));
        let start = order.partition_point(|place| text(place) < name);
        let begin_so = order[start..]
            .iter()
            .take_while(|place| text(place).starts_with(name));
        let is_whole = |place: u32| self.index.name(place) == name;
        let is_meant = |place: &u32| {
            text(place) == name && (is_whole(*place) || self.columns.downloads(*place) >= ADOPTED)
        };
        let (mut exact, mut others): (Vec<u32>, Vec<u32>) = begin_so.copied().partition(is_meant);
        exact.sort_by_key(|place| (!is_whole(*place), self.columns.by_downloads(*place)));
        // Nor does a copy in a namespace come before what it copies when only the beginning is given.
        others.sort_by_key(|place| {
            let is_namespaced = self.index.name(*place).starts_with('@');
            (self.columns.by_downloads(*place), is_namespaced)
        });
        exact.extend(others);
        exact
    }

    /// The page of places in tiers, the name, names that begin so, words; and how many fit.
    fn ranked(
        &self,
        words: &str,
        question: &SearchQuery,
        filter: &Filter<'_>,
    ) -> (Vec<u32>, usize) {
        let name = words.to_lowercase().replace(' ', "-");
        let tier = self.named(&name);
        let is_in_tier: HashSet<u32> = tier.iter().copied().collect();
        let mut places = tier;
        places.retain(|place| filter.fits(*place));
        // Every match passes here, and most of them are on no page: they are counted, not ordered.
        let matches = RefCell::new(Vec::new());
        let passes = |place: u32| {
            let is_match = !is_in_tier.contains(&place) && filter.fits(place);
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
            filter: Some(&passes),
            ..Options::default()
        };
        let hits = self.index.search(words, &options);
        let matches = matches.take();
        let total = places.len() + matches.len();
        match question.sort {
            Sort::Relevance => places.extend(hits.iter().map(|hit| hit.document)),
            _ => places.extend(matches),
        }
        // What is equal goes by name, whatever the order in which skills were read.
        let by_name = |a: &u32, b: &u32| self.index.name(*a).cmp(self.index.name(*b));
        match question.sort {
            Sort::Relevance => {}
            Sort::Name => places.sort_unstable_by(by_name),
            Sort::Downloads => places.sort_unstable_by(|a, b| {
                let key = |place: &u32| self.columns.by_downloads(*place);
                key(a).cmp(&key(b)).then_with(|| by_name(a, b))
            }),
            Sort::Updated => places.sort_unstable_by_key(|place| self.columns.by_time(*place)),
        }
        let page = places.into_iter().skip(question.offset);
        (page.take(question.limit).collect(), total)
    }

    /// Whether the next picture may be begun: one that takes long is made less often.
    pub(super) fn has_rested(&self) -> bool {
        self.made.elapsed() >= self.took * REST_FACTOR
    }
}
