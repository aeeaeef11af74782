//! Searching: read the task, score, hear the trigger patterns, order.

use std::cmp::Ordering;

use super::explain::{Explanation, TriggerMatch};
use super::index::Index;
use super::query::Query;
use super::rank::Scorer;
use super::scoring::Scoring;

/// The score of a document whose pattern matches although no word of the task is known.
const PATTERN_FLOOR: f32 = 1.0;

/// The score of a document that is called like a task in which no word says anything.
const NAME_FLOOR: f32 = 1.0;

/// How much to say about each hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// Document and score.
    #[default]
    Ranking,
    /// Also why.
    Explained,
}

/// How to search.
pub struct Options<'a> {
    /// The most hits wanted.
    pub limit: usize,
    /// Which documents may be found; all without it.
    pub filter: Option<&'a dyn Fn(u32) -> bool>,
    /// Whether hits are explained.
    pub detail: Detail,
    /// How evidence counts.
    pub scoring: Scoring,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            limit: 10,
            filter: None,
            detail: Detail::Ranking,
            scoring: Scoring::default(),
        }
    }
}

/// A document that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The document, by its place among those indexed.
    pub document: u32,
    /// Its score, comparable within one search only.
    pub score: f32,
    /// Why it was found, where asked for.
    pub explanation: Option<Explanation>,
}

impl Index {
    /// Finds documents for a task: by score, then by name, then by identifier.
    pub fn search(&self, task: &str, options: &Options<'_>) -> Vec<Hit> {
        let query = Query::read(self, task, &options.scoring);
        let ranking = Scorer::new(self, &options.scoring, &query);
        let mut scores = ranking.scores();
        if query.words == 0 {
            self.hear_name(task, &mut scores);
        }
        let matched = self.hear_patterns(task, &options.scoring, &mut scores);
        let mut hits = self.best(&scores, options);
        if options.detail == Detail::Explained {
            Explanation::add(self, &query, &ranking, &matched, &mut hits);
        }
        hits
    }

    /// Raises documents that are called like the task, where no word of it says anything by itself: `do`
    /// may be a name.
    fn hear_name(&self, task: &str, scores: &mut [f32]) {
        let task = task.trim();
        for (document, score) in (0_u32..).zip(scores) {
            if self.name(document).eq_ignore_ascii_case(task) {
                *score = NAME_FLOOR;
            }
        }
    }

    /// Raises documents whose trigger patterns match, each once, and tells which pattern matched which part of the task.
    fn hear_patterns(
        &self,
        task: &str,
        scoring: &Scoring,
        scores: &mut [f32],
    ) -> Vec<(u32, TriggerMatch)> {
        let best = scores.iter().copied().fold(PATTERN_FLOOR, f32::max);
        let mut matched: Vec<(u32, TriggerMatch)> = Vec::new();
        for pattern in &self.patterns {
            if matched
                .last()
                .is_some_and(|(document, _)| *document == pattern.document)
            {
                continue;
            }
            if let (Some(found), Some(score)) = (
                pattern.find(task),
                scores.get_mut(pattern.document as usize),
            ) {
                let worth = best * scoring.pattern_weight;
                *score += worth;
                let trigger = TriggerMatch {
                    pattern: pattern.source.clone(),
                    text: found.to_owned(),
                    worth,
                };
                matched.push((pattern.document, trigger));
            }
        }
        matched
    }

    fn best(&self, scores: &[f32], options: &Options<'_>) -> Vec<Hit> {
        let allowed = |document: u32| options.filter.is_none_or(|allows| allows(document));
        let mut hits: Vec<Hit> = (0_u32..)
            .zip(scores)
            .filter(|(document, score)| **score > 0.0 && allowed(*document))
            .map(|(document, score)| Hit {
                document,
                score: *score,
                explanation: None,
            })
            .collect();
        if options.limit < hits.len() {
            if let Some(last) = options.limit.checked_sub(1) {
                hits.select_nth_unstable_by(last, |left, right| self.order(left, right));
            }
            hits.truncate(options.limit);
        }
        hits.sort_by(|left, right| self.order(left, right));
        hits
    }

    fn order(&self, left: &Hit, right: &Hit) -> Ordering {
        (right.score.total_cmp(&left.score))
            .then_with(|| self.name(left.document).cmp(self.name(right.document)))
            .then_with(|| self.id(left.document).cmp(self.id(right.document)))
            .then_with(|| left.document.cmp(&right.document))
    }
}
