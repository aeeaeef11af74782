//! From the words of a task to weighted words of the collection.
//!
//! A word of the task counts as itself. Where the collection hardly uses it, words that general English relates to it count a
//! little as well, and if it is not a known English word, so do words spelt nearly like it.

use std::collections::{BTreeMap, HashMap};

use super::index::Index;
use super::rank::Scoring;
use super::thesaurus::Thesaurus;
use super::tokenize::{each_word, is_faint_word, is_stop_word};
use super::vocabulary::TermId;
use super::{stem, vocabulary};

/// The part of a task that is read, in bytes, and the distinct words that are looked at: more says nothing more of what is wanted.
const MAX_TASK_BYTES: usize = 64 * 1024;
const MAX_TASK_WORDS: usize = 1_000;

/// Unknown words for which near spellings are sought, each at most so many.
const MAX_CORRECTED_WORDS: usize = 8;
const MAX_CORRECTIONS: usize = 3;

/// Compound names are sought for the words of tasks up to this long; a long task names its subject in other ways.
const MAX_COMPOUND_TASK_WORDS: usize = 40;
const MIN_PART_LENGTH: usize = 4;
const MAX_COMPOUNDS: usize = 5;

/// Why a word of the collection is searched for; the first reason is the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MatchOrigin {
    /// The task has it, perhaps with another ending.
    Asked,
    /// The task has a word that begins it or is spelt nearly so.
    Spelling,
    /// It is a name without gaps in which a word of the task stands.
    Compound,
    /// The thesaurus relates it to a word of the task.
    Related,
}

/// A word of the collection that is searched for.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct QueryTerm {
    pub term: TermId,
    pub weight: f32,
    pub origin: MatchOrigin,
    /// The word of the task that it stands for.
    pub word: String,
}

/// What a task asks of one collection.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Query {
    /// Ordered by term, so that sums come out the same whatever the order of the words.
    pub terms: Vec<QueryTerm>,
    /// How many distinct words the task has.
    pub words: usize,
}

/// One distinct word of the task.
struct TaskWord {
    word: String,
    stem: String,
    weight: f32,
}

impl Query {
    /// Reads a task against a collection.
    pub(super) fn read(index: &Index, task: &str, scoring: &Scoring) -> Self {
        let asked = asked_words(task, scoring);
        let mut reading = Reading {
            index,
            scoring,
            thesaurus: Thesaurus::english(),
            terms: BTreeMap::new(),
        };
        let mut corrected = 0;
        for word in &asked {
            if let Some(term) = index.vocabulary.find(&word.stem) {
                reading.add(term, word.weight, MatchOrigin::Asked, &word.word);
            } else if corrected < MAX_CORRECTED_WORDS && reading.may_be_misspelt(word) {
                corrected += 1;
                reading.correct(word);
            }
            if asked.len() <= MAX_COMPOUND_TASK_WORDS {
                reading.seek_compounds(word);
            }
        }
        reading.relate(&asked);
        let terms = reading
            .terms
            .into_values()
            .filter(|term| term.weight > 0.0)
            .collect();
        Self {
            terms,
            words: asked.len(),
        }
    }
}

/// The distinct stems of a task that say something, in order, each with the first form in which it stands.
fn asked_words(task: &str, scoring: &Scoring) -> Vec<TaskWord> {
    let mut asked: Vec<TaskWord> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    each_word(&task[..task.floor_char_boundary(MAX_TASK_BYTES)], |word| {
        if is_stop_word(word) {
            return;
        }
        let stem = stem::stem(word);
        if let Some(place) = places.get(stem.as_ref()) {
            asked[*place].weight += 1.0;
        } else if asked.len() < MAX_TASK_WORDS {
            let (word, stem) = (word.to_owned(), stem.into_owned());
            places.insert(stem.clone(), asked.len());
            asked.push(TaskWord {
                word,
                stem,
                weight: 1.0,
            });
        }
    });
    for TaskWord { word, weight, .. } in &mut asked {
        *weight *= (scoring.task_saturation + 1.0) / (*weight + scoring.task_saturation);
        if is_faint_word(word) {
            *weight *= scoring.faint_weight;
        }
    }
    asked
}

struct Reading<'a> {
    index: &'a Index,
    scoring: &'a Scoring,
    thesaurus: &'a Thesaurus,
    terms: BTreeMap<TermId, QueryTerm>,
}

impl Reading<'_> {
    /// Adds a word of the collection; forms of one word add up, weaker reasons only fill in.
    fn add(&mut self, term: TermId, weight: f32, origin: MatchOrigin, word: &str) {
        let fresh = || QueryTerm {
            term,
            weight: 0.0,
            origin,
            word: word.to_owned(),
        };
        let known = self.terms.entry(term).or_insert_with(fresh);
        if origin < known.origin {
            *known = QueryTerm {
                weight: 0.0,
                ..fresh()
            };
        }
        if origin == MatchOrigin::Asked {
            known.weight += weight;
        } else if origin == known.origin {
            known.weight = known.weight.max(weight);
        }
    }

    fn may_be_misspelt(&self, asked: &TaskWord) -> bool {
        !is_faint_word(&asked.word)
            && !self.thesaurus.knows(&asked.stem)
            && asked.word.chars().all(char::is_alphabetic)
    }

    fn correct(&mut self, asked: &TaskWord) {
        let vocabulary = &self.index.vocabulary;
        let weight = asked.weight * self.scoring.spelling_weight;
        let mut found: Vec<(TermId, f32)> = Vec::new();
        if asked.word.chars().count() > 2 {
            for term in vocabulary.beginning_with(&asked.stem, MAX_CORRECTIONS) {
                found.push((
                    term,
                    weight * asked.stem.len() as f32 / vocabulary.term(term).word.len() as f32,
                ));
            }
        }
        let edits = vocabulary::forgiven_edits(&asked.word);
        if edits > 0 {
            let near = vocabulary.near(&[&asked.word, &asked.stem], edits, MAX_CORRECTIONS);
            let nearest = near.first().map(|(_, edits)| *edits);
            for (term, edits) in near
                .into_iter()
                .filter(|(_, edits)| Some(*edits) == nearest)
            {
                found.push((
                    term,
                    if edits > 1 {
                        weight * self.scoring.spelling_weight
                    } else {
                        weight
                    },
                ));
            }
        }
        for (term, weight) in found {
            self.add(term, weight, MatchOrigin::Spelling, &asked.word);
        }
    }

    fn seek_compounds(&mut self, asked: &TaskWord) {
        if asked.stem.len() < MIN_PART_LENGTH || is_faint_word(&asked.word) {
            return;
        }
        for term in self
            .index
            .vocabulary
            .compounds_of(&asked.stem, MAX_COMPOUNDS)
        {
            self.add(
                term,
                asked.weight * self.scoring.compound_weight,
                MatchOrigin::Compound,
                &asked.word,
            );
        }
    }

    /// Adds related words; several words of a task that point to the same one confirm each other, up to a limit.
    fn relate(&mut self, asked: &[TaskWord]) {
        let vocabulary = &self.index.vocabulary;
        let mut related: BTreeMap<TermId, (f32, &str)> = BTreeMap::new();
        for TaskWord { word, stem, weight } in asked {
            let users = vocabulary
                .find(stem)
                .map_or(0, |term| vocabulary.term(term).head_count) as f32;
            let need = self.scoring.related_need / (self.scoring.related_need + users);
            let worth = weight.min(1.0) * need * self.scoring.related_weight;
            for (other, strength) in self.thesaurus.related(stem) {
                if let Some(term) = vocabulary.find(other) {
                    related.entry(term).or_insert((0.0, word)).0 += worth * strength;
                }
            }
        }
        for (term, (weight, word)) in related {
            let weight = weight.min(self.scoring.related_limit);
            match self.terms.get_mut(&term) {
                None => self.add(term, weight, MatchOrigin::Related, word),
                Some(known) if known.origin != MatchOrigin::Asked => known.weight += weight,
                Some(_) => {}
            }
        }
    }
}
