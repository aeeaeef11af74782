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
mod tests;
