//! The cutting of a file into units: paragraphs, fields, statements, and what encoded texts say.

use std::ops::Range;

use skillyard_format::text::is_forbidden;

use super::{Place, Prepared, Unit};
use crate::code;
use crate::decode::decoded;
use crate::fields::fields;
use crate::file::Language;
use crate::fold::{Folded, Mode};
use crate::markdown::{Block, Region, regions};
use crate::pieces::Pieces;

impl Prepared<'_> {
    /// Cuts the source, as what it is written in.
    pub(super) fn cut(&mut self, language: Option<Language>) {
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
            let mut is_assembled = false;
            if language == Language::Shell && !statement.is_comment {
                let text = &self.folded.text[start..];
                known.learn(text);
                if let Some(text) = known.assembled(text) {
                    self.folded.replace(start, origin, &text);
                    is_assembled = true;
                }
            }
            let place = match (statement.is_comment, language) {
                (true, _) => Place::Comment,
                (false, Language::Data) if !self.is_document => Place::Data,
                (false, _) => Place::Code,
            };
            self.finish(place, language, start, heading, block, end);
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
                assembled: false,
            });
        }
    }
}

#[cfg(test)]
impl<'a> Prepared<'a> {
    /// A file of which each of the texts that follow one another in it is a unit.
    pub(crate) fn of_units(
        path: &'a str,
        source: &'a str,
        texts: &[String],
        place: Place,
        language: Language,
    ) -> Self {
        let file = super::File {
            path,
            bytes: source.as_bytes(),
            executable: false,
        };
        let mut prepared = Self::new(&file, super::Taken::Dropped);
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
}
