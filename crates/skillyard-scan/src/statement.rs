//! What a finding is about: all the text that somebody who accepts it has looked at.
//!
//! A few words of it are shown, and one finding stands for all that a rule has to say about a line.
//! Whoever accepts it accepts no more than what stood there: the whole statement or paragraph on its
//! whole lines, the whole script where single facts were put together, the whole file where there is
//! no other place.

use std::collections::BTreeMap;

use memchr::memchr;
use skillyard_format::{Digest, LineIndex, Span};

use super::here::Here;
use super::prepare::{Place, Prepared, Unit};
use super::reading::Places;

/// The text that a finding is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Statement {
    /// Where it stands in the source; nowhere if it is the whole file.
    lines: Option<Span>,
    /// Where that stands in the plain text which was put together from other places, too.
    assembled: Option<Span>,
    /// The other files that have a part in it.
    with: Vec<usize>,
}

impl Statement {
    /// A whole file.
    pub(super) const FILE: Self = Self {
        lines: None,
        assembled: None,
        with: Vec::new(),
    };

    /// A place in the source of a file.
    pub(super) fn at(span: Span) -> Self {
        Self {
            lines: Some(span),
            ..Self::FILE
        }
    }

    /// A unit.
    pub(super) fn of(here: &Here<'_>) -> Self {
        let range = &here.unit.range;
        let assembled = here.unit.assembled;
        Self {
            assembled: assembled.then(|| Span::new(range.start, range.end)),
            ..Self::at(here.file.origin(here.unit))
        }
    }

    /// The same together with other files.
    pub(super) fn with(self, files: &[usize]) -> Self {
        Self {
            with: files.to_vec(),
            ..self
        }
    }

    /// The same on its whole lines: of those of a rule that begin on one line only one is kept.
    pub(super) fn on_lines(mut self, lines: &LineIndex<'_>) -> Self {
        if let Some(span) = &mut self.lines {
            span.start = lines.line(span.start).start;
            span.end = lines.line(span.end.saturating_sub(1).max(span.start)).end;
        }
        self
    }

    /// Both.
    pub(super) fn join(&mut self, other: &Self) {
        let both = |a: Span, b: Span| Span::new(a.start.min(b.start), a.end.max(b.end));
        self.lines = self.lines.zip(other.lines).map(|(a, b)| both(a, b));
        self.assembled = match (self.assembled, other.assembled) {
            (Some(a), Some(b)) => Some(both(a, b)),
            (one, another) => one.or(another),
        };
        self.with.extend(&other.with);
        self.with.sort_unstable();
        self.with.dedup();
    }
}

/// The digests of statements, each made once: a paragraph can have a finding on every line.
pub(super) struct Digests<'a> {
    files: &'a [Prepared<'a>],
    /// Whether the text of a file is all that it says, and can be read in one way only.
    are_plain: BTreeMap<usize, bool>,
    known: BTreeMap<(usize, Statement), Digest>,
}

impl<'a> Digests<'a> {
    /// Those of statements in these files.
    pub(super) const fn new(files: &'a [Prepared<'a>]) -> Self {
        Self {
            files,
            are_plain: BTreeMap::new(),
            known: BTreeMap::new(),
        }
    }

    /// The digest of a statement in a file.
    pub(super) fn of(&mut self, file: usize, mut statement: Statement) -> Digest {
        let files = self.files;
        let is_plain = self.are_plain.entry(file).or_insert_with(|| {
            let file = &files[file];
            file.places == Places::Same && memchr(0, file.bytes).is_none()
        });
        if !*is_plain {
            statement.lines = None;
        }
        let new = |key: &(usize, Statement)| digest(files, file, &key.1);
        let entry = self.known.entry((file, statement));
        *entry.or_insert_with_key(new)
    }
}

fn digest(files: &[Prepared<'_>], file: usize, statement: &Statement) -> Digest {
    let prepared = &files[file];
    let mut text = match statement.lines {
        // How lines end is the business of whoever checked the files out.
        Some(span) => span.of(&prepared.source).replace("\r\n", "\n").into_bytes(),
        None => Digest::of(prepared.bytes).to_string().into_bytes(),
    };
    if let Some(span) = statement.assembled {
        text.push(0);
        text.extend_from_slice(span.of(&prepared.folded.text).as_bytes());
    }
    for other in &statement.with {
        text.push(0);
        text.extend_from_slice(Digest::of(files[*other].bytes).as_bytes());
    }
    Digest::of(&text)
}

/// Where each script and each fenced block of a file stands, which is found once.
pub(super) fn blocks(file: &Prepared<'_>) -> BTreeMap<usize, Span> {
    let mut blocks: BTreeMap<usize, Span> = BTreeMap::new();
    for unit in &file.units {
        let span = file.origin(unit);
        let block = blocks.entry(block_of(file, unit)).or_insert(span);
        block.start = block.start.min(span.start);
        block.end = block.end.max(span.end);
    }
    blocks
}

/// The key of a unit's block among [`blocks`]: what a document says in code is a block of its own.
pub(super) fn block_of(file: &Prepared<'_>, unit: &Unit) -> usize {
    if file.is_document && unit.place == Place::Decoded {
        usize::MAX
    } else {
        unit.block
    }
}
