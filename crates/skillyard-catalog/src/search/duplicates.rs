//! Descriptions that say nearly the same, so that a model cannot tell which skill is meant.
//!
//! Two descriptions are as similar as the share of their words that both have. Pairs are found exactly and without comparing all with
//! all: of two similar sets, the rarest few words of one must hold one of the rarest few of the other, so only those are indexed.

use std::collections::{BTreeSet, HashMap};

use super::index::SearchDocument;
use super::stem;
use super::tokenize::{each_word, is_stop_word};

/// Pairs beyond this many are not listed; a collection with more has been told enough.
const MAX_PAIRS: usize = 100_000;

/// The lowest threshold; below it, almost everything is similar to almost everything.
const MIN_THRESHOLD: f32 = 0.1;

/// What a rounded product may be off by.
const SLACK: f32 = 1e-3;

/// Two documents with similar descriptions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearDuplicate {
    /// The one that came first.
    pub first: u32,
    /// The other.
    pub second: u32,
    /// The share of words that both have, up to 1.
    pub similarity: f32,
}

/// Finds pairs of documents whose descriptions are similar by at least `threshold`, the most similar first.
///
/// Of several equal descriptions, each is paired with the first only. Empty descriptions are like no other.
pub fn near_duplicates(documents: &[SearchDocument<'_>], threshold: f32) -> Vec<NearDuplicate> {
    let threshold = threshold.clamp(MIN_THRESHOLD, 1.0);
    let mut pairs = Vec::new();
    let mut distinct: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut first_with: HashMap<Vec<u32>, u32> = HashMap::new();
    for (document, set) in (0_u32..).zip(rarest_first(documents)) {
        if set.is_empty() {
            continue;
        }
        if let Some(first) = first_with.get(&set) {
            pairs.push(NearDuplicate {
                first: *first,
                second: document,
                similarity: 1.0,
            });
        } else {
            first_with.insert(set.clone(), document);
            distinct.push((document, set));
        }
    }
    similar_pairs(&distinct, threshold, &mut pairs);
    pairs.sort_by(|left, right| {
        right
            .similarity
            .total_cmp(&left.similarity)
            .then((left.first, left.second).cmp(&(right.first, right.second)))
    });
    pairs.truncate(MAX_PAIRS);
    pairs
}

/// The words of each description as numbers, where a lower number is a rarer word, in order.
fn rarest_first(documents: &[SearchDocument<'_>]) -> Vec<Vec<u32>> {
    let sets: Vec<BTreeSet<String>> = documents
        .iter()
        .map(|document| description_words(&document.description))
        .collect();
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for word in sets.iter().flatten() {
        *counts.entry(word).or_default() += 1;
    }
    let mut order: Vec<(u32, &str)> = counts
        .into_iter()
        .map(|(word, count)| (count, word))
        .collect();
    order.sort_unstable();
    let numbers: HashMap<&str, u32> = (0_u32..)
        .zip(&order)
        .map(|(number, (_, word))| (*word, number))
        .collect();
    let numbered = |set: &BTreeSet<String>| {
        let mut set: Vec<u32> = set
            .iter()
            .filter_map(|word| numbers.get(word.as_str()).copied())
            .collect();
        set.sort_unstable();
        set
    };
    sets.iter().map(numbered).collect()
}

fn description_words(description: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    each_word(description, |word| {
        if !is_stop_word(word) {
            found.insert(stem::stem(word).into_owned());
        }
    });
    found
}

fn similar_pairs(sets: &[(u32, Vec<u32>)], threshold: f32, pairs: &mut Vec<NearDuplicate>) {
    let mut holders: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut compared_with = vec![usize::MAX; sets.len()];
    for (place, (document, set)) in sets.iter().enumerate() {
        // Sets that share `threshold` of their words share one of this many rarest ones.
        let needed = (threshold * set.len() as f32 - SLACK).ceil() as usize;
        for word in &set[..=set.len() - needed.clamp(1, set.len())] {
            let earlier = holders.entry(*word).or_default();
            for other in earlier.iter().copied() {
                if compared_with[other] == place || pairs.len() >= MAX_PAIRS {
                    continue;
                }
                compared_with[other] = place;
                let similarity = shared_part(set, &sets[other].1, threshold);
                if similarity >= threshold {
                    pairs.push(NearDuplicate {
                        first: sets[other].0,
                        second: *document,
                        similarity,
                    });
                }
            }
            earlier.push(place);
        }
    }
}

/// The share of words that both sets have; 0 where their sizes alone rule `threshold` out.
fn shared_part(left: &[u32], right: &[u32], threshold: f32) -> f32 {
    let (small, large) = (left.len().min(right.len()), left.len().max(right.len()));
    if (small as f32) < threshold * large as f32 - SLACK {
        return 0.0;
    }
    let (mut shared, mut at_left, mut at_right) = (0, 0, 0);
    while at_left < left.len() && at_right < right.len() {
        let order = left[at_left].cmp(&right[at_right]);
        shared += usize::from(order.is_eq());
        at_left += usize::from(order.is_le());
        at_right += usize::from(order.is_ge());
    }
    shared as f32 / (left.len() + right.len() - shared) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn described<'a>(descriptions: &[&'a str]) -> Vec<SearchDocument<'a>> {
        descriptions
            .iter()
            .map(|description| SearchDocument {
                description: (*description).into(),
                ..SearchDocument::default()
            })
            .collect()
    }

    #[test]
    fn finds_similar_and_equal_descriptions() {
        let documents = described(&[
            "Fill in PDF forms and extract tables",
            "Deploy containers to a cluster",
            "Extract tables and fill in PDF form",
            "Fill in PDF forms, extract tables, merge pages",
            "",
            "",
        ]);
        let found: Vec<(u32, u32)> = near_duplicates(&documents, 0.5)
            .iter()
            .map(|pair| (pair.first, pair.second))
            .collect();
        assert_eq!(found, [(0, 2), (0, 3)]);
    }

    #[test]
    fn many_equal_descriptions_are_not_all_paired() {
        let documents = described(&vec!["Manage invoices by mail"; 5_000]);
        assert_eq!(near_duplicates(&documents, 0.8).len(), 4_999);
    }

    proptest! {
        #[test]
        fn finds_exactly_what_comparing_all_with_all_finds(
            texts in proptest::collection::vec("[k-p]{1,2}( [k-p]{1,2}){0,5}", 0..14), threshold in 0.2_f32..1.0,
        ) {
            let documents = described(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            let sets = rarest_first(&documents);
            let mut expected = BTreeSet::new();
            for second in 0..sets.len() {
                let is_new = |place: &usize| !sets[..*place].contains(&sets[*place]) && !sets[*place].is_empty();
                if !is_new(&second) { continue }
                for first in (0..second).filter(is_new) {
                    if shared_part(&sets[first], &sets[second], threshold) >= threshold {
                        expected.insert((first as u32, second as u32));
                    }
                }
            }
            let found: BTreeSet<(u32, u32)> = near_duplicates(&documents, threshold)
                .iter().filter(|pair| sets[pair.first as usize] != sets[pair.second as usize])
                .map(|pair| (pair.first, pair.second)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
