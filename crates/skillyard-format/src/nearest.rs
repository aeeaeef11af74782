//! Did you mean: the nearest known word.

/// The number of edits between two words, a swap of neighbours being one.
pub fn distance(first: &str, second: &str) -> usize {
    strsim::osa_distance(first, second)
}

/// The candidate nearest to `word`, if one is near enough to be meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match word.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(edits, _)| *edits <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let known = ["description", "name", "license"];
        assert_eq!(nearest("desciption", known), Some("description"));
        assert_eq!(nearest("licence", known), Some("license"));
        assert_eq!(nearest("mane", known), None);
        assert_eq!(nearest("nmae", known), Some("name"));
        assert_eq!(nearest("homepage", known), None);
    }
}
