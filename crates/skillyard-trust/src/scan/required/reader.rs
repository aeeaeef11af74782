//! The words of a pattern, read from its source.
//!
//! A pattern is read only as far as its words are concerned, which takes a twentieth of what it
//! takes to understand all of it. What is not known here makes the whole pattern one that is
//! always asked. A test compares what is read with what the engine's own parser understands.

use super::Required;

/// What a pattern requires; blanks and line breaks in it mean nothing.
pub(super) fn read(source: &str) -> Option<Required> {
    let mut reader = Reader {
        rest: source.as_bytes(),
    };
    let required = reader.choice().ok()?;
    required.filter(|_| reader.rest.is_empty())
}

/// Something in a pattern that is not known here.
struct Unknown;

/// One part of a sequence.
enum Part {
    /// A byte as it is.
    Letter(u8),
    /// Something else, and what it requires.
    Other(Option<Required>),
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    /// Ways to match, up to the end of the group or of the pattern.
    fn choice(&mut self) -> Result<Option<Required>, Unknown> {
        let mut ways = vec![self.sequence()?];
        while self.takes(b'|') {
            ways.push(self.sequence()?);
        }
        if ways.len() == 1 {
            return Ok(ways.pop().flatten());
        }
        let ways: Option<Vec<Required>> = ways.into_iter().collect();
        Ok(ways.map(Required::any))
    }

    /// Parts that follow one another; letters that do make a word.
    fn sequence(&mut self) -> Result<Option<Required>, Unknown> {
        let (mut found, mut letters) = (Vec::new(), Vec::new());
        while let Some(part) = self.part()? {
            let is_repeated = self.repetition()?;
            match (part, is_repeated) {
                (Part::Letter(letter), None) => letters.push(letter),
                (part, least) => {
                    found.extend(Required::word(&letters));
                    letters.clear();
                    if let Part::Other(required) = part {
                        found.extend(required.filter(|_| least.unwrap_or(1) > 0));
                    }
                }
            }
        }
        found.extend(Required::word(&letters));
        Ok(Required::all(found))
    }

    /// The next part, unless the sequence ends here.
    fn part(&mut self) -> Result<Option<Part>, Unknown> {
        self.skip_blanks()?;
        if matches!(self.rest.first(), None | Some(b'|' | b')')) {
            return Ok(None);
        }
        Ok(Some(match self.next()? {
            b'(' => Part::Other(self.group()?),
            b'[' => {
                self.skip_class()?;
                Part::Other(None)
            }
            b'\\' => self.escape()?,
            b'.' | b'^' | b'$' => Part::Other(None),
            b'?' | b'*' | b'+' | b'{' => return Err(Unknown),
            letter if letter.is_ascii() => Part::Letter(letter),
            _ => return Err(Unknown),
        }))
    }

    fn group(&mut self) -> Result<Option<Required>, Unknown> {
        // Of all that may follow the question mark only this leaves letters what they are.
        if self.takes(b'?') && self.next()? != b':' {
            return Err(Unknown);
        }
        let required = self.choice()?;
        match self.next()? {
            b')' => Ok(required),
            _ => Err(Unknown),
        }
    }

    fn escape(&mut self) -> Result<Part, Unknown> {
        Ok(match self.next()? {
            b'x' => {
                let digits = [self.next()?, self.next()?];
                let digits = str::from_utf8(&digits).map_err(|_| Unknown)?;
                Part::Letter(u8::from_str_radix(digits, 16).map_err(|_| Unknown)?)
            }
            b'b' if self.rest.first() != Some(&b'{') => Part::Other(None),
            b'd' | b'D' | b's' | b'S' | b'w' | b'W' | b'B' => Part::Other(None),
            b'n' => Part::Letter(b'\n'),
            b'r' => Part::Letter(b'\r'),
            b't' => Part::Letter(b'\t'),
            mark if mark.is_ascii_punctuation() || mark == b' ' => Part::Letter(mark),
            _ => return Err(Unknown),
        })
    }

    /// Passes over the rest of a set of bytes.
    fn skip_class(&mut self) -> Result<(), Unknown> {
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
    fn repetition(&mut self) -> Result<Option<u32>, Unknown> {
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
                    .ok_or(Unknown)?;
                self.rest = &self.rest[end..];
                let digits = str::from_utf8(digits).map_err(|_| Unknown)?;
                digits.parse().map_err(|_| Unknown)?
            }
            _ => return Ok(None),
        };
        self.next()?;
        self.skip_blanks()?;
        let _ = self.takes(b'?');
        self.skip_blanks()?;
        match self.rest.first() {
            Some(b'?' | b'*' | b'+' | b'{') => Err(Unknown),
            _ => Ok(Some(least)),
        }
    }

    /// Passes over what means nothing.
    fn skip_blanks(&mut self) -> Result<(), Unknown> {
        self.rest = self.rest.trim_ascii_start();
        match self.rest.first() {
            // What follows is a comment.
            Some(b'#') => Err(Unknown),
            _ => Ok(()),
        }
    }

    fn takes(&mut self, byte: u8) -> bool {
        let rest = self.rest.strip_prefix(&[byte]);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn next(&mut self) -> Result<u8, Unknown> {
        let (first, rest) = self.rest.split_first().ok_or(Unknown)?;
        self.rest = rest;
        Ok(*first)
    }
}

#[cfg(test)]
mod tests {
    use regex_syntax::ast::parse::ParserBuilder;
    use regex_syntax::ast::{
        Ast, Group, GroupKind, Literal, Repetition, RepetitionKind, RepetitionRange,
    };

    use super::*;
    use crate::scan::pattern::tests::all_sources;

    /// What the engine's own parser understands.
    fn understood(source: &str) -> Option<Required> {
        let mut parser = ParserBuilder::new().ignore_whitespace(true).build();
        required(&parser.parse(source).unwrap())
    }

    #[test]
    fn every_pattern_is_read_as_it_is_understood() {
        for source in all_sources() {
            assert_eq!(read(&source), understood(&source), "{source}");
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
            assert!(read(source).is_none(), "{source}");
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
            assert_eq!(read(source), understood("abc"), "{source}");
        }
    }

    /// What each match of a part of a pattern holds.
    fn required(part: &Ast) -> Option<Required> {
        match part {
            Ast::Literal(literal) => Required::word(&[byte(literal)?]),
            Ast::Group(group) => required(plain(group)?),
            Ast::Repetition(repetition) if is_needed(repetition) => required(&repetition.ast),
            Ast::Concat(concat) => all(&concat.asts),
            Ast::Alternation(alternation) => {
                let ways: Option<Vec<Required>> = alternation.asts.iter().map(required).collect();
                ways.map(Required::any)
            }
            _ => None,
        }
    }

    /// What parts that follow one another hold; letters that do make a word.
    fn all(parts: &[Ast]) -> Option<Required> {
        let (mut found, mut letters) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                Ast::Literal(literal) => letters.push(byte(literal)?),
                // From here on letters may mean others.
                Ast::Flags(_) => return None,
                _ => {
                    found.extend(Required::word(&letters));
                    letters.clear();
                    found.extend(required(part));
                }
            }
        }
        found.extend(Required::word(&letters));
        Required::all(found)
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
