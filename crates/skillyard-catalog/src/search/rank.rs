//! Scores: BM25 over the head of a document, its fields weighted and saturating together, plus BM25 over its whole text.
//!
//! The two parts are added and not fused by rank, because ranks forget how clear a match was: this alone is worth more than the
//! fusion of the two that it replaces. Sums run in the order of the vocabulary, so they do not depend on the order of documents.
//!
//! The numbers of [`Scoring`] are round on purpose. Five-fold cross-validation with coordinate ascent around them found nothing better on
//! the queries left out, so finer values would only describe the queries at hand.

use std::collections::{BTreeMap, BTreeSet};

use super::index::{Field, Index, Posting};
use super::query::{MatchOrigin, Query, QueryTerm};

const NAME: usize = Field::Name as usize;
const BODY: usize = Field::Body as usize;

/// How steeply the bonus for a task that is little else than a name falls with every further word.
const AGREEMENT_POWER: i32 = 3;

/// How slowly the worth of a rank falls; the value of the original publication, insensitive in practice.
const RANK_OFFSET: f64 = 60.0;

/// How much each kind of evidence counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Scoring {
    /// Worth of one occurrence in the head, by field in the order of [`Field::ALL`]; the last is unused.
    pub field_weights: [f32; Field::COUNT],
    /// How much a long field is held against a document, from 0 to 1, by field; the last is unused.
    pub length_penalties: [f32; Field::COUNT],
    /// How soon further occurrences in the head stop counting.
    pub head_saturation: f32,
    /// Worth of a match in the whole text against one in the head.
    pub text_weight: f32,
    /// How soon further occurrences in the whole text stop counting.
    pub text_saturation: f32,
    /// How much the length of the whole text is held against a document.
    pub text_penalty: f32,
    /// How soon repetitions of a word in the task stop counting.
    pub task_saturation: f32,
    /// Worth of a faint word of the task.
    pub faint_weight: f32,
    /// Worth of a word that the thesaurus relates to a word of the task.
    pub related_weight: f32,
    /// The most that several words of the task may give one related word.
    pub related_limit: f32,
    /// The number of documents about a word at which only half of its related words' worth is left.
    ///
    /// A word that many descriptions use needs no translation; one that no description uses needs it most.
    pub related_need: f32,
    /// Worth of a corrected word, once per edit, and of a completed one.
    pub spelling_weight: f32,
    /// Worth of a word of the task found at the start or end of a rare name written without gaps.
    pub compound_weight: f32,
    /// Worth of a task that is little else than the name.
    pub name_weight: f32,
    /// Worth of a task that is the name and nothing else: more than its words can give another document.
    pub exact_weight: f32,
    /// Worth of a matched trigger pattern, as a share of the best score by words; above 1, skills with
    /// one come before those that only share words with the task.
    pub pattern_weight: f32,
}

impl Default for Scoring {
    fn default() -> Self {
        Self {
            field_weights: [2.0, 1.0, 1.0, 1.5, 0.0],
            length_penalties: [0.5, 0.5, 0.3, 0.3, 0.0],
            head_saturation: 1.2,
            text_weight: 1.0,
            text_saturation: 1.2,
            text_penalty: 0.5,
            task_saturation: 1.0,
            faint_weight: 0.3,
            related_weight: 0.6,
            related_limit: 1.0,
            related_need: 4.0,
            spelling_weight: 0.4,
            compound_weight: 0.3,
            name_weight: 0.3,
            exact_weight: 4.5,
            pattern_weight: 1.1,
        }
    }
}

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
        let mut named = vec![NameMatch::default(); self.index.len()];
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
        for ((score, named), document) in scores.iter_mut().zip(&named).zip(&self.index.documents) {
            *score += self.agreement(*named, document.lengths[NAME]);
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
            head_worth * head_share + text_worth * f32::from(posting.counts[field]) / total
        })
    }

    /// What a document gains because the task is little else than its name.
    pub(super) fn name_bonus(
        &self,
        document: u32,
        matched: impl Iterator<Item = (&'a QueryTerm, Posting)>,
    ) -> f32 {
        let mut named = NameMatch::default();
        for (term, posting) in matched {
            named.add(term, &posting, self.rarity(term));
        }
        self.agreement(named, self.index.documents[document as usize].lengths[NAME])
    }

    fn rarity(&self, term: &QueryTerm) -> Rarity {
        let of = |count: u32| {
            let (all, count) = (self.index.len() as f32, count as f32);
            (1.0 + (all - count + 0.5) / (count + 0.5)).ln()
        };
        let term = self.index.vocabulary.term(term.term);
        Rarity {
            head: of(term.head_count),
            text: of(term.document_count()),
        }
    }

    /// Occurrences by field of the head, weighted and made comparable between long fields and short ones.
    #[inline]
    fn head(&self, posting: &Posting) -> [f32; Field::COUNT] {
        let lengths = &self.index.documents[posting.document as usize].lengths;
        let mut worth = [0.0; Field::COUNT];
        for field in (0..BODY).filter(|field| posting.counts[*field] > 0) {
            let penalty = self.scoring.length_penalties[field];
            let length = lengths[field] as f32 / self.index.averages[field];
            let count = f32::from(posting.counts[field]);
            worth[field] =
                self.scoring.field_weights[field] * count / (1.0 - penalty + penalty * length);
        }
        worth
    }

    #[inline]
    fn saturated(&self, head: f32) -> f32 {
        head * (self.scoring.head_saturation + 1.0) / (head + self.scoring.head_saturation)
    }

    /// What the whole text gives. Without a body the head is all there is, and its words are as rare as words of heads are;
    /// otherwise skills known by their description alone would stand behind every skill that happens to have the words in its body.
    #[inline]
    fn text(&self, posting: &Posting, rarity: Rarity) -> f32 {
        let scoring = self.scoring;
        let document = &self.index.documents[posting.document as usize];
        let count = posting.total();
        let length = document.relative_length;
        let has_body = posting.counts[BODY] > 0 || document.lengths[BODY] > 0;
        let rarity = if has_body { rarity.text } else { rarity.head };
        let bound =
            scoring.text_saturation * (1.0 - scoring.text_penalty + scoring.text_penalty * length);
        scoring.text_weight * rarity * count * (scoring.text_saturation + 1.0) / (count + bound)
    }

    fn agreement(&self, named: NameMatch, name_length: u32) -> f32 {
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
struct NameMatch {
    words: u32,
    rarity: f32,
}

impl NameMatch {
    fn add(&mut self, term: &QueryTerm, posting: &Posting, rarity: Rarity) {
        if term.origin == MatchOrigin::Asked && posting.counts[NAME] > 0 {
            self.words += u32::from(posting.counts[NAME]);
            self.rarity += rarity.head * term.weight.min(1.0);
        }
    }
}

/// Fuses rankings by reciprocal rank: the place where another ranking, such as one by embeddings, joins the word ranking.
///
/// Ranks are fused and not scores, because the scores of two methods have no common scale. Takes rankings of document numbers, best first, each with its weight; ties go to the lower document number.
///
/// Weights that are not positive numbers switch their ranking off. A document named twice in a ranking counts once, at its best rank.
pub fn fuse(rankings: &[(f64, &[u32])]) -> Vec<(u32, f64)> {
    let mut worth: BTreeMap<u32, f64> = BTreeMap::new();
    for (weight, ranking) in rankings {
        if !weight.is_finite() || *weight <= 0.0 {
            continue;
        }
        let mut seen = BTreeSet::new();
        for (rank, document) in (1_u32..).zip(ranking.iter()) {
            if seen.insert(*document) {
                *worth.entry(*document).or_default() += weight / (RANK_OFFSET + f64::from(rank));
            }
        }
    }
    let mut fused: Vec<(u32, f64)> = worth.into_iter().collect();
    fused.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(rankings: &[(f64, &[u32])]) -> Vec<u32> {
        fuse(rankings)
            .into_iter()
            .map(|(document, _)| document)
            .collect()
    }

    #[test]
    fn agreement_wins() {
        assert_eq!(order(&[(1.0, &[1, 2, 3]), (1.0, &[2, 3, 4])]), [2, 3, 1, 4]);
    }

    #[test]
    fn weight_decides_between_disagreeing_rankings() {
        assert_eq!(order(&[(1.0, &[1, 2]), (3.0, &[2, 1])]), [2, 1]);
        assert_eq!(
            order(&[(1.0, &[1, 2]), (0.0, &[2, 1]), (f64::NAN, &[9])]),
            [1, 2]
        );
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(fuse(&[]).is_empty());
        assert!(fuse(&[(1.0, &[])]).is_empty());
    }
}
