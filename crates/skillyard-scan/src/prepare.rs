//! A file made ready for the rules: its plain text, cut into units that know what they are.

mod cut;

use std::borrow::Cow;
use std::ops::Range;

use skillyard_format::Span;

use super::file::{File, Language};
use super::fold::Folded;
use super::reading::{Places, Read, Taken, read};

/// What a unit is, to whoever reads or runs the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Read by the agent.
    Prose,
    /// The title of what follows.
    Heading,
    /// A field of the frontmatter.
    Frontmatter,
    /// Not shown when the Markdown is rendered, but read by the agent.
    Hidden,
    /// A statement of a script, or of a fenced block.
    Code,
    /// A comment or the documentation of a script.
    Comment,
    /// A line of a file that holds values.
    Data,
    /// What an encoded text says.
    Decoded,
}

/// A paragraph, a statement, a field: the largest piece that a pattern can match in.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    pub(crate) place: Place,
    pub(crate) language: Language,
    /// Where it is in the plain text.
    pub(crate) range: Range<usize>,
    /// The unit of the heading above, if there is one.
    pub(crate) heading: Option<usize>,
    /// Which block of the file it belongs to: one fence, or the whole script.
    pub(crate) block: usize,
    /// Whether its text was put together from other places, too: variables, aliases.
    pub(crate) assembled: bool,
}

/// A file that was prepared.
#[derive(Debug)]
pub(crate) struct Prepared<'a> {
    pub(crate) path: &'a str,
    pub(crate) executable: bool,
    pub(crate) bytes: &'a [u8],
    /// Whether it is Markdown or plain text, with its code in fences.
    pub(crate) is_document: bool,
    /// Whether it is text at all.
    pub(crate) is_text: bool,
    /// How places in the source become places in the file.
    pub(crate) places: Places,
    /// How many null bytes are in what is taken for text, and where the first is.
    pub(crate) nulls: Option<(usize, usize)>,
    /// The text as it was written, but for null bytes; the words in it if it is no text.
    pub(crate) source: Cow<'a, str>,
    pub(crate) folded: Folded,
    pub(crate) units: Vec<Unit>,
    /// The fields of a skill that are read as something else than what is written.
    pub(crate) fields: Vec<Folded>,
    /// Where the strings of its code are, in the source.
    strings: Vec<Range<usize>>,
}

impl<'a> Prepared<'a> {
    /// Prepares a file.
    pub(crate) fn new(file: &File<'a>, taken: Taken) -> Self {
        let Read {
            text: source,
            is_text,
            places,
            nulls,
        } = read(file, taken);
        let language = if is_text {
            Language::of_file(file.path, &source)
        } else {
            Some(Language::Other)
        };
        let mut prepared = Self {
            path: file.path,
            executable: file.executable,
            bytes: file.bytes,
            is_document: language.is_none(),
            is_text,
            places,
            nulls,
            source,
            folded: Folded::default(),
            units: Vec::new(),
            fields: Vec::new(),
            strings: Vec::new(),
        };
        prepared.cut(language);
        prepared
    }

    /// The plain text of a unit.
    pub(crate) fn text(&self, unit: &Unit) -> &str {
        &self.folded.text[unit.range.clone()]
    }

    /// Whether byte `at` of the plain text is inside a string of a program.
    pub(crate) fn is_in_string(&self, at: usize) -> bool {
        let at = self.folded.source_of(at);
        let after = self.strings.partition_point(|range| range.start <= at);
        let string = after
            .checked_sub(1)
            .and_then(|index| self.strings.get(index));
        string.is_some_and(|range| range.contains(&at))
    }

    /// The span of the source that `range` of the plain text came from.
    pub(crate) fn span(&self, range: Range<usize>) -> Span {
        self.folded.span(&self.source, range)
    }

    /// Where the text that a unit was decoded from stands.
    pub(crate) fn origin(&self, unit: &Unit) -> Span {
        let start = self.folded.source_of(unit.range.start);
        // Behind the unit stands the mark of its end, which came from the end of the text.
        let end = self.folded.source_of(unit.range.end).max(start);
        Span::new(start, end.min(self.source.len()))
    }

    /// The last part of its path.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }

    /// Whether it is the file that says what the skill is.
    pub(crate) fn is_skill_file(&self) -> bool {
        self.name().eq_ignore_ascii_case("skill.md")
    }
}
