//! What a sentence means, by the classes of words in it rather than by their order.
//!
//! A sentence of orders can be put in a thousand ways, but it cannot do without its verb, its
//! object and its addressee. A [`Intent`] names those classes; a sentence that holds one
//! word of each, and none that turns it round, has the meaning.

use std::ops::Range;

use crate::pattern::{Pattern, ScanText};

/// Classes of words that a sentence must hold, and those that it must not.
pub(crate) struct Intent {
    pub(crate) all: &'static [&'static Pattern],
    pub(crate) none: &'static [&'static Pattern],
}

impl Intent {
    /// The first sentence of `text` with this meaning.
    pub(crate) fn find<'t>(&self, text: impl Into<ScanText<'t>>) -> Option<Range<usize>> {
        let text = text.into();
        // Most texts lack one of the classes, and need not be taken apart.
        if self.all.iter().any(|class| class.is_ruled_out(text)) {
            return None;
        }
        if !self.all.iter().all(|class| class.is_match(text)) {
            return None;
        }
        let found = sentences(&text).find(|range| self.is_in(&text[range.clone()]))?;
        let blank = text[found.clone()].len() - text[found.clone()].trim_start().len();
        Some(found.start + blank..found.end)
    }

    fn is_in(&self, sentence: &str) -> bool {
        self.all.iter().all(|class| class.is_match(sentence))
            && !self.none.iter().any(|class| class.is_match(sentence))
    }
}

/// The first sentence of `text` with one of the meanings.
pub(crate) fn find<'t>(meanings: &[Intent], text: impl Into<ScanText<'t>>) -> Option<Range<usize>> {
    let text = text.into();
    meanings.iter().find_map(|meaning| meaning.find(text))
}

/// The sentences of a paragraph.
fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    let mut ends = text.char_indices().peekable();
    std::iter::from_fn(move || {
        while let Some((at, c)) = ends.next() {
            let ends_here = match c {
                '.' | '!' | '?' => ends
                    .peek()
                    .is_none_or(|(_, next)| matches!(next, ' ' | '"' | ')')),
                '。' | '！' | '？' => true,
                _ => false,
            };
            if ends_here {
                let range = start..at + c.len_utf8();
                start = range.end;
                return Some(range);
            }
        }
        let range = start..text.len();
        start = text.len();
        (!range.is_empty()).then_some(range)
    })
}

/// Abbreviations, which do not end a sentence.
const SHORTENED: [&str; 5] = ["..", "e.g.", "etc.", "i.e.", "vs."];

/// The last `most` bytes of `before`, as far as they are in one sentence with what follows them.
pub(crate) fn same_sentence(before: &str, most: usize) -> &str {
    let from = before.len().saturating_sub(most);
    let near = &before[before.ceil_char_boundary(from)..];
    let mut start = 0;
    for sentence in sentences(near) {
        let goes_on = SHORTENED
            .iter()
            .any(|end| near[..sentence.start].ends_with(end));
        if !goes_on {
            start = sentence.start;
        }
    }
    &near[start..]
}

/// Words that turn an order into its opposite.
pub(crate) static NOT: Pattern = Pattern::new(
    r"\b(?:never|not|don't|doesn't|avoid|refuse|reject|must\s+not|cannot|can't|no\s+longer\s+need|instead\s+of|rather\s+than|unless|beware|flag|warn)\b",
);
/// Words for something that is done each time, or of itself.
pub(crate) static HABIT: Pattern = Pattern::new(
    r"\b(?:always|every|each|all|any|whenever|automatically|after|before|once|when\s+you|while\s+you|at\s+the\s+(?:end|start)|when\s+done|by\s+default|must|first|from\s+now\s+on)\b",
);

#[cfg(test)]
mod tests {
    use super::*;

    static VERB: Pattern = Pattern::new(r"\bsend\b");
    static OBJECT: Pattern = Pattern::new(r"\bfile\b");
    static SENDS: Intent = Intent {
        all: &[&VERB, &OBJECT],
        none: &[&NOT],
    };

    #[test]
    fn what_stands_before_is_of_the_same_sentence() {
        for (before, expected) in [
            ("never do this. then run ", " then run "),
            ("never do this: ", "never do this: "),
            ("never. ", " "),
            ("avoid words, e.g. ", "avoid words, e.g. "),
            ("never use x.y ", "never use x.y "),
            ("never run echo ... | ", "never run echo ... | "),
            ("", ""),
        ] {
            assert_eq!(same_sentence(before, 40), expected, "{before}");
        }
        assert_eq!(same_sentence("é never", 6), " never");
    }

    #[test]
    fn a_meaning_lies_in_one_sentence() {
        assert!(SENDS.find("the file is what you send.").is_some());
        assert!(SENDS.find("send it. the file stays.").is_none());
        assert!(SENDS.find("do not send the file.").is_none());
        let text = "open x.txt first. then send the file! done";
        assert_eq!(&text[SENDS.find(text).unwrap()], "then send the file!");
    }
}
