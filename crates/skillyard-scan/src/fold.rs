//! Text made plain: what a reader would see and a machine would run, whatever it was spelled with.
//!
//! Letters become small ASCII where they look like it, characters without a width vanish,
//! white space shrinks to one blank, and strings that were cut apart grow together. The
//! [`FoldedText`] text remembers where each piece came from.

use std::ops::Range;

use skillyard_format::Span;
use unicode_normalization::UnicodeNormalization as _;

use crate::look_alikes::{is_invisible, is_its_own, look_alike};

/// How many bytes `\u0063` has.
const ESCAPE: usize = 6;
/// How many bytes before a quote are looked at for an address.
const MAX_ADDRESS: usize = 256;

/// How a piece of source becomes plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoldMode {
    /// Words for readers: emphasis and backticks are dropped.
    Prose,
    /// Words for machines: joined strings and continued lines are put together.
    Code,
}

/// What stays as it is in prose: no white space, and none of the marks that are dropped.
static KEPT_IN_PROSE: ByteSet = ByteSet::ascii_but(
    b" \t\n\x0b\x0c\r*`\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f",
);
/// What stays as it is in code: no white space, and nothing that can join two strings or lines.
static KEPT_IN_CODE: ByteSet = ByteSet::ascii_but(b" \t\n\x0b\x0c\r\\`^\"'");

impl FoldMode {
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
pub(crate) struct FoldedText {
    /// The plain text.
    pub(crate) text: String,
    /// Where a run of bytes that were taken one by one starts: here, and in the source.
    runs: Vec<(usize, usize)>,
}

impl FoldedText {
    /// Adds a piece of the source.
    pub(crate) fn push(&mut self, source: &str, range: Range<usize>, mode: FoldMode) {
        let piece = source.get(range.clone()).unwrap_or_default();
        let bytes = piece.as_bytes();
        let kept = mode.kept();
        let mut at = 0;
        while at < bytes.len() {
            let here = range.start + at;
            let byte = bytes[at];
            if is_blank(byte) {
                if !matches!(self.text.as_bytes(), [.., b' ' | b'\n']) {
                    self.put(here, ' ');
                }
                let rest = bytes[at..].iter();
                at += rest.take_while(|byte| is_blank(**byte)).count();
            } else if kept.has(byte) {
                let length = kept.run_with_blanks(&bytes[at..]);
                self.put_kept(here, &piece[at..at + length]);
                at += length;
            } else if byte.is_ascii() {
                let skipped = match mode {
                    FoldMode::Prose => usize::from(is_dress(byte)),
                    FoldMode::Code => self.joined(bytes, at),
                };
                if let (FoldMode::Code, Some(c)) = (mode, escaped(bytes, at)) {
                    self.put_wide(here, c);
                    at += ESCAPE;
                } else if skipped > 0 {
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

    /// How many bytes at `at` only hold two pieces of one word together.
    fn joined(&self, bytes: &[u8], at: usize) -> usize {
        let before = self.text.as_bytes().last().copied();
        match (joined(bytes, at, before), &bytes[at..]) {
            (0, [b'"' | b'\'', after, ..]) if is_of_address(before, *after) => {
                usize::from(self.is_in_address())
            }
            // So do writers of JSON that must not end a script.
            (0, [b'\\', b'/', ..]) if self.text.ends_with(':') || self.text.ends_with(":/") => 1,
            (skipped, _) => skipped,
        }
    }

    /// Whether the word that was added last is an address: a shell passes over quotes in it.
    fn is_in_address(&self) -> bool {
        let bytes = self.text.as_bytes();
        let near = &bytes[bytes.len().saturating_sub(MAX_ADDRESS)..];
        let start = near.iter().rposition(|byte| is_blank(*byte)).unwrap_or(0);
        memchr::memmem::find(&near[start..], b"://").is_some()
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

/// Whether a byte is white space, as patterns take it: the vertical tab is, too.
fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b'\x0b'
}

/// Whether a byte only dresses words up, or is not seen at all. Zeros are looked at elsewhere.
fn is_dress(byte: u8) -> bool {
    matches!(byte, b'*' | b'`') || byte != 0 && byte.is_ascii_control()
}

/// Whether a quote between these two stands in the middle of an address.
fn is_of_address(before: Option<u8>, after: u8) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'/');
    before.is_some_and(is_part) && is_part(after)
}

/// The character that the six bytes of an escape such as `\u0063` at `at` stand for.
fn escaped(bytes: &[u8], at: usize) -> Option<char> {
    let digits = bytes[at..].strip_prefix(b"\\u")?.get(..ESCAPE - 2)?;
    // Behind another such sign it is written as it is.
    if at.checked_sub(1).is_some_and(|at| bytes[at] == b'\\') {
        return None;
    }
    let digits = std::str::from_utf8(digits).ok()?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    (!c.is_control()).then_some(c)
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
        most.take_while(|byte| is_blank(**byte)).count()
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

/// The bit of a byte that a set holds.
const HELD: u8 = 1;
/// The bit of a byte that it holds, and of the blank: what may stand in a run of words.
const RUNS: u8 = 2;

/// A set of bytes: what each byte is to it.
#[derive(Debug)]
pub(crate) struct ByteSet([u8; 256]);

impl ByteSet {
    /// These bytes.
    pub(crate) const fn of(bytes: &[u8]) -> Self {
        Self([0; 256]).with(bytes, true)
    }

    /// All of ASCII but these.
    pub(crate) const fn ascii_but(bytes: &[u8]) -> Self {
        let mut set = [0; 256];
        let (ascii, _) = set.split_at_mut(128);
        let mut at = 0;
        while at < ascii.len() {
            ascii[at] = HELD | RUNS;
            at += 1;
        }
        Self(set).with(bytes, false)
    }

    /// All bytes but these.
    pub(crate) const fn all_but(bytes: &[u8]) -> Self {
        Self([HELD | RUNS; 256]).with(bytes, false)
    }

    const fn with(mut self, bytes: &[u8], held: bool) -> Self {
        let mut at = 0;
        while at < bytes.len() {
            self.0[bytes[at] as usize] = if held { HELD | RUNS } else { 0 };
            at += 1;
        }
        self.0[b' ' as usize] |= RUNS;
        self
    }

    /// Whether it holds a byte.
    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte)] & HELD != 0
    }

    /// How many of the first bytes it holds, up to one that it does not.
    pub(crate) fn run(&self, bytes: &[u8]) -> usize {
        let outside = bytes.iter().position(|byte| !self.has(*byte));
        outside.unwrap_or(bytes.len())
    }

    /// Length of the run of bytes in the set, where single blanks between them are allowed.
    pub(crate) fn run_with_blanks(&self, bytes: &[u8]) -> usize {
        // Most of them are found eight at once.
        let mut at = 0;
        let mut after_blank = false;
        while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
            let all = eight
                .iter()
                .fold(RUNS, |all, byte| all & self.0[usize::from(*byte)]);
            let blanks = blanks(*eight);
            let doubled = blanks & (blanks << 8 | u64::from(after_blank) << 7);
            if all == 0 || doubled != 0 {
                break;
            }
            after_blank = eight[7] == b' ';
            at += eight.len();
        }
        // Whether the last blank counts depends on what follows it.
        at -= usize::from(after_blank);
        while let Some(&byte) = bytes.get(at) {
            if self.has(byte) {
                at += 1;
            } else if byte == b' ' && bytes.get(at + 1).is_some_and(|next| self.has(*next)) {
                at += 2;
            } else {
                break;
            }
        }
        at
    }
}

/// The highest bit of each byte that is a blank.
fn blanks(eight: [u8; 8]) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let other = u64::from_le_bytes(eight) ^ 0x2020_2020_2020_2020;
    !(((other & LOW) + LOW) | other | LOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(source: &str, mode: FoldMode) -> String {
        let mut folded = FoldedText::default();
        folded.push(source, 0..source.len(), mode);
        folded.text
    }

    #[test]
    fn prose_loses_its_dress() {
        assert_eq!(
            fold(
                "**Extract**  the\n`Ｚip` wi\u{200b}th pаss",
                FoldMode::Prose
            ),
            "extract the zip with pass"
        );
        assert_eq!(
            fold("run\x0banyway \x0b now", FoldMode::Prose),
            "run anyway now"
        );
        assert_eq!(fold("ig\x01no\x7fre it", FoldMode::Prose), "ignore it");
    }

    #[test]
    fn code_that_was_cut_apart_grows_together() {
        assert_eq!(
            fold("cu''rl \\\n  -s \"ht\" + \"tp\"", FoldMode::Code),
            "curl -s \"http\""
        );
        assert_eq!(fold("a = '' + x", FoldMode::Code), "a = '' + x");
        assert_eq!(
            fold("curl https://past'e'bin.com/\"x\" y'z'", FoldMode::Code),
            "curl https://pastebin.com/x\" y'z'"
        );
        assert_eq!(fold("f'x' + \"b\"", FoldMode::Code), "f'x' + \"b\"");
    }

    #[test]
    fn escapes_in_code_are_what_they_stand_for() {
        assert_eq!(
            fold(r#""\u0063\u0075RL https:\/\/x""#, FoldMode::Code),
            r#""curl https://x""#
        );
        for same in [
            r"\\u0063", r"\u00", r"\ud800", r"\u000a", r"\u00+1", "s/\\/x/",
        ] {
            assert_eq!(fold(same, FoldMode::Code), same);
        }
    }

    #[test]
    fn places_lead_back_to_the_source() {
        let source = "x  **Ｃurl** y";
        let mut folded = FoldedText::default();
        folded.push(source, 0..source.len(), FoldMode::Prose);
        let at = folded.text.find("curl").unwrap();
        assert_eq!(folded.span(source, at..at + 4).of(source), "Ｃurl");
    }

    #[test]
    fn a_run_ends_at_a_stranger_and_at_two_blanks() {
        let set = ByteSet::ascii_but(b" \n*");
        let one_by_one = |bytes: &[u8]| {
            let counts = |at: &usize| match bytes[*at] {
                b' ' => bytes.get(at + 1).is_some_and(|next| set.has(*next)),
                byte => set.has(byte),
            };
            (0..bytes.len()).take_while(counts).count()
        };
        let plain = "Words of several lengths stand here a b c d e f g h i j k";
        for stop in [" ", "  ", "   ", "*", " *", "é", "\n", ""] {
            for at in 1..plain.len() {
                let text = [&plain[..at], stop, &plain[at..]].concat();
                for text in [text.as_bytes(), &text.as_bytes()[..at]] {
                    assert_eq!(set.run_with_blanks(text), one_by_one(text), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn a_set_holds_what_it_was_given() {
        let set = ByteSet::of(b"ab");
        assert!(set.has(b'a') && set.has(b'b') && !set.has(b'c') && !set.has(0xe9));
        assert_eq!(set.run(b"abac"), 3);
        assert_eq!(set.run(b"ba"), 2);
        let set = ByteSet::ascii_but(b"ab");
        assert!(!set.has(b'a') && set.has(b'c') && set.has(0x7f) && !set.has(0x80));
        let set = ByteSet::all_but(b"ab");
        assert!(!set.has(b'a') && set.has(b'c') && set.has(0xff));
    }
}
