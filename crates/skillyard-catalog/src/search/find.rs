//! Searching: read the task, score, match the trigger patterns, order.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::index::{Field, Index, Posting};
use super::query::{MatchOrigin, Query, QueryTerm};
use super::rank::{Scorer, Scoring};

/// The score of a document whose pattern matches although no word of the task is known.
const MIN_PATTERN_SCORE: f32 = 1.0;

/// The score of a document that is called like a task in which no word says anything.
const NAME_SCORE: f32 = 1.0;

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
            self.score_name(task, &mut scores);
        }
        let matched = self.score_patterns(task, &options.scoring, &mut scores);
        let mut hits = self.best(&scores, options);
        if options.detail == Detail::Explained {
            Explanation::add(self, &query, &ranking, &matched, &mut hits);
        }
        hits
    }

    /// Raises documents that are called like the task, where no word of it says anything by itself: `do`
    /// may be a name.
    fn score_name(&self, task: &str, scores: &mut [f32]) {
        let task = task.trim();
        for (document, score) in (0_u32..).zip(scores) {
            if self.name(document).eq_ignore_ascii_case(task) {
                *score = NAME_SCORE;
            }
        }
    }

    /// Raises documents whose trigger patterns match, each once, and tells which pattern matched which part of the task.
    fn score_patterns(
        &self,
        task: &str,
        scoring: &Scoring,
        scores: &mut [f32],
    ) -> Vec<(u32, TriggerMatch)> {
        let best = scores.iter().copied().fold(MIN_PATTERN_SCORE, f32::max);
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

/// The parts of a score.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Explanation {
    /// What each matched word gave, the most first.
    pub matches: Vec<Match>,
    /// What the likeness of task and name gave.
    pub name_bonus: f32,
    /// The trigger pattern that matched.
    pub trigger: Option<TriggerMatch>,
}

/// A matched word.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The word of the task.
    pub word: String,
    /// The word of the collection, without its ending.
    pub term: String,
    /// How the two belong together.
    pub origin: MatchOrigin,
    /// What it gave in each field where it stands.
    pub fields: Vec<(Field, f32)>,
}

impl Match {
    /// What the word gave in all fields together.
    pub fn worth(&self) -> f32 {
        self.fields.iter().map(|(_, worth)| worth).sum()
    }
}

/// A matched trigger pattern.
#[derive(Debug, Clone, PartialEq)]
pub struct TriggerMatch {
    /// The pattern.
    pub pattern: String,
    /// The part of the task that matched.
    pub text: String,
    /// What it gave.
    pub worth: f32,
}

impl Explanation {
    /// Explains hits, by going once more through the postings of the query's words.
    pub(super) fn add(
        index: &Index,
        query: &Query,
        scorer: &Scorer<'_>,
        patterns: &[(u32, TriggerMatch)],
        hits: &mut [Hit],
    ) {
        let mut is_hit = vec![false; index.len()];
        for hit in hits.iter() {
            is_hit[hit.document as usize] = true;
        }
        let mut found_in: HashMap<u32, Vec<(&QueryTerm, Posting)>> = HashMap::new();
        for term in &query.terms {
            for posting in index
                .postings(term.term)
                .filter(|posting| is_hit[posting.document as usize])
            {
                found_in
                    .entry(posting.document)
                    .or_default()
                    .push((term, posting));
            }
        }
        for hit in hits {
            let found = found_in.remove(&hit.document).unwrap_or_default();
            let mut matches: Vec<Match> = found
                .iter()
                .map(|(term, posting)| explain_match(index, scorer, term, posting))
                .collect();
            matches.sort_by(|left, right| {
                right
                    .worth()
                    .total_cmp(&left.worth())
                    .then_with(|| left.term.cmp(&right.term))
            });
            let trigger = patterns
                .iter()
                .find(|(document, _)| *document == hit.document);
            hit.explanation = Some(Self {
                matches,
                name_bonus: scorer.name_bonus(hit.document, found.into_iter()),
                trigger: trigger.map(|(_, trigger)| trigger.clone()),
            });
        }
    }
}

fn explain_match(index: &Index, scorer: &Scorer<'_>, term: &QueryTerm, posting: &Posting) -> Match {
    let shares = scorer.shares(term, posting);
    Match {
        word: term.word.clone(),
        term: index.vocabulary.term(term.term).word.clone(),
        origin: term.origin,
        fields: Field::ALL
            .into_iter()
            .zip(shares)
            .filter(|(_, worth)| *worth > 0.0)
            .collect(),
    }
}
