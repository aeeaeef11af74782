//! Names of several skills that are easily confused.

use super::{Report, Subject};
use crate::name::MAX_LENGTH;
use crate::text::distance;

rule! {
    /// Two skills should not have names that differ by one letter.
    ///
    /// People and models type one and get the other. The rule looks at all the skills of
    /// one `validate` run.
    ///
    /// **Fix:** rename one so that the names say how the skills differ.
    "name-similar", Advice, check
}

/// A single skill has nothing to be confused with; see [`similar_names`].
fn check(_: &Subject<'_>, _: &mut Report) {}

/// Pairs of different names that are one edit apart, in order.
///
/// Names that differ in a digit only, such as `step-1` and `step-2`, are a series.
pub fn similar_names<'a>(names: &[&'a str]) -> Vec<(&'a str, &'a str)> {
    let mut sorted: Vec<&str> = names.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    // Two names one edit apart share a name with one letter removed, so only names
    // that meet in such a bucket are compared.
    let mut buckets: std::collections::HashMap<String, Vec<&str>> =
        std::collections::HashMap::with_capacity(sorted.len() * 8);
    // A name that is too long is told elsewhere, and its buckets could fill the memory.
    let is_compared = |name: &&&str| name.len() > 3 && name.chars().nth(MAX_LENGTH).is_none();
    for name in sorted.iter().filter(is_compared) {
        buckets.entry((*name).to_owned()).or_default().push(name);
        for (at, c) in name.char_indices() {
            let shorter = format!("{}{}", &name[..at], &name[at + c.len_utf8()..]);
            buckets.entry(shorter).or_default().push(name);
        }
    }
    let mut pairs: Vec<(&str, &str)> = buckets
        .values()
        .flat_map(|bucket| {
            bucket.iter().enumerate().flat_map(move |(at, first)| {
                bucket[at + 1..]
                    .iter()
                    .map(move |second| (*first.min(second), *first.max(second)))
            })
        })
        .filter(|(first, second)| first != second && !is_series(first, second))
        .filter(|(first, second)| distance(first, second) == 1)
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

fn is_series(first: &str, second: &str) -> bool {
    let letters = |name: &str| {
        name.chars()
            .filter(|c| !c.is_ascii_digit())
            .collect::<String>()
    };
    letters(first) == letters(second)
}
