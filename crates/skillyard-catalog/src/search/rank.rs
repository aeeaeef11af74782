//! Scores: BM25 over the head of a document, its fields weighted and saturating together, plus BM25 over its whole text.
//!
//! The two parts are added and not fused by rank, because ranks forget how clear a match was: this alone is worth more than the
//! fusion of the two that it replaces. Sums run in the order of the vocabulary, so they do not depend on the order of documents.

use super::document::Field;
use super::index::Index;
use super::posting::Posting;
use super::query::{Origin, Query, QueryTerm};
use super::scoring::Scoring;

const NAME: usize = Field::Name as usize;
const BODY: usize = Field::Body as usize;

/// How steeply the bonus for a task that is little else than a name falls with every further word.
const AGREEMENT_POWER: i32 = 3;

/// How rare a word is in heads and in whole texts.
#[derive(Debug, Clone, Copy)]
struct Rarity {
    head: f32,
    text: f32,
}

/// Scores documents for one query.
pub(super) struct Scorer<'a> {
    index: &'a Index,
    scoring: &'a Scoring,
    query: &'a Query,
}

impl<'a> Scorer<'a> {
    /// A scorer of a query over its index.
    pub(super) fn new(index: &'a Index, scoring: &'a Scoring, query: &'a Query) -> Self {
        Self {
            index,
            scoring,
            query,
        }
    }

    /// The score of every document.
    pub(super) fn scores(&self) -> Vec<f32> {
        let mut scores = vec![0.0; self.index.len()];
        let mut named = vec![Named::default(); self.index.len()];
        for term in &self.query.terms {
            let rarity = self.rarity(term);
            for posting in self.index.postings(term.term) {
                let place = posting.document as usize;
                let mut worth = self.text(&posting, rarity);
                if posting.in_head() {
                    worth += rarity.head * self.saturated(self.head(&posting).iter().sum());
                    named[place].add(term, &posting, rarity);
                }
                scores[place] += term.weight * worth;
            }
        }
        for ((score, named), lengths) in scores.iter_mut().zip(&named).zip(&self.index.lengths) {
            *score += self.agreement(*named, lengths[NAME]);
        }
        scores
    }

    /// What one word gives one document, by field; the sum is what it adds to the score.
    pub(super) fn shares(&self, term: &QueryTerm, posting: &Posting) -> [f32; Field::COUNT] {
        let rarity = self.rarity(term);
        let fields = self.head(posting);
        let head: f32 = fields.iter().sum();
        let head_worth = term.weight * rarity.head * self.saturated(head);
        let text_worth = term.weight * self.text(posting, rarity);
        let total = posting.total().max(1.0);
        std::array::from_fn(|field| {
            let head_share = if head > 0.0 {
                fields[field] / head
            } else {
                0.0
            };
            head_worth * head_share + text_worth * posting.counts[field] as f32 / total
        })
    }

    /// What a document gains because the task is little else than its name.
    pub(super) fn name_bonus(
        &self,
        document: u32,
        matched: impl Iterator<Item = (&'a QueryTerm, Posting)>,
    ) -> f32 {
        let mut named = Named::default();
        for (term, posting) in matched {
            named.add(term, &posting, self.rarity(term));
        }
        self.agreement(named, self.index.lengths[document as usize][NAME])
    }

    fn rarity(&self, term: &QueryTerm) -> Rarity {
        let of = |count: u32| {
            let (all, count) = (self.index.len() as f32, count as f32);
            (1.0 + (all - count + 0.5) / (count + 0.5)).ln()
        };
        let vocabulary = &self.index.vocabulary;
        Rarity {
            head: of(vocabulary.head_count(term.term)),
            text: of(vocabulary.document_count(term.term)),
        }
    }

    /// Occurrences by field of the head, weighted and made comparable between long fields and short ones.
    #[inline]
    fn head(&self, posting: &Posting) -> [f32; Field::COUNT] {
        let lengths = &self.index.lengths[posting.document as usize];
        let mut worth = [0.0; Field::COUNT];
        for field in (0..BODY).filter(|field| posting.counts[*field] > 0) {
            let penalty = self.scoring.length_penalties[field];
            let length = lengths[field] as f32 / self.index.averages[field];
            let count = posting.counts[field] as f32;
            worth[field] =
                self.scoring.field_weights[field] * count / (1.0 - penalty + penalty * length);
        }
        worth
    }

    #[inline]
    fn saturated(&self, head: f32) -> f32 {
        head * (self.scoring.head_saturation + 1.0) / (head + self.scoring.head_saturation)
    }

    /// What the whole text gives. Where there is no body the head is all there is, and its words are as rare as words of heads are;
    /// otherwise skills known by their description alone would stand behind every skill that happens to have the words in its body.
    #[inline]
    fn text(&self, posting: &Posting, rarity: Rarity) -> f32 {
        let scoring = self.scoring;
        let place = posting.document as usize;
        let count = posting.total();
        let length = self.index.text_lengths[place];
        let has_body = posting.counts[BODY] > 0 || self.index.lengths[place][BODY] > 0;
        let rarity = if has_body { rarity.text } else { rarity.head };
        let bound =
            scoring.text_saturation * (1.0 - scoring.text_penalty + scoring.text_penalty * length);
        scoring.text_weight * rarity * count * (scoring.text_saturation + 1.0) / (count + bound)
    }

    fn agreement(&self, named: Named, name_length: u32) -> f32 {
        if named.words == 0 {
            return 0.0;
        }
        let agreement = 2.0 * named.words as f32 / (name_length as f32 + self.query.words as f32);
        let worth = if agreement >= 1.0 {
            self.scoring.exact_weight
        } else {
            self.scoring.name_weight * agreement.powi(AGREEMENT_POWER)
        };
        worth * named.rarity
    }
}

/// The words of a document's name that the task has.
#[derive(Debug, Clone, Copy, Default)]
struct Named {
    words: u32,
    rarity: f32,
}

impl Named {
    fn add(&mut self, term: &QueryTerm, posting: &Posting, rarity: Rarity) {
        if term.origin == Origin::Asked && posting.counts[NAME] > 0 {
            self.words = self.words.saturating_add(posting.counts[NAME]);
            self.rarity += rarity.head * term.weight.min(1.0);
        }
    }
}
