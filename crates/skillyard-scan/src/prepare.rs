//! A file made ready for the rules: its plain text, cut into units that know what they are.

use std::borrow::Cow;
use std::ops::Range;

use skillyard_format::Span;
use skillyard_format::text::is_forbidden;

use crate::code;
use crate::code::ShellVariables;
use crate::decode::decode_payloads;
use crate::decode_text::{DecodeMode, DecodedText, OffsetMapping, decode_text};
use crate::file::{File, Language};
use crate::fold::{FoldMode, FoldedText};
use crate::frontmatter::fields;
use crate::markdown::{Block, Region, regions};

/// What a unit is for a reader or interpreter of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnitKind {
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
    pub(crate) kind: UnitKind,
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
pub(crate) struct PreparedFile<'a> {
    pub(crate) path: &'a str,
    pub(crate) executable: bool,
    pub(crate) bytes: &'a [u8],
    /// Whether it is Markdown or plain text, with its code in fences.
    pub(crate) is_document: bool,
    /// Whether it is text at all.
    pub(crate) is_text: bool,
    /// How places in the source become places in the file.
    pub(crate) offsets: OffsetMapping,
    /// How many null bytes are in what is taken for text, and where the first is.
    pub(crate) nulls: Option<(usize, usize)>,
    /// The text as it was written, but for null bytes; the words in it if it is binary.
    pub(crate) source: Cow<'a, str>,
    pub(crate) folded: FoldedText,
    pub(crate) units: Vec<Unit>,
    /// The fields of a skill that are read as something else than what is written.
    pub(crate) fields: Vec<FoldedText>,
    /// Where the strings of its code are, in the source.
    strings: Vec<Range<usize>>,
}

impl<'a> PreparedFile<'a> {
    /// Prepares a file.
    pub(crate) fn new(file: &File<'a>, mode: DecodeMode) -> Self {
        let DecodedText {
            text: source,
            is_text,
            offsets,
            nulls,
        } = decode_text(file, mode);
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
            offsets,
            nulls,
            source,
            folded: FoldedText::default(),
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

impl PreparedFile<'_> {
    /// Cuts the source, as what it is written in.
    pub(super) fn cut(&mut self, language: Option<Language>) {
        let source = std::mem::take(&mut self.source);
        // Little is added to what was written, and most of it is kept.
        self.folded.text.reserve(source.len() + 64);
        match language {
            None => self.cut_document(&source),
            Some(language) => self.cut_code(&source, 0..source.len(), language, None, 0),
        }
        let mut all = decode_payloads(&source);
        for field in &self.fields {
            all.extend(decode_payloads(&field.text).into_iter().map(|mut each| {
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
                UnitKind::Decoded,
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
            let kind = match region.block {
                Block::Fence(language) => {
                    self.cut_code(source, region.range, language, heading, block);
                    continue;
                }
                Block::Frontmatter => UnitKind::Frontmatter,
                Block::Heading => UnitKind::Heading,
                Block::Prose => UnitKind::Prose,
                Block::Comment => UnitKind::Hidden,
            };
            let start = self.folded.text.len();
            let end = region.range.end;
            // Stars mean something in a list of tools.
            let mode = match kind {
                UnitKind::Frontmatter => FoldMode::Code,
                _ => FoldMode::Prose,
            };
            self.folded.push(source, region.range, mode);
            if kind == UnitKind::Heading {
                heading = Some(self.units.len());
            }
            self.finish(kind, Language::Other, start, heading, block, end);
            if block + 1 == body {
                self.cut_fields(blocks);
            }
        }
    }

    /// Adds the fields as they are read, behind the fields as they are written.
    fn cut_fields(&mut self, block: usize) {
        for field in std::mem::take(&mut self.fields) {
            let start = self.folded.text.len();
            let mut plain = FoldedText::default();
            plain.push(&field.text, 0..field.text.len(), FoldMode::Code);
            for (at, c) in plain.text.char_indices() {
                // Readers pass over control characters, and so do models.
                if !is_forbidden(c) {
                    let kind = field.source_of(plain.source_of(at));
                    self.folded.put(kind, c);
                }
            }
            let end = field.source_of(field.text.len().saturating_sub(1)) + 1;
            self.finish(
                UnitKind::Frontmatter,
                Language::Other,
                start,
                None,
                block,
                end,
            );
            self.mark_assembled(start);
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
        let mut known = ShellVariables::default();
        let mut parts = code::parts(source, range, language);
        self.strings.append(&mut parts.strings);
        for statement in &parts.statements {
            let start = self.folded.text.len();
            let pieces = parts.pieces(statement);
            let origin = pieces.first().map_or(0, |piece| piece.start);
            let mut end = 0;
            for piece in pieces {
                end = piece.end;
                self.folded.push(source, piece.clone(), FoldMode::Code);
            }
            let mut is_assembled = false;
            if language == Language::Shell && !statement.is_comment {
                let text = &self.folded.text[start..];
                known.learn(text);
                if let Some(text) = known.assembled(text) {
                    self.folded.replace(start, origin, &text);
                    is_assembled = true;
                }
            }
            let kind = match (statement.is_comment, language) {
                (true, _) => UnitKind::Comment,
                (false, Language::Data) if !self.is_document => UnitKind::Data,
                (false, _) => UnitKind::Code,
            };
            self.finish(kind, language, start, heading, block, end);
            if is_assembled {
                self.mark_assembled(start);
            }
        }
    }

    /// Notes that the last unit, if it starts at `start`, was put together from other places.
    fn mark_assembled(&mut self, start: usize) {
        if let Some(unit) = self
            .units
            .last_mut()
            .filter(|unit| unit.range.start == start)
        {
            unit.assembled = true;
        }
    }

    /// Ends a unit, unless nothing is in it.
    pub(super) fn finish(
        &mut self,
        kind: UnitKind,
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
                kind,
                language,
                range: start..end,
                heading,
                block,
                assembled: false,
            });
        }
    }
}

#[cfg(test)]
impl<'a> PreparedFile<'a> {
    /// A file of which each of the texts that follow one another in it is a unit.
    pub(crate) fn of_units(
        path: &'a str,
        source: &'a str,
        texts: &[String],
        kind: UnitKind,
        language: Language,
    ) -> Self {
        let file = File {
            path,
            bytes: source.as_bytes(),
            executable: false,
        };
        let mut prepared = Self::new(&file, DecodeMode::Dropped);
        prepared.folded = FoldedText::default();
        prepared.units.clear();
        prepared.strings.clear();
        let mode = match kind {
            UnitKind::Prose | UnitKind::Heading | UnitKind::Hidden => FoldMode::Prose,
            _ => FoldMode::Code,
        };
        let mut end = 0;
        for text in texts {
            let (start, from) = (prepared.folded.text.len(), end);
            end += text.len();
            prepared.folded.push(source, from..end, mode);
            prepared.finish(kind, language, start, None, 0, end);
        }
        prepared
    }
}
