//! Lines no longer than a terminal is wide, broken between words.
//!
//! Words come a few letters at a time, so the last one is held back until it has ended: a terminal
//! that breaks lines itself breaks them in the middle of words.

use unicode_width::UnicodeWidthChar as _;

/// The part of a line that must stay free for words beside what they are indented by.
const MIN_WIDTH: usize = 20;

/// Text on its way to a terminal of some width.
#[derive(Debug)]
pub(crate) struct Wrap {
    width: usize,
    /// Where the next character goes.
    column: usize,
    /// Blanks that were not written yet.
    gap: usize,
    /// The word that was not written yet, with styles, and how wide it is.
    word: String,
    word_width: usize,
    /// How far lines that go on are indented.
    indent: usize,
}

impl Wrap {
    /// Lines of this width at most.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            width,
            column: 0,
            gap: 0,
            word: String::new(),
            word_width: 0,
            indent: 0,
        }
    }

    /// The next character of the text.
    pub(crate) fn put(&mut self, character: char, out: &mut String) {
        if character == ' ' {
            self.flush(out);
            self.gap += 1;
        } else {
            self.word.push(character);
            self.word_width += character.width().unwrap_or(0);
        }
    }

    /// Lets the line be as long as it is, up to here.
    pub(crate) fn keep(&mut self, out: &mut String) {
        out.extend(std::iter::repeat_n(' ', std::mem::take(&mut self.gap)));
        out.push_str(&std::mem::take(&mut self.word));
        self.word_width = 0;
    }

    /// A style, which has no width.
    pub(crate) fn style(&mut self, codes: &str) {
        self.word.push_str(codes);
    }

    /// Ends the line.
    pub(crate) fn end(&mut self, out: &mut String) {
        self.flush(out);
        (self.column, self.gap, self.indent) = (0, 0, 0);
    }

    /// Writes the word that was held back, on the next line if it has no room on this one.
    fn flush(&mut self, out: &mut String) {
        if self.word_width > 0 {
            if self.column == 0 {
                self.indent = self.gap;
            }
            let is_first = self.column <= self.indent;
            if !is_first && self.column + self.gap + self.word_width > self.width {
                out.push('\n');
                self.column = 0;
                self.gap = self.indent;
            }
            out.extend(std::iter::repeat_n(' ', self.gap));
            self.column += self.gap + self.word_width;
            self.gap = 0;
            let is_item = self.column == self.indent + self.word_width && is_item(&self.word);
            let hanging = self.column + 1;
            if is_first && is_item && hanging + MIN_WIDTH <= self.width {
                self.indent = hanging;
            }
        }
        out.push_str(&self.word);
        self.word.clear();
        self.word_width = 0;
    }
}

/// Whether a word begins an item of a list, whose other lines stand below its text.
fn is_item(word: &str) -> bool {
    let number = word.strip_suffix(['.', ')']);
    let is_number = number
        .is_some_and(|text| !text.is_empty() && text.bytes().all(|each| each.is_ascii_digit()));
    is_number || matches!(word, "•" | "│")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrapped(text: &str, width: usize) -> String {
        let mut wrap = Wrap::new(width);
        let mut out = String::new();
        for character in text.chars() {
            wrap.put(character, &mut out);
        }
        wrap.end(&mut out);
        out
    }

    #[test]
    fn lines_end_between_words() {
        assert_eq!(wrapped("one two three", 8), "one two\nthree");
        assert_eq!(wrapped("one two", 7), "one two");
        assert_eq!(wrapped("unbreakable as it is", 5), "unbreakable\nas it\nis");
        assert_eq!(wrapped("日本 語", 6), "日本\n語");
    }

    #[test]
    fn lists_and_indented_text_go_on_below_their_text() {
        let text = "• one two three four five six";
        assert_eq!(wrapped(text, 24), "• one two three four\n  five six");
        let text = "  12. one two three four five";
        assert_eq!(wrapped(text, 27), "  12. one two three four\n      five");
        assert_eq!(wrapped("    one two", 9), "    one\n    two");
    }

    #[test]
    fn styles_take_no_room() {
        let mut wrap = Wrap::new(7);
        let mut out = String::new();
        wrap.put('a', &mut out);
        wrap.put(' ', &mut out);
        wrap.style("\x1b[1m");
        for character in "bold".chars() {
            wrap.put(character, &mut out);
        }
        wrap.style("\x1b[0m");
        wrap.end(&mut out);
        assert_eq!(out, "a \x1b[1mbold\x1b[0m");
    }
}
