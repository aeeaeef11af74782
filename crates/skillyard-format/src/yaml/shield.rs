//! Keeps the scanner away from the two places where it gives up instead of refusing.
//!
//! It looks one character past the end of its input, and it stops the program at a
//! `!tag,` inside brackets. So the text always ends with a line break, and a tag is kept
//! apart from a comma by a character that occurs nowhere else: behind a tag that is a
//! plain syntax error, and inside a scalar it is taken out again.

/// A text the scanner survives, and the way back to the source.
pub(super) struct Shielded {
    /// The text to scan.
    pub(super) text: String,
    /// Whether a line break was added at the end.
    pub(super) padded: bool,
    source_length: usize,
    shield: char,
    /// Where the shield stands in `text`.
    inserted: Vec<usize>,
}

impl Shielded {
    pub(super) fn new(source: &str) -> Self {
        let shield = ('\u{e000}'..='\u{f8ff}').find(|c| !source.contains(*c));
        let shield = shield.unwrap_or('\u{e000}');
        let mut text = String::with_capacity(source.len() + 1);
        let mut inserted = Vec::new();
        let mut copied = 0;
        for comma in commas_behind_tags(source) {
            text.push_str(&source[copied..comma]);
            inserted.push(text.len());
            text.push(shield);
            copied = comma;
        }
        text.push_str(&source[copied..]);
        let padded = !source.ends_with('\n');
        if padded {
            text.push('\n');
        }
        Self {
            text,
            padded,
            source_length: source.len(),
            shield,
            inserted,
        }
    }

    /// The byte of the source that byte `offset` of the text stands for.
    pub(super) fn source_offset(&self, offset: usize) -> usize {
        let offset = self.text.floor_char_boundary(offset);
        let before = self.inserted.iter().filter(|at| **at < offset).count();
        (offset - before * self.shield.len_utf8()).min(self.source_length)
    }

    /// A scalar as it was before shielding.
    pub(super) fn unshield(&self, scalar: String) -> String {
        if self.inserted.is_empty() || !scalar.contains(self.shield) {
            scalar
        } else {
            scalar.replace(self.shield, "")
        }
    }
}

/// Each comma that could stand behind a tag, if a bracket was opened before it.
fn commas_behind_tags(source: &str) -> Vec<usize> {
    let Some(open) = source.find(['[', '{']) else {
        return Vec::new();
    };
    let mut commas: Vec<usize> = source[open..]
        .match_indices('!')
        .filter_map(|(at, _)| {
            let at = open + at;
            let end = at + source[at..].find(|c: char| c.is_whitespace() || ",[]{}".contains(c))?;
            source[end..].starts_with(',').then_some(end)
        })
        .collect();
    commas.dedup();
    commas
}
