//! Words that say little: left out altogether, or counted at a fraction.
//!
//! Inverse document frequency finds common words only in a large collection. With twenty skills installed, `latest` and `recommend`
//! look as rare as `invoice`; the list of faint words carries that general knowledge of English into small collections.

use std::collections::HashSet;
use std::sync::LazyLock;

static STOP: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("stop.txt").split_whitespace().collect());
static FAINT: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("faint.txt").split_whitespace().collect());

/// Whether a lower-case word is a function word, which is neither indexed nor searched.
pub fn is_stop(word: &str) -> bool {
    STOP.contains(word)
}

/// Whether a lower-case word belongs to the asking and not to what is asked for.
pub fn is_faint(word: &str) -> bool {
    FAINT.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_stop_faint_and_plain_words_apart() {
        assert!(is_stop("the") && !is_faint("the"));
        assert!(is_faint("recommend") && !is_stop("recommend"));
        assert!(!is_stop("invoice") && !is_faint("invoice"));
        assert!(STOP.is_disjoint(&FAINT));
    }
}
