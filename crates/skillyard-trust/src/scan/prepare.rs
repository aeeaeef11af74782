//! A file made ready for the rules: its plain text, cut into units that know what they are.

use std::borrow::Cow;
use std::ops::Range;

use skillyard_format::Span;
use skillyard_format::text::is_forbidden;

use super::code;
use super::decode::decoded;
use super::fields::fields;
use super::file::{File, Language};
use super::fold::{Folded, Mode};
use super::markdown::{Block, Region, regions};
use super::pieces::Pieces;
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

    /// A file of which each of the texts that follow one another in it is a unit.
    #[cfg(test)]
    pub(super) fn of_units(
        path: &'a str,
        source: &'a str,
        texts: &[String],
        place: Place,
        language: Language,
    ) -> Self {
        let file = File {
            path,
            bytes: source.as_bytes(),
            executable: false,
        };
        let mut prepared = Self::new(&file, Taken::Dropped);
        prepared.folded = Folded::default();
        prepared.units.clear();
        prepared.strings.clear();
        let mode = match place {
            Place::Prose | Place::Heading | Place::Hidden => Mode::Prose,
            _ => Mode::Code,
        };
        let mut end = 0;
        for text in texts {
            let (start, from) = (prepared.folded.text.len(), end);
            end += text.len();
            prepared.folded.push(source, from..end, mode);
            prepared.finish(place, language, start, None, 0, end);
        }
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

    fn cut(&mut self, language: Option<Language>) {
        let source = std::mem::take(&mut self.source);
        // Little is added to what was written, and most of it is kept.
        self.folded.text.reserve(source.len() + 64);
        match language {
            None => self.cut_document(&source),
            Some(language) => self.cut_code(&source, 0..source.len(), language, None, 0),
        }
        let mut all = decoded(&source);
        for field in &self.fields {
            all.extend(decoded(&field.text).into_iter().map(|mut each| {
                let span = field.span(&source, each.range);
                each.range = span.start..span.end;
                each
            }));
        }
        for each in all {
            let start = self.folded.text.len();
            for c in each.text.chars() {
                let c = if c.is_whitespace() { ' ' } else { c };
                self.folded.put(each.range.start, c.to_ascii_lowercase());
            }
            self.finish(
                Place::Decoded,
                Language::Other,
                start,
                None,
                0,
                each.range.end,
            );
        }
        self.source = source;
    }

    fn cut_document(&mut self, source: &str) {
        let mut heading = None;
        let regions = regions(source);
        if self.is_skill_file() {
            self.fields = fields(source, &regions);
        }
        let is_field = |region: &&Region| region.block == Block::Frontmatter;
        let body = regions.iter().take_while(is_field).count();
        let blocks = regions.len();
        if body == 0 {
            self.cut_fields(blocks);
        }
        for (block, region) in regions.into_iter().enumerate() {
            let place = match region.block {
                Block::Fence(language) => {
                    self.cut_code(source, region.range, language, heading, block);
                    continue;
                }
                Block::Frontmatter => Place::Frontmatter,
                Block::Heading => Place::Heading,
                Block::Prose => Place::Prose,
                Block::Comment => Place::Hidden,
            };
            let start = self.folded.text.len();
            let end = region.range.end;
            // Stars mean something in a list of tools.
            let mode = match place {
                Place::Frontmatter => Mode::Code,
                _ => Mode::Prose,
            };
            self.folded.push(source, region.range, mode);
            if place == Place::Heading {
                heading = Some(self.units.len());
            }
            self.finish(place, Language::Other, start, heading, block, end);
            if block + 1 == body {
                self.cut_fields(blocks);
            }
        }
    }

    /// Adds the fields as they are read, behind the fields as they are written.
    fn cut_fields(&mut self, block: usize) {
        for field in std::mem::take(&mut self.fields) {
            let start = self.folded.text.len();
            let mut plain = Folded::default();
            plain.push(&field.text, 0..field.text.len(), Mode::Code);
            for (at, c) in plain.text.char_indices() {
                // Readers pass over control characters, and so do models.
                if !is_forbidden(c) {
                    let place = field.source_of(plain.source_of(at));
                    self.folded.put(place, c);
                }
            }
            let end = field.source_of(field.text.len().saturating_sub(1)) + 1;
            self.finish(Place::Frontmatter, Language::Other, start, None, block, end);
            self.fields.push(field);
        }
    }

    fn cut_code(
        &mut self,
        source: &str,
        range: Range<usize>,
        language: Language,
        heading: Option<usize>,
        block: usize,
    ) {
        let mut known = Pieces::default();
        let mut parts = code::parts(source, range, language);
        self.strings.append(&mut parts.strings);
        for statement in &parts.statements {
            let start = self.folded.text.len();
            let pieces = parts.pieces(statement);
            let origin = pieces.first().map_or(0, |piece| piece.start);
            let mut end = 0;
            for piece in pieces {
                end = piece.end;
                self.folded.push(source, piece.clone(), Mode::Code);
            }
            if language == Language::Shell && !statement.is_comment {
                let text = &self.folded.text[start..];
                known.learn(text);
                if let Some(text) = known.assembled(text) {
                    self.folded.replace(start, origin, &text);
                }
            }
            let place = match (statement.is_comment, language) {
                (true, _) => Place::Comment,
                (false, Language::Data) if !self.is_document => Place::Data,
                (false, _) => Place::Code,
            };
            self.finish(place, language, start, heading, block, end);
        }
    }

    fn finish(
        &mut self,
        place: Place,
        language: Language,
        start: usize,
        heading: Option<usize>,
        block: usize,
        source_end: usize,
    ) {
        let end = self.folded.text.len();
        self.folded.end(source_end);
        if end > start {
            self.units.push(Unit {
                place,
                language,
                range: start..end,
                heading,
                block,
            });
        }
    }
}
