//! Long runs of text in pieces.
//!
//! What writes the sanitised page looks through all of the text that is left, up to the next tag,
//! at each character that it writes otherwise. A text of nothing but `&` would take minutes. So a
//! comment stands in it now and then, which the sanitiser takes away again.

use pulldown_cmark::{CowStr, Event};

/// Most bytes of text without a tag or a comment.
const MOST: usize = 1024;
const COMMENT: Event<'static> = Event::InlineHtml(CowStr::Borrowed("<!---->"));

/// The same events, with comments in the text.
pub(crate) fn parted(events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut parted = Parted {
        events: Vec::with_capacity(events.len()),
        run: 0,
    };
    for event in events {
        match event {
            Event::Text(text) => parted.text(text),
            Event::Code(text) if text.len() > MOST => {
                parted.events.push(Event::InlineHtml("<code>".into()));
                parted.text(text);
                parted.events.push(Event::InlineHtml("</code>".into()));
            }
            Event::SoftBreak => {
                parted.count(1);
                parted.events.push(Event::SoftBreak);
            }
            other => parted.events.push(other),
        }
    }
    parted.events
}

struct Parted<'a> {
    events: Vec<Event<'a>>,
    /// How much text there was since the last comment.
    run: usize,
}

impl<'a> Parted<'a> {
    fn text(&mut self, text: CowStr<'a>) {
        if text.len() <= MOST {
            self.count(text.len());
            self.events.push(Event::Text(text));
            return;
        }
        let mut rest = &*text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(MOST));
            self.count(piece.len());
            self.events.push(Event::Text(piece.to_owned().into()));
            rest = after;
        }
    }

    /// Counts text that follows, and puts a comment before it where it would become too much.
    fn count(&mut self, bytes: usize) {
        self.run += bytes;
        if self.run > MOST {
            self.events.push(COMMENT);
            self.run = bytes;
        }
    }
}
