//! Why a document was found: word by word and field by field, adding up to its score.

use std::collections::HashMap;

use super::document::Field;
use super::find::Hit;
use super::index::Index;
use super::posting::Posting;
use super::query::{Origin, Query, QueryTerm};
use super::rank::Scorer;

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
    pub origin: Origin,
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
        term: index.vocabulary.term(term.term).to_owned(),
        origin: term.origin,
        fields: Field::ALL
            .into_iter()
            .zip(shares)
            .filter(|(_, worth)| *worth > 0.0)
            .collect(),
    }
}
