//! The searchable form of a collection of skills: a sorted vocabulary with posting lists, in memory.

use std::borrow::Cow;
use std::collections::HashMap;

use super::pattern::TriggerPattern;
use super::stem;
use super::tokenize::{each_word, is_stop_word};
use super::vocabulary::{Term, TermId, Vocabulary};

/// Words of one field beyond this many are not indexed; it bounds the work on a hostile file.
const MAX_FIELD_WORDS: u32 = 200_000;

/// A word of a name may be several words written together if it has this many bytes and few documents have it.
const MIN_COMPOUND_LENGTH: usize = 6;
const MAX_COMPOUND_DOCUMENTS: usize = 2;

/// The number of a stop word in the table of known words.
const STOP: u32 = u32::MAX;

/// One skill to be indexed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchDocument<'a> {
    /// Distinguishes documents with the same name, such as a path or `source/name`.
    pub id: Cow<'a, str>,
    /// The skill's name.
    pub name: Cow<'a, str>,
    /// The skill's description.
    pub description: Cow<'a, str>,
    /// Tags and categories.
    pub tags: Vec<Cow<'a, str>>,
    /// When the author wants the skill to be found.
    pub triggers: Triggers<'a>,
    /// The instructions, if they are searched too.
    pub body: Option<Cow<'a, str>>,
}

/// Hints by the author of a skill on which tasks are meant for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Triggers<'a> {
    /// Words and phrases of the subject.
    pub keywords: Vec<Cow<'a, str>>,
    /// Words for actions.
    pub verbs: Vec<Cow<'a, str>>,
    /// Case-insensitive regular expressions over the task; invalid ones never match.
    pub patterns: Vec<Cow<'a, str>>,
}

/// A part of a document that is counted on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The name.
    Name,
    /// The description.
    Description,
    /// The tags.
    Tags,
    /// Keywords and verbs of the triggers.
    Triggers,
    /// The instructions.
    Body,
}

impl Field {
    /// How many fields there are.
    pub const COUNT: usize = 5;

    /// Every field, in the order of counts and weights.
    pub const ALL: [Self; Self::COUNT] = [
        Self::Name,
        Self::Description,
        Self::Tags,
        Self::Triggers,
        Self::Body,
    ];
}

/// How often a word occurs in one document, by field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Posting {
    /// The document's number.
    pub document: u32,
    /// Counts in the order of [`Field::ALL`], up to 255: scores saturate long before.
    pub counts: [u8; Field::COUNT],
}

impl Posting {
    /// How often the word occurs in the whole document.
    #[inline]
    pub(super) fn total(&self) -> f32 {
        self.counts.iter().map(|count| f32::from(*count)).sum()
    }

    /// Whether the word occurs outside the body.
    #[inline]
    pub(super) fn in_head(&self) -> bool {
        let [head @ .., _] = &self.counts;
        head.iter().any(|count| *count > 0)
    }
}

/// What the index keeps of a document besides its words.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct IndexedDocument {
    name: String,
    id: String,
    /// Words per field, in the order of [`Field::ALL`].
    pub(super) lengths: [u32; Field::COUNT],
    /// The length of the whole text, relative to the mean.
    pub(super) relative_length: f32,
}

/// A collection of skills that can be searched.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Index {
    pub(super) documents: Vec<IndexedDocument>,
    pub(super) vocabulary: Vocabulary,
    pub(super) patterns: Vec<TriggerPattern>,
    /// The mean length of each field, over the documents that have it.
    pub(super) averages: [f32; Field::COUNT],
}

impl Index {
    /// Indexes documents; hits name them by their position in this order.
    pub fn build<'a>(documents: impl IntoIterator<Item = SearchDocument<'a>>) -> Self {
        let mut builder = Builder::default();
        for document in documents.into_iter().take(u32::MAX as usize) {
            builder.add(&document);
        }
        builder.finish()
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether it has no document.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The name of a document; empty past the end.
    pub fn name(&self, document: u32) -> &str {
        let found = self.documents.get(document as usize);
        found.map_or("", |document| &document.name)
    }

    /// The identifier of a document; empty past the end.
    pub fn id(&self, document: u32) -> &str {
        let found = self.documents.get(document as usize);
        found.map_or("", |document| &document.id)
    }

    /// The documents that contain a word.
    pub(super) fn postings(&self, term: TermId) -> impl Iterator<Item = Posting> {
        self.vocabulary.term(term).postings.iter().copied()
    }
}

#[derive(Default)]
struct Builder {
    index: Index,
    /// The number of the stem, by word as written.
    seen: HashMap<String, u32>,
    numbers: HashMap<String, u32>,
    terms: Vec<Term>,
}

impl Builder {
    fn add(&mut self, document: &SearchDocument<'_>) {
        let number = self.index.len() as u32;
        let mut lengths = [0; Field::COUNT];
        self.count(number, Field::Name, &document.name, &mut lengths);
        self.count(
            number,
            Field::Description,
            &document.description,
            &mut lengths,
        );
        for tag in &document.tags {
            self.count(number, Field::Tags, tag, &mut lengths);
        }
        let triggers = &document.triggers;
        for word in triggers.keywords.iter().chain(&triggers.verbs) {
            self.count(number, Field::Triggers, word, &mut lengths);
        }
        if let Some(body) = &document.body {
            self.count(number, Field::Body, body, &mut lengths);
        }
        let patterns = triggers.patterns.iter();
        self.index
            .patterns
            .extend(patterns.map(|source| TriggerPattern::new(number, source)));
        self.index.documents.push(IndexedDocument {
            name: document.name.clone().into_owned(),
            id: document.id.clone().into_owned(),
            lengths,
            relative_length: 0.0,
        });
    }

    fn count(
        &mut self,
        document: u32,
        field: Field,
        text: &str,
        lengths: &mut [u32; Field::COUNT],
    ) {
        let Self {
            seen,
            numbers,
            terms,
            ..
        } = self;
        let length = &mut lengths[field as usize];
        each_word(text, |word| {
            if *length >= MAX_FIELD_WORDS {
                return;
            }
            let number = seen.get(word).copied().unwrap_or_else(|| {
                let number = if is_stop_word(word) {
                    STOP
                } else {
                    number_of(&stem::stem(word), numbers, terms)
                };
                seen.insert(word.to_owned(), number);
                number
            });
            if number != STOP {
                terms[number as usize].count(document, field);
                *length += 1;
            }
        });
    }

    fn finish(self) -> Index {
        let mut index = self.index;
        let documents = &mut index.documents;
        for field in 0..Field::COUNT {
            let total: u64 = sum(documents.iter().map(|document| document.lengths[field]));
            let with_field = documents
                .iter()
                .filter(|document| document.lengths[field] > 0);
            index.averages[field] = (total as f32 / with_field.count().max(1) as f32).max(1.0);
        }
        let total: u64 = sum(documents.iter().flat_map(|document| document.lengths));
        let average = (total as f32 / documents.len().max(1) as f32).max(1.0);
        for document in documents {
            document.relative_length = sum(document.lengths.into_iter()) as f32 / average;
        }
        let mut terms = self.terms;
        for term in &mut terms {
            term.finish(MIN_COMPOUND_LENGTH, MAX_COMPOUND_DOCUMENTS);
        }
        index.vocabulary = Vocabulary::new(terms);
        index
    }
}

fn sum(lengths: impl Iterator<Item = u32>) -> u64 {
    lengths.map(u64::from).sum()
}

fn number_of(word: &str, numbers: &mut HashMap<String, u32>, terms: &mut Vec<Term>) -> u32 {
    if let Some(number) = numbers.get(word) {
        return *number;
    }
    let number = terms.len() as u32;
    terms.push(Term::new(word));
    numbers.insert(word.to_owned(), number);
    number
}
