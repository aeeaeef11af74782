//! An estimate of how many tokens a model's tokenizer makes of a text.
//!
//! A real tokenizer needs megabytes of tables and a microsecond a word; reports and
//! budgets need neither. Text is cut into the runs a byte-pair tokenizer starts
//! from, and each run costs what such runs cost on average. The weights were fitted
//! to `o200k_base` on real skills; `docs/tokens.md` has the measured error.

/// What one character of a run costs, in thousandths of a token, and what a run costs on top.
struct Cost {
    run: usize,
    character: usize,
}

const WORD: Cost = Cost {
    run: 777,
    character: 51,
};
const DIGITS: Cost = Cost {
    run: 1208,
    character: 260,
};
const MARKS: Cost = Cost {
    run: 714,
    character: 133,
};
const SPACES: Cost = Cost {
    run: 700,
    character: 10,
};
const LETTERS: Cost = Cost {
    run: 1106,
    character: 201,
};
const IDEOGRAPHS: Cost = Cost {
    run: 700,
    character: 653,
};
const SYMBOLS: Cost = Cost {
    run: 1078,
    character: 317,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharacterKind {
    /// Latin letters without accents.
    Word,
    Digits,
    /// ASCII punctuation.
    Marks,
    /// Line breaks and runs of more than one space.
    Spaces,
    /// Letters of alphabets other than Latin.
    Letters,
    /// Chinese, Japanese and Korean.
    Ideographs,
    /// Emoji, arrows and box drawing.
    Symbols,
}

/// About how many tokens `text` has; never more than half its bytes, rounded up.
pub fn estimate(text: &str) -> usize {
    let mut total = 0;
    let mut previous = None;
    let mut spaces = 0;
    for c in text.chars() {
        // A single space belongs to the word behind it.
        if c == ' ' {
            spaces += 1;
            if spaces == 2 {
                total += SPACES.run;
            }
            if spaces > 1 {
                total += SPACES.character;
            }
            previous = None;
            continue;
        }
        spaces = 0;
        let kind = kind(c);
        let cost = cost(kind);
        if previous != Some(kind) {
            total += cost.run;
        }
        total += cost.character;
        previous = Some(kind);
    }
    (total / 1000)
        .max(usize::from(!text.is_empty()))
        .min(text.len().div_ceil(2))
}

fn cost(kind: CharacterKind) -> &'static Cost {
    match kind {
        CharacterKind::Word => &WORD,
        CharacterKind::Digits => &DIGITS,
        CharacterKind::Marks => &MARKS,
        CharacterKind::Spaces => &SPACES,
        CharacterKind::Letters => &LETTERS,
        CharacterKind::Ideographs => &IDEOGRAPHS,
        CharacterKind::Symbols => &SYMBOLS,
    }
}

fn kind(c: char) -> CharacterKind {
    match c {
        'a'..='z' | 'A'..='Z' => CharacterKind::Word,
        '0'..='9' => CharacterKind::Digits,
        '\0'..=' ' | '\u{7f}' => CharacterKind::Spaces,
        '!'..='~' => CharacterKind::Marks,
        '\u{2e80}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}' => CharacterKind::Ideographs,
        c if c.is_alphabetic() => CharacterKind::Letters,
        _ => CharacterKind::Symbols,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_costs_nothing_and_something_something() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("a"), 1);
    }

    #[test]
    fn an_estimate_is_at_most_half_the_bytes() {
        for text in ["🔭🔭🔭🔭", "!!!!????", "1 2 3 4 5 6", "\n\n\n\n"] {
            assert!(estimate(text) <= text.len().div_ceil(2), "{text}");
        }
    }
}
