//! A pattern that is compiled when it is first needed.

pub(crate) mod lazy_regex;
mod prefilter;

use std::fmt::Write as _;
use std::ops::{Deref, Range};
use std::sync::OnceLock;

pub(crate) mod trigrams;

use lazy_regex::{LazyRegex, parse_pattern};
use prefilter::{OrderedParts, RequiredLiterals};
use trigrams::Trigrams;

/// A regular expression over folded text: small letters, one blank, no Unicode classes.
///
/// The engine behind it has no backtracking, so a hostile text costs no more than a long one.
#[derive(Debug)]
pub(crate) struct Pattern {
    source: &'static str,
    /// Whether it counts what lies between its parts, which is slow enough to make a sketch first.
    counts: bool,
    /// Boxed, because every byte of a constant that holds an address is relocated
    /// whenever the program starts, whether it scans or not.
    compiled: OnceLock<Box<CompiledPattern>>,
}

/// What was made of a pattern so far.
#[derive(Debug, Default)]
struct CompiledPattern {
    /// What a text must hold so that it can match in it, which is found out far quicker.
    required: OnceLock<Option<RequiredLiterals>>,
    /// The parts that must stand in a text in order, which is also quicker.
    ordered_parts: OnceLock<Option<OrderedParts>>,
    expression: OnceLock<LazyRegex>,
}

impl Pattern {
    /// A pattern in the syntax of `regex`, where blanks and line breaks mean nothing.
    pub(crate) const fn new(source: &'static str) -> Self {
        Self {
            source,
            counts: has_count(source.as_bytes()),
            compiled: OnceLock::new(),
        }
    }

    /// The first match.
    pub(crate) fn find<'t>(&self, text: impl Into<ScanText<'t>>) -> Option<Range<usize>> {
        let text = text.into();
        let found = self.in_text(text)?.find(text.as_bytes())?;
        // Bytes are matched, so that either end may lie inside a character.
        Some(text.floor_char_boundary(found.start)..text.ceil_char_boundary(found.end))
    }

    /// Whether there is a match.
    pub(crate) fn is_match<'t>(&self, text: impl Into<ScanText<'t>>) -> bool {
        let text = text.into();
        self.may_be_in(text) && self.expression().first_end(text.as_bytes(), 0).is_some()
    }

    /// Whether the sketch of `text` rules a match out.
    pub(crate) fn is_ruled_out(&self, text: ScanText<'_>) -> bool {
        let trigrams = text.trigrams();
        trigrams.is_some_and(|trigrams| !self.may_match(|| trigrams))
    }

    /// How often it matches, counted up to `most`.
    pub(crate) fn count<'t>(&self, text: impl Into<ScanText<'t>>, most: usize) -> usize {
        let text = text.into();
        let expression = self.in_text(text);
        let found = expression.map(|expression| expression.find_all(text.as_bytes()));
        found.into_iter().flatten().take(most).count()
    }

    /// Every match.
    pub(crate) fn find_all<'t>(
        &self,
        text: impl Into<ScanText<'t>>,
    ) -> impl Iterator<Item = &'t str> {
        let text = text.into();
        self.ranges(text).map(move |range| &text.plain()[range])
    }

    /// Where every match is.
    pub(crate) fn ranges<'t>(
        &self,
        text: impl Into<ScanText<'t>>,
    ) -> impl Iterator<Item = Range<usize>> {
        let text = text.into();
        let expression = self.in_text(text);
        let found = expression.map(|expression| expression.find_all(text.plain().as_bytes()));
        found
            .into_iter()
            .flatten()
            .filter(move |range| text.get(range.clone()).is_some())
    }

    /// The expression, if it may match in `text`.
    fn in_text(&self, text: ScanText<'_>) -> Option<&LazyRegex> {
        self.may_be_in(text).then(|| self.expression())
    }

    fn compiled(&self) -> &CompiledPattern {
        self.compiled.get_or_init(Box::default)
    }

    fn expression(&self) -> &LazyRegex {
        self.compiled().expression.get_or_init(|| {
            let meaning = parse_pattern(&bytes(self.source));
            LazyRegex::new(meaning.expect("a pattern is a constant"))
        })
    }

    /// Whether `text` has everything without which it cannot match.
    fn may_be_in(&self, text: ScanText<'_>) -> bool {
        let may_match = match text.trigrams() {
            Some(trigrams) => self.may_match(|| trigrams),
            None if self.counts => {
                let trigrams = &mut None;
                self.may_match(|| trigrams.insert(Trigrams::of(&text)))
            }
            None => true,
        };
        may_match && (!self.counts || self.has_parts(text))
    }

    /// Whether a text with this sketch may hold a match.
    fn may_match<'g>(&self, trigrams: impl FnOnce() -> &'g Trigrams) -> bool {
        let read = || RequiredLiterals::of(&bytes(self.source));
        let required = self.compiled().required.get_or_init(read).as_ref();
        required.is_none_or(|required| required.may_be_in(trigrams()))
    }

    /// Whether a text may hold the parts of a match in their order.
    fn has_parts(&self, text: ScanText<'_>) -> bool {
        let read = || OrderedParts::of(self.expression().meaning());
        let ordered_parts = self.compiled().ordered_parts.get_or_init(read).as_ref();
        ordered_parts.is_none_or(|ordered_parts| ordered_parts.may_match(text.as_bytes()))
    }
}

/// Whether a source holds `{0,`.
const fn has_count(source: &[u8]) -> bool {
    let mut at = 0;
    while at + 2 < source.len() {
        if source[at] == b'{' && source[at + 1] == b'0' && source[at + 2] == b',' {
            return true;
        }
        at += 1;
    }
    false
}

/// The source with letters of other alphabets written as their bytes, which is what is matched.
fn bytes(source: &str) -> String {
    let mut plain = String::with_capacity(source.len());
    for c in source.chars() {
        if c.is_ascii() {
            plain.push(c);
        } else {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(plain, "\\x{byte:02x}");
            }
        }
    }
    plain
}

/// A plain text, and its sketch where one was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScanText<'a> {
    plain: &'a str,
    trigrams: Option<&'a Trigrams>,
}

impl<'a> ScanText<'a> {
    /// A text that more than one pattern is asked about, with its sketch.
    pub(crate) fn with_trigrams(plain: &'a str, trigrams: &'a Trigrams) -> Self {
        Self {
            plain,
            trigrams: Some(trigrams),
        }
    }

    /// The text itself.
    pub(crate) fn plain(self) -> &'a str {
        self.plain
    }

    /// Its sketch, or that of a text it is a part of.
    pub(crate) fn trigrams(self) -> Option<&'a Trigrams> {
        self.trigrams
    }
}

impl<'a> From<&'a str> for ScanText<'a> {
    fn from(plain: &'a str) -> Self {
        Self {
            plain,
            trigrams: None,
        }
    }
}

impl<'a> From<&&'a str> for ScanText<'a> {
    fn from(plain: &&'a str) -> Self {
        Self::from(*plain)
    }
}

impl<'a> From<&'a String> for ScanText<'a> {
    fn from(plain: &'a String) -> Self {
        Self::from(plain.as_str())
    }
}

impl Deref for ScanText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.plain
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::path::Path;

    /// The source of each pattern in a file, as it is matched: the raw strings behind each
    /// `Pattern::new(`.
    pub(crate) fn sources_of(path: &Path) -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap();
        let places = text.match_indices("Pattern::new(");
        let raw = places.filter_map(|(at, start)| {
            let rest = text[at + start.len()..].trim_start();
            let (rest, end) = match rest.strip_prefix("r#\"") {
                Some(rest) => (rest, "\"#"),
                None => (rest.strip_prefix("r\"")?, "\""),
            };
            rest.split_once(end).map(|(source, _)| bytes(source))
        });
        raw.collect()
    }

    /// The source of each pattern below a folder.
    fn sources(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.extend(sources_of(&path));
            }
        }
    }

    /// The source of every pattern, as it is matched.
    pub(crate) fn all_sources() -> Vec<String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut found = Vec::new();
        sources(&folder, &mut found);
        assert!(found.len() > 100, "{}", found.len());
        found
    }

    #[test]
    fn every_pattern_compiles() {
        for source in all_sources() {
            let expression = parse_pattern(&source).map(LazyRegex::new).unwrap();
            assert!(expression.is_sound(), "{source}");
        }
    }

    #[test]
    fn other_alphabets_are_matched() {
        let pattern = Pattern::new("忽略.{0,6}指令");
        assert!(pattern.is_match("请忽略 指令"));
    }
}
