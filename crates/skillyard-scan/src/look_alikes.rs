//! Characters and words that pass for others.

use std::cmp::Ordering;

/// Whether a character takes no room, so that words can be cut apart unseen.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character has no other form: the frames and arrows of diagrams, and the letters of
/// Chinese and Korean.
pub(super) fn is_its_own(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2500}'..='\u{259f}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// The ASCII letter that a Cyrillic or Greek one is taken for.
pub(crate) fn look_alike(c: char) -> Option<char> {
    Some(match c {
        'а' | 'А' | 'α' | 'Α' => 'a',
        'В' | 'Β' => 'b',
        'с' | 'С' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'Е' | 'Ε' | 'ё' => 'e',
        'һ' | 'Н' | 'Η' => 'h',
        'і' | 'І' | 'ι' | 'Ι' | 'ı' => 'i',
        'ј' | 'Ј' => 'j',
        'К' | 'Κ' => 'k',
        'ӏ' => 'l',
        'М' | 'Μ' => 'm',
        'Ν' => 'n',
        'о' | 'О' | 'ο' | 'Ο' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'ԛ' => 'q',
        'ѕ' | 'Ѕ' => 's',
        'Т' | 'Τ' => 't',
        'ν' => 'v',
        'ԝ' => 'w',
        'х' | 'Х' | 'χ' | 'Χ' => 'x',
        'у' | 'У' | 'Υ' => 'y',
        'Ζ' => 'z',
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ => return None,
    })
}

/// Whether `part` is `word` with two letters swapped, one doubled, one left out or one added.
pub(crate) fn is_typo(part: &str, word: &str) -> bool {
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
            // A long word with one wrong letter is still the same word.
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
    use unicode_normalization::UnicodeNormalization as _;

    #[test]
    fn what_is_its_own_has_no_other_form() {
        for c in ('\u{80}'..='\u{ffff}').filter(|c| is_its_own(*c)) {
            let other: String = std::iter::once(c)
                .nfkc()
                .flat_map(char::to_lowercase)
                .collect();
            assert_eq!(other, c.to_string());
            assert!(look_alike(c).is_none() && !is_invisible(c) && !c.is_whitespace());
        }
    }

    #[test]
    fn slips_are_told_from_other_words() {
        for typo in ["parsre", "paarser", "praser"] {
            assert!(is_typo(typo, "parser"), "{typo}");
        }
        assert!(is_typo("validater", "validator"));
        for other in ["parser", "parsers", "parse", "barser", "purser"] {
            assert!(!is_typo(other, "parser"), "{other}");
        }
    }
}
