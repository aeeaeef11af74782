//! From documents to an index, in one pass: posting lists grow while documents stream by, so bodies are never held together.

use std::collections::HashMap;

use super::document::{Document, Field};
use super::index::Index;
use super::pattern::Pattern;
use super::posting::{self, Posting};
use super::vocabulary::Vocabulary;
use super::{stem, tokenize, words};

/// Words beyond this many in one body are not indexed; it bounds the work on a hostile file.
const LONGEST_BODY: u32 = 200_000;

/// A word of a name may be several written together if it is this long, in bytes, and hardly anybody else uses it.
const COMPOUND_LENGTH: usize = 6;
const COMPOUND_DOCUMENTS: u32 = 2;

/// The number given to a stop word in the table of words seen.
const STOP: u32 = u32::MAX;

pub(super) fn build<'a>(documents: impl IntoIterator<Item = Document<'a>>) -> Index {
    let mut builder = Builder::default();
    // Posting lists keep one bit of the document number for themselves.
    for document in documents.into_iter().take((u32::MAX / 2) as usize) {
        builder.add(&document);
    }
    builder.finish()
}

#[derive(Default)]
struct Builder {
    index: Index,
    /// Number of the stem, by word as written.
    seen: HashMap<String, u32>,
    numbers: HashMap<String, u32>,
    lists: Vec<List>,
    /// The stems of the document being read, by number.
    met: Vec<u32>,
}

#[derive(Default)]
struct List {
    /// Counts in the document being read.
    counts: [u32; Field::COUNT],
    bytes: Vec<u8>,
    last: Option<u32>,
    documents: u32,
    in_head: u32,
    in_name: bool,
}

impl Builder {
    fn add(&mut self, document: &Document<'_>) {
        let number = self.index.lengths.len() as u32;
        self.index.names.push(&document.name);
        self.index.ids.push(&document.id);
        let mut lengths = [0; Field::COUNT];
        self.count(Field::Name, &document.name, &mut lengths);
        self.count(Field::Description, &document.description, &mut lengths);
        for tag in &document.tags {
            self.count(Field::Tags, tag, &mut lengths);
        }
        for word in document
            .triggers
            .keywords
            .iter()
            .chain(&document.triggers.verbs)
        {
            self.count(Field::Triggers, word, &mut lengths);
        }
        if let Some(body) = &document.body {
            self.count(Field::Body, body, &mut lengths);
        }
        self.index.lengths.push(lengths);
        self.index.patterns.extend(
            document
                .triggers
                .patterns
                .iter()
                .map(|source| Pattern::new(number, source)),
        );
        for term in self.met.drain(..) {
            let list = &mut self.lists[term as usize];
            let counts = std::mem::take(&mut list.counts);
            let posting = Posting {
                document: number,
                counts,
            };
            posting::push(&mut list.bytes, list.last, &posting);
            list.last = Some(number);
            list.documents += 1;
            if posting.in_head() {
                list.in_head += 1;
                list.in_name |= counts[Field::Name as usize] > 0;
            }
        }
    }

    fn count(&mut self, field: Field, text: &str, lengths: &mut [u32; Field::COUNT]) {
        let Self {
            seen,
            numbers,
            lists,
            met,
            ..
        } = self;
        let length = &mut lengths[field as usize];
        tokenize::each_word(text, |word| {
            if *length >= LONGEST_BODY {
                return;
            }
            let number = seen.get(word).copied().unwrap_or_else(|| {
                let number = if words::is_stop(word) {
                    STOP
                } else {
                    number_of(&stem::stem(word), numbers, lists)
                };
                seen.insert(word.to_owned(), number);
                number
            });
            if number != STOP {
                let counts = &mut lists[number as usize].counts;
                if *counts == [0; Field::COUNT] {
                    met.push(number);
                }
                counts[field as usize] += 1;
                *length += 1;
            }
        });
    }

    fn finish(self) -> Index {
        let mut index = self.index;
        let mut order: Vec<(String, u32)> = self.numbers.into_iter().collect();
        order.sort_unstable();
        let (mut documents, mut in_head, mut ends, mut compounds) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (id, (term, number)) in (0_u32..).zip(&order) {
            let list = &self.lists[*number as usize];
            index.postings.extend_from_slice(&list.bytes);
            documents.push(list.documents);
            in_head.push(list.in_head);
            ends.push(u32::try_from(index.postings.len()).unwrap_or(u32::MAX));
            if list.in_name && list.documents <= COMPOUND_DOCUMENTS && term.len() >= COMPOUND_LENGTH
            {
                compounds.push(id);
            }
        }
        index.postings.shrink_to_fit();
        index.vocabulary = Vocabulary::new(
            order.iter().map(|(term, _)| term.as_str()).collect(),
            documents,
            in_head,
            ends,
            compounds,
        );
        index.finish()
    }
}

fn number_of(term: &str, numbers: &mut HashMap<String, u32>, lists: &mut Vec<List>) -> u32 {
    if let Some(number) = numbers.get(term) {
        return *number;
    }
    let number = lists.len() as u32;
    lists.push(List::default());
    numbers.insert(term.to_owned(), number);
    number
}
