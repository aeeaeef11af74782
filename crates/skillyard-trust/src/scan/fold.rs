//! Text made plain: what a reader would see and a machine would run, whatever it was spelled with.
//!
//! Letters become small ASCII where they look like it, characters without a width vanish,
//! white space shrinks to one blank, and strings that were cut apart grow together. The
//! [`Folded`] text remembers where each piece came from.

use std::ops::Range;

use skillyard_format::Span;
use unicode_normalization::UnicodeNormalization as _;

use super::bytes::ByteSet;

/// How a piece of source becomes plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Words for readers: emphasis and backticks are dropped.
    Prose,
    /// Words for machines: joined strings and continued lines are put together.
    Code,
}

/// What stays as it is in prose: no white space, and none of the marks that are dropped.
static KEPT_IN_PROSE: ByteSet = ByteSet::ascii_but(b" \t\n\x0c\r*`");
/// What stays as it is in code: no white space, and nothing that can join two strings or lines.
static KEPT_IN_CODE: ByteSet = ByteSet::ascii_but(b" \t\n\x0c\r\\`^\"'");

impl Mode {
    /// The bytes that stay what they are, whatever stands around them.
    fn kept(self) -> &'static ByteSet {
        match self {
            Self::Prose => &KEPT_IN_PROSE,
            Self::Code => &KEPT_IN_CODE,
        }
    }
}

/// Plain text with the way back to its source.
#[derive(Debug, Default)]
pub(crate) struct Folded {
    /// The plain text.
    pub(crate) text: String,
    /// Where a run of bytes that were taken one by one starts: here, and in the source.
    runs: Vec<(usize, usize)>,
}

impl Folded {
    /// Adds a piece of the source.
    pub(crate) fn push(&mut self, source: &str, range: Range<usize>, mode: Mode) {
        let piece = source.get(range.clone()).unwrap_or_default();
        let bytes = piece.as_bytes();
        let kept = mode.kept();
        let mut at = 0;
        while at < bytes.len() {
            let here = range.start + at;
            let byte = bytes[at];
            if byte.is_ascii_whitespace() {
                if !matches!(self.text.as_bytes(), [.., b' ' | b'\n']) {
                    self.put(here, ' ');
                }
                let rest = bytes[at..].iter();
                at += rest.take_while(|byte| byte.is_ascii_whitespace()).count();
            } else if kept.has(byte) {
                let length = run(&bytes[at..], kept);
                self.put_kept(here, &piece[at..at + length]);
                at += length;
            } else if byte.is_ascii() {
                let skipped = match mode {
                    Mode::Prose => usize::from(matches!(byte, b'*' | b'`')),
                    Mode::Code => joined(bytes, at, self.text.as_bytes().last().copied()),
                };
                if skipped > 0 {
                    at += skipped;
                } else {
                    self.put(here, char::from(byte));
                    at += 1;
                }
            } else {
                let c = piece[at..].chars().next().unwrap_or(' ');
                self.put_wide(here, c);
                at += c.len_utf8();
            }
        }
    }

    /// Puts another text in place of what was added since `start`, all of it from `source`.
    pub(crate) fn replace(&mut self, start: usize, source: usize, text: &str) {
        self.text.truncate(start);
        self.runs.retain(|(here, _)| *here < start);
        for c in text.chars() {
            self.put(source, c);
        }
    }

    /// Ends a unit, so that no pattern reaches into the next.
    pub(crate) fn end(&mut self, source: usize) {
        self.put(source, '\n');
    }

    /// The place in the source that `at` came from.
    pub(crate) fn source_of(&self, at: usize) -> usize {
        let after = self.runs.partition_point(|(here, _)| *here <= at);
        match after.checked_sub(1).and_then(|index| self.runs.get(index)) {
            Some((here, source)) => source + (at - here),
            None => 0,
        }
    }

    /// The span of the source that `range` came from.
    pub(crate) fn span(&self, source: &str, range: Range<usize>) -> Span {
        let start = self.source_of(range.start).min(source.len());
        let last = range.end.max(range.start + 1) - 1;
        let end = (self.source_of(last) + 1).clamp(start, source.len());
        Span::new(
            source.floor_char_boundary(start),
            source.ceil_char_boundary(end),
        )
    }

    /// Adds one character that came from `source`.
    pub(crate) fn put(&mut self, source: usize, c: char) {
        self.start_run(source);
        self.text.push(c);
    }

    /// Adds what is kept as it was written at `source`, but for capitals.
    fn put_kept(&mut self, source: usize, kept: &str) {
        self.start_run(source);
        let start = self.text.len();
        self.text.push_str(kept);
        self.text[start..].make_ascii_lowercase();
    }

    fn start_run(&mut self, source: usize) {
        let here = self.text.len();
        let continues = self
            .runs
            .last()
            .is_some_and(|(start, from)| from + (here - start) == source);
        if !continues {
            self.runs.push((here, source));
        }
    }

    fn put_wide(&mut self, source: usize, c: char) {
        if is_invisible(c) {
            return;
        }
        if is_its_own(c) {
            self.put(source, c);
            return;
        }
        if let Some(plain) = look_alike(c) {
            self.put(source, plain);
            return;
        }
        for c in std::iter::once(c)
            .nfkc()
            .flat_map(char::to_lowercase)
            .take(4)
        {
            match look_alike(c) {
                _ if c.is_whitespace() && self.text.ends_with([' ', '\n']) => {}
                _ if c.is_whitespace() => self.put(source, ' '),
                Some(plain) => self.put(source, plain),
                None => self.put(source, c),
            }
        }
    }
}

/// How many bytes from here on are kept one by one, single blanks among them.
fn run(bytes: &[u8], kept: &ByteSet) -> usize {
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if kept.has(byte) {
            at += 1;
        } else if byte == b' ' && bytes.get(at + 1).is_some_and(|next| kept.has(*next)) {
            at += 2;
        } else {
            break;
        }
    }
    at
}

/// How many bytes at `at` only hold two pieces of one word together.
fn joined(bytes: &[u8], at: usize, before: Option<u8>) -> usize {
    let rest = &bytes[at..];
    match rest {
        [b'\\' | b'`' | b'^', b'\n', ..] => 2,
        [b'\\' | b'`' | b'^', b'\r', b'\n', ..] => 3,
        [first @ (b'"' | b'\''), second, after, ..]
            if first == second
                && after.is_ascii_alphanumeric()
                && before.is_some_and(|byte| byte.is_ascii_alphanumeric()) =>
        {
            2
        }
        [quote @ (b'"' | b'\''), ..] => concatenated(rest, *quote),
        _ => 0,
    }
}

/// The length of `" + "`, if `rest` starts with it.
fn concatenated(rest: &[u8], quote: u8) -> usize {
    // More blanks than this are a layout, not a string cut apart.
    let blanks = |from: usize| {
        let most = rest[from..].iter().take(40);
        most.take_while(|byte| byte.is_ascii_whitespace()).count()
    };
    let plus = 1 + blanks(1);
    if rest.get(plus) != Some(&b'+') {
        return 0;
    }
    let next = plus + 1 + blanks(plus + 1);
    if rest.get(next) == Some(&quote) {
        next + 1
    } else {
        0
    }
}

/// Whether a character takes no room, so that words can be cut apart unseen.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character has no other form: the frames and arrows of diagrams, and the letters of
/// Chinese and Korean.
fn is_its_own(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2500}'..='\u{259f}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

/// The ASCII letter that a Cyrillic or Greek one is taken for.
pub(crate) fn look_alike(c: char) -> Option<char> {
    Some(match c {
        'а' | 'А' | 'α' | 'Α' => 'a',
        'В' | 'Β' => 'b',
        'с' | 'С' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'Е' | 'Ε' | 'ё' => 'e',
        'һ' | 'Н' | 'Η' => 'h',
        'і' | 'І' | 'ι' | 'Ι' | 'ı' => 'i',
        'ј' | 'Ј' => 'j',
        'К' | 'Κ' => 'k',
        'ӏ' => 'l',
        'М' | 'Μ' => 'm',
        'Ν' => 'n',
        'о' | 'О' | 'ο' | 'Ο' => 'o',
        'р' | 'Р' | 'ρ' | 'Ρ' => 'p',
        'ԛ' => 'q',
        'ѕ' | 'Ѕ' => 's',
        'Т' | 'Τ' => 't',
        'ν' => 'v',
        'ԝ' => 'w',
        'х' | 'Х' | 'χ' | 'Χ' => 'x',
        'у' | 'У' | 'Υ' => 'y',
        'Ζ' => 'z',
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(source: &str, mode: Mode) -> String {
        let mut folded = Folded::default();
        folded.push(source, 0..source.len(), mode);
        folded.text
    }

    #[test]
    fn prose_loses_its_dress() {
        assert_eq!(
            fold("**Extract**  the\n`Ｚip` wi\u{200b}th pаss", Mode::Prose),
            "extract the zip with pass"
        );
    }

    #[test]
    fn code_that_was_cut_apart_grows_together() {
        assert_eq!(
            fold("cu''rl \\\n  -s \"ht\" + \"tp\"", Mode::Code),
            "curl -s \"http\""
        );
        assert_eq!(fold("a = '' + x", Mode::Code), "a = '' + x");
    }

    #[test]
    fn what_is_its_own_has_no_other_form() {
        for c in ('\u{80}'..='\u{ffff}').filter(|c| is_its_own(*c)) {
            let other: String = std::iter::once(c)
                .nfkc()
                .flat_map(char::to_lowercase)
                .collect();
            assert_eq!(other, c.to_string());
            assert!(look_alike(c).is_none() && !is_invisible(c) && !c.is_whitespace());
        }
    }

    #[test]
    fn places_lead_back_to_the_source() {
        let source = "x  **Ｃurl** y";
        let mut folded = Folded::default();
        folded.push(source, 0..source.len(), Mode::Prose);
        let at = folded.text.find("curl").unwrap();
        assert_eq!(folded.span(source, at..at + 4).of(source), "Ｃurl");
    }
}
