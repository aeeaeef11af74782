//! Whether a word is another with a letter wrong.

use std::cmp::Ordering;

/// Whether `part` is `word` with two letters swapped, one doubled, one left out or one added.
pub(crate) fn is_slip(part: &str, word: &str) -> bool {
    let (part, word) = (part.as_bytes(), word.as_bytes());
    let is_near = part.len() >= 5 && word.len() >= 5 && part.len().abs_diff(word.len()) <= 1;
    if !is_near || part == word || part[0] != word[0] {
        return false;
    }
    let start = part.iter().zip(word).take_while(|(a, b)| a == b).count();
    match part.len().cmp(&word.len()) {
        Ordering::Equal => {
            let swapped = part.get(start) == word.get(start + 1)
                && part.get(start + 1) == word.get(start)
                && part.get(start + 2..) == word.get(start + 2..);
            // In a long word one wrong letter inside is no other word.
            let replaced = word.len() >= 8
                && start + 1 < part.len()
                && part.get(start + 1..) == word.get(start + 1..);
            swapped || replaced
        }
        // An ending such as `s` makes another form of the word, not a slip.
        Ordering::Greater => start < word.len() && part.get(start + 1..) == word.get(start..),
        Ordering::Less => start < part.len() && part.get(start..) == word.get(start + 1..),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_told_from_other_words() {
        for slip in ["parsre", "paarser", "praser"] {
            assert!(is_slip(slip, "parser"), "{slip}");
        }
        assert!(is_slip("validater", "validator"));
        for other in ["parser", "parsers", "parse", "barser", "purser"] {
            assert!(!is_slip(other, "parser"), "{other}");
        }
    }
}
