//! The words without which a pattern cannot match, read from the pattern itself.
//!
//! A pattern is a sequence of parts, each of which must be there, and a part is a choice of words.
//! Whether the words are there is asked of the sketch of a text, which is many times faster than
//! the pattern; most texts lack some, so that most patterns are neither asked nor even compiled.

use regex_syntax::hir::{Hir, HirKind};

use crate::pattern::lazy_regex::LazyRegex;
use crate::pattern::trigrams::{Trigrams, slots};

/// Most trigrams of a word that are looked for; the rest would hardly rule out more.
const MAX_TRIGRAMS: usize = 6;

/// A word, as the places of its first trigrams, repeated until there are enough.
type WordTrigrams = [u16; MAX_TRIGRAMS];

/// What a text must hold so that a pattern can match in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RequiredLiterals {
    /// One of these words, mostly the only one.
    Words(Box<[WordTrigrams]>),
    /// All of these.
    All(Box<[RequiredLiterals]>),
    /// One of these.
    Any(Box<[RequiredLiterals]>),
}

impl RequiredLiterals {
    /// What a pattern requires, if it has words long enough to be looked for.
    pub(crate) fn of(source: &str) -> Option<Self> {
        read_literals(source)
    }

    /// A word that is long enough to be looked for.
    fn word(letters: &[u8]) -> Option<Self> {
        let slots = slots(letters).filter_map(|slot| u16::try_from(slot).ok());
        let slots: Vec<u16> = slots.take(MAX_TRIGRAMS).collect();
        let mut repeated = slots.iter().copied().cycle();
        let word = std::array::from_fn(|_| repeated.next().unwrap_or_default());
        (!slots.is_empty()).then(|| Self::Words(Box::new([word])))
    }

    /// One of these. Words that lie side by side are looked through several times as fast as words
    /// that have to be found one by one.
    fn any(ways: Vec<Self>) -> Self {
        let (mut words, mut others) = (Vec::new(), Vec::new());
        for way in ways {
            match way {
                Self::Words(each) => words.extend(each),
                other => others.push(other),
            }
        }
        let words = Self::Words(words.into());
        if others.is_empty() {
            return words;
        }
        others.insert(0, words);
        Self::Any(others.into())
    }

    /// All of these, what is asked quickest first.
    fn all(mut parts: Vec<Self>) -> Option<Self> {
        parts.sort_by_key(Self::size);
        if parts.len() > 1 {
            Some(Self::All(parts.into()))
        } else {
            parts.pop()
        }
    }

    /// Whether a text with this sketch may hold it.
    pub(crate) fn may_be_in(&self, trigrams: &Trigrams) -> bool {
        match self {
            Self::Words(words) => words
                .iter()
                .any(|slots| slots.iter().all(|slot| trigrams.has((*slot).into()))),
            Self::All(parts) => parts.iter().all(|part| part.may_be_in(trigrams)),
            Self::Any(ways) => ways.iter().any(|way| way.may_be_in(trigrams)),
        }
    }

    /// How many words there are to look for.
    fn size(&self) -> usize {
        match self {
            Self::Words(words) => words.len(),
            Self::All(each) | Self::Any(each) => each.iter().map(Self::size).sum(),
        }
    }
}

/// What a pattern requires; blanks and line breaks in it mean nothing.
pub(super) fn read_literals(source: &str) -> Option<RequiredLiterals> {
    let mut reader = SyntaxReader {
        rest: source.as_bytes(),
    };
    let required = reader.choice().ok()?;
    required.filter(|_| reader.rest.is_empty())
}

/// Something in a pattern that is not known here.
struct UnsupportedSyntax;

/// One part of a sequence.
enum SequencePart {
    /// A byte as it is.
    Letter(u8),
    /// Something else, and what it requires.
    Other(Option<RequiredLiterals>),
}

struct SyntaxReader<'a> {
    rest: &'a [u8],
}

impl SyntaxReader<'_> {
    /// Ways to match, up to the end of the group or of the pattern.
    fn choice(&mut self) -> Result<Option<RequiredLiterals>, UnsupportedSyntax> {
        let mut ways = vec![self.sequence()?];
        while self.takes(b'|') {
            ways.push(self.sequence()?);
        }
        if ways.len() == 1 {
            return Ok(ways.pop().flatten());
        }
        let ways: Option<Vec<RequiredLiterals>> = ways.into_iter().collect();
        Ok(ways.map(RequiredLiterals::any))
    }

    /// Parts that follow one another; letters that do make a word.
    fn sequence(&mut self) -> Result<Option<RequiredLiterals>, UnsupportedSyntax> {
        let (mut found, mut letters) = (Vec::new(), Vec::new());
        while let Some(part) = self.part()? {
            let is_repeated = self.repetition()?;
            match (part, is_repeated) {
                (SequencePart::Letter(letter), None) => letters.push(letter),
                (part, least) => {
                    found.extend(RequiredLiterals::word(&letters));
                    letters.clear();
                    if let SequencePart::Other(required) = part {
                        found.extend(required.filter(|_| least.unwrap_or(1) > 0));
                    }
                }
            }
        }
        found.extend(RequiredLiterals::word(&letters));
        Ok(RequiredLiterals::all(found))
    }

    /// The next part, unless the sequence ends here.
    fn part(&mut self) -> Result<Option<SequencePart>, UnsupportedSyntax> {
        self.skip_blanks()?;
        if matches!(self.rest.first(), None | Some(b'|' | b')')) {
            return Ok(None);
        }
        Ok(Some(match self.next()? {
            b'(' => SequencePart::Other(self.group()?),
            b'[' => {
                self.skip_class()?;
                SequencePart::Other(None)
            }
            b'\\' => self.escape()?,
            b'.' | b'^' | b'$' => SequencePart::Other(None),
            b'?' | b'*' | b'+' | b'{' => return Err(UnsupportedSyntax),
            letter if letter.is_ascii() => SequencePart::Letter(letter),
            _ => return Err(UnsupportedSyntax),
        }))
    }

    fn group(&mut self) -> Result<Option<RequiredLiterals>, UnsupportedSyntax> {
        // Of all that may follow the question mark only this leaves letters what they are.
        if self.takes(b'?') && self.next()? != b':' {
            return Err(UnsupportedSyntax);
        }
        let required = self.choice()?;
        match self.next()? {
            b')' => Ok(required),
            _ => Err(UnsupportedSyntax),
        }
    }

    fn escape(&mut self) -> Result<SequencePart, UnsupportedSyntax> {
        Ok(match self.next()? {
            b'x' => {
                let digits = [self.next()?, self.next()?];
                let digits = str::from_utf8(&digits).map_err(|_| UnsupportedSyntax)?;
                SequencePart::Letter(u8::from_str_radix(digits, 16).map_err(|_| UnsupportedSyntax)?)
            }
            b'b' if self.rest.first() != Some(&b'{') => SequencePart::Other(None),
            b'd' | b'D' | b's' | b'S' | b'w' | b'W' | b'B' => SequencePart::Other(None),
            b'n' => SequencePart::Letter(b'\n'),
            b'r' => SequencePart::Letter(b'\r'),
            b't' => SequencePart::Letter(b'\t'),
            mark if mark.is_ascii_punctuation() || mark == b' ' => SequencePart::Letter(mark),
            _ => return Err(UnsupportedSyntax),
        })
    }

    /// Passes over the rest of a set of bytes.
    fn skip_class(&mut self) -> Result<(), UnsupportedSyntax> {
        let _ = self.takes(b'^');
        // At the start it does not end the set.
        let _ = self.takes(b']');
        loop {
            match self.next()? {
                b']' => return Ok(()),
                b'[' => self.skip_class()?,
                b'\\' => drop(self.next()?),
                _ => {}
            }
        }
    }

    /// How often the last part is there at least, if anything says so.
    fn repetition(&mut self) -> Result<Option<u32>, UnsupportedSyntax> {
        self.skip_blanks()?;
        let least = match self.rest.first() {
            Some(b'?' | b'*') => 0,
            Some(b'+') => 1,
            Some(b'{') => {
                let digits = self.rest[1..]
                    .iter()
                    .take_while(|byte| byte.is_ascii_digit());
                let digits = &self.rest[1..][..digits.count()];
                let end = self
                    .rest
                    .iter()
                    .position(|byte| *byte == b'}')
                    .ok_or(UnsupportedSyntax)?;
                self.rest = &self.rest[end..];
                let digits = str::from_utf8(digits).map_err(|_| UnsupportedSyntax)?;
                digits.parse().map_err(|_| UnsupportedSyntax)?
            }
            _ => return Ok(None),
        };
        self.next()?;
        self.skip_blanks()?;
        let _ = self.takes(b'?');
        self.skip_blanks()?;
        match self.rest.first() {
            Some(b'?' | b'*' | b'+' | b'{') => Err(UnsupportedSyntax),
            _ => Ok(Some(least)),
        }
    }

    /// Passes over what means nothing.
    fn skip_blanks(&mut self) -> Result<(), UnsupportedSyntax> {
        self.rest = self.rest.trim_ascii_start();
        match self.rest.first() {
            // What follows is a comment.
            Some(b'#') => Err(UnsupportedSyntax),
            _ => Ok(()),
        }
    }

    fn takes(&mut self, byte: u8) -> bool {
        let rest = self.rest.strip_prefix(&[byte]);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn next(&mut self) -> Result<u8, UnsupportedSyntax> {
        let (first, rest) = self.rest.split_first().ok_or(UnsupportedSyntax)?;
        self.rest = rest;
        Ok(*first)
    }
}

/// Fewer than so many repetitions cost nothing worth saving.
const MIN_COUNTED_GAP: u32 = 8;

/// Parts that a text must contain in this order so that a pattern can match in it.
#[derive(Debug)]
pub(crate) struct OrderedParts {
    parts: Box<[LazyRegex]>,
}

impl OrderedParts {
    /// The parts of a pattern, if there are gaps between them.
    pub(crate) fn of(pattern: &Hir) -> Option<Self> {
        let HirKind::Concat(each) = pattern.kind() else {
            return None;
        };
        let parts: Vec<LazyRegex> = each
            .split(is_gap)
            .map(|pieces| Hir::concat(pieces.to_vec()))
            .filter(|part| {
                part.properties()
                    .minimum_len()
                    .is_some_and(|length| length > 0)
            })
            .map(LazyRegex::new)
            .collect();
        (parts.len() > 1).then(|| Self {
            parts: parts.into(),
        })
    }

    /// Whether all parts stand in `text`, in order.
    pub(crate) fn may_match(&self, text: &[u8]) -> bool {
        let mut from = 0;
        self.parts.iter().all(|part| {
            let end = part.first_end(text, from);
            // No match of the part ends before this one, so none of what follows starts before.
            from = end.unwrap_or(from);
            end.is_some()
        })
    }
}

fn is_gap(part: &Hir) -> bool {
    match part.kind() {
        HirKind::Repetition(gap) => {
            gap.min == 0 && gap.max.is_some_and(|most| most >= MIN_COUNTED_GAP)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::lazy_regex::parse_pattern;
    use crate::pattern::tests::all_sources;
    use regex_syntax::ast::parse::ParserBuilder;
    use regex_syntax::ast::{
        Ast, Group, GroupKind, Literal, Repetition, RepetitionKind, RepetitionRange,
    };

    fn check(source: &str, has: &[&str], lacks: &[&str]) {
        let required = RequiredLiterals::of(source).unwrap();
        for text in has {
            assert!(required.may_be_in(&Trigrams::of(text)), "{source}: {text}");
        }
        for text in lacks {
            assert!(!required.may_be_in(&Trigrams::of(text)), "{source}: {text}");
        }
    }

    #[test]
    fn every_part_is_looked_for() {
        check(
            r"\b(?:use|add)\b[^.]{0,60}\b(?:concatenation|f-strings)\b",
            &["add f-strings", "use concatenation", "concatenation to use"],
            &["use it", "f-strings", "concatenation"],
        );
        check(
            r"instructions?\s{0,3}(?:to|of)",
            &["instruction"],
            &["to of"],
        );
        check(
            r"(?:abc|(?:defg|hij)+)x{0,2}",
            &["abc", "defg", "hij"],
            &["x"],
        );
    }

    #[test]
    fn letters_are_the_bytes_they_stand_for() {
        check(
            r"a\.b \[ \x63 \xc3\xa9 x{2}",
            &["a.b[cé", "_a.b[céxx_"],
            &["a.b", "axb[cé", "a.b [cé"],
        );
        check(r"(?:abc|def)+g (hij)", &["abcghij"], &["abcg", "ghij"]);
    }

    #[test]
    fn a_pattern_without_such_words_is_always_asked() {
        for source in [
            r"\d{0,3}",
            r"[ab]c?x{0,2}",
            r"(?:abc)?x{0,2}",
            r"abc|\w{0,2}",
            r"\bdo\b.{0,9}",
            r"(?i:abc)",
            r"abc(?i)def",
        ] {
            assert!(RequiredLiterals::of(source).is_none(), "{source}");
        }
    }

    fn ordered_parts(source: &str) -> Option<OrderedParts> {
        OrderedParts::of(&parse_pattern(source).unwrap())
    }

    #[test]
    fn parts_are_looked_for_in_order() {
        let ordered_parts =
            ordered_parts(r"\b(?:ask|tell)\b[^.]{0,60}\busers?\b[^.]{0,60}\bpass words?").unwrap();
        for (text, may) in [
            ("ask the user for a passwords", true),
            ("tell users: password, or password", true),
            ("the user asks for a password", false),
            ("ask for the password of the user", false),
            ("ask the user", false),
            ("task the user for a password", false),
            ("", false),
        ] {
            assert_eq!(ordered_parts.may_match(text.as_bytes()), may, "{text}");
        }
    }

    #[test]
    fn parts_may_touch_but_not_overlap() {
        let ordered_parts = ordered_parts(r"abab.{0,9}ab").unwrap();
        assert!(ordered_parts.may_match(b"ababab"));
        assert!(!ordered_parts.may_match(b"abab"));
    }

    #[test]
    fn a_pattern_without_two_parts_has_none() {
        for source in [
            r"abc",
            r"abc.{0,40}",
            r"a|b.{0,40}c",
            r"a.{0,3}b",
            r"a?.{0,40}b",
        ] {
            assert!(ordered_parts(source).is_none(), "{source}");
        }
    }

    #[test]
    fn every_part_of_every_pattern_compiles() {
        let mut seen = 0;
        for source in crate::pattern::tests::all_sources() {
            let parts =
                ordered_parts(&source).map_or(Box::default(), |ordered_parts| ordered_parts.parts);
            assert!(parts.iter().all(LazyRegex::is_sound), "{source}");
            seen += parts.len();
        }
        assert!(seen > 100, "{seen}");
    }

    /// What the engine's own parser understands.
    fn understood(source: &str) -> Option<RequiredLiterals> {
        let mut parser = ParserBuilder::new().ignore_whitespace(true).build();
        required(&parser.parse(source).unwrap())
    }

    #[test]
    fn every_pattern_is_read_as_it_is_understood() {
        for source in all_sources() {
            assert_eq!(read_literals(&source), understood(&source), "{source}");
        }
    }

    #[test]
    fn what_is_not_known_is_always_asked() {
        for source in [
            "(?i)abc",
            "(?i:abc)",
            "(?P<x>abc)",
            r"abc\pL",
            r"abc\b{start}",
            "abc # def\nghi",
            "abc)",
            "(abc",
            "[abc",
            r"abc\",
            r"\x{61}bcd",
            "abc**",
            "*abc",
            "abc{,3}",
        ] {
            assert!(read_literals(source).is_none(), "{source}");
        }
    }

    #[test]
    fn sets_are_passed_over() {
        for source in [
            "[]x]abc",
            "[^]x]abc",
            r"[\]x]abc",
            "[a[bc]d]abc",
            "[[:alpha:]]abc",
            "[|)(]abc",
        ] {
            assert_eq!(read_literals(source), understood("abc"), "{source}");
        }
    }

    /// What each match of a part of a pattern holds.
    fn required(part: &Ast) -> Option<RequiredLiterals> {
        match part {
            Ast::Literal(literal) => RequiredLiterals::word(&[byte(literal)?]),
            Ast::Group(group) => required(plain(group)?),
            Ast::Repetition(repetition) if is_needed(repetition) => required(&repetition.ast),
            Ast::Concat(concat) => all(&concat.asts),
            Ast::Alternation(alternation) => {
                let ways: Option<Vec<RequiredLiterals>> =
                    alternation.asts.iter().map(required).collect();
                ways.map(RequiredLiterals::any)
            }
            _ => None,
        }
    }

    /// What parts that follow one another hold; letters that do make a word.
    fn all(parts: &[Ast]) -> Option<RequiredLiterals> {
        let (mut found, mut letters) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                Ast::Literal(literal) => letters.push(byte(literal)?),
                // From here on letters may mean others.
                Ast::Flags(_) => return None,
                _ => {
                    found.extend(RequiredLiterals::word(&letters));
                    letters.clear();
                    found.extend(required(part));
                }
            }
        }
        found.extend(RequiredLiterals::word(&letters));
        RequiredLiterals::all(found)
    }

    /// The byte that a letter of a pattern stands for.
    fn byte(literal: &Literal) -> Option<u8> {
        let ascii = || u8::try_from(literal.c).ok().filter(u8::is_ascii);
        literal.byte().or_else(ascii)
    }

    /// What is in a group where everything means what it means outside.
    fn plain(group: &Group) -> Option<&Ast> {
        match &group.kind {
            GroupKind::NonCapturing(flags) if !flags.items.is_empty() => None,
            _ => Some(&group.ast),
        }
    }

    fn is_needed(repetition: &Repetition) -> bool {
        use RepetitionKind::{OneOrMore, Range, ZeroOrMore, ZeroOrOne};
        use RepetitionRange::{AtLeast, Bounded, Exactly};
        match &repetition.op.kind {
            ZeroOrOne | ZeroOrMore => false,
            OneOrMore => true,
            Range(Exactly(least) | AtLeast(least) | Bounded(least, _)) => *least > 0,
        }
    }
}
