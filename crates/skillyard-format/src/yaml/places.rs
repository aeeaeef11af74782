//! From libyaml's marks to places in the file.

use libyaml_safer::{Event, Mark};

use super::shield::Shielded;
use crate::span::Span;
use crate::text::is_forbidden;

/// Turns libyaml's marks, which count bytes of the block, into places in the file.
pub(super) struct Places<'a> {
    pub(super) shielded: &'a Shielded,
    pub(super) offset: usize,
}

impl Places<'_> {
    fn byte(&self, mark: Mark) -> usize {
        let index = usize::try_from(mark.index).unwrap_or(usize::MAX);
        self.offset + self.shielded.source_offset(index)
    }

    /// Where a mark stands.
    pub(super) fn mark(&self, mark: Mark) -> Span {
        Span::at(self.byte(mark))
    }

    /// What an event covers.
    pub(super) fn span(&self, event: &Event) -> Span {
        Span::new(self.byte(event.start_mark), self.byte(event.end_mark))
    }

    /// The first character that no YAML may have.
    pub(super) fn first_control(&self) -> Span {
        let text = &self.shielded.text;
        let found = text.char_indices().find(|(_, c)| is_forbidden(*c));
        let (at, length) = found.map_or((0, 0), |(at, c)| (at, c.len_utf8()));
        let start = self.offset + self.shielded.source_offset(at);
        Span::new(start, start + length)
    }
}
