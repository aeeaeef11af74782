//! One header block.

use std::collections::HashSet;

use crate::package::archive::error::TarProblem;

/// Headers are one block; content is padded to whole blocks.
pub(crate) const BLOCK: usize = 512;

const CHECKSUM: std::ops::Range<usize> = 148..156;

/// A header's fields, as far as they matter: owners and times are never applied.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) name: Vec<u8>,
    pub(super) mode: u32,
    pub(super) size: u64,
    pub(super) kind: u8,
}

impl Header {
    pub(super) fn parse(block: &[u8; BLOCK]) -> Result<Self, TarProblem> {
        if !has_checksum(block) {
            return Err(TarProblem::Checksum);
        }
        let with_prefix = match &block[257..265] {
            b"ustar\x0000" => true,
            // GNU's own form, and the oldest, keep other things where the prefix would be.
            b"ustar  \0" | b"\0\0\0\0\0\0\0\0" => false,
            _ => return Err(TarProblem::Header),
        };
        let mut name = Vec::new();
        let prefix = trim(prefix(block));
        if with_prefix && !prefix.is_empty() {
            name.extend_from_slice(prefix);
            name.push(b'/');
        }
        name.extend_from_slice(trim(&block[..100]));
        let mode = octal(&block[100..108], Empty::Zero)?;
        Ok(Self {
            name,
            mode: u32::try_from(mode).map_err(|_| TarProblem::Number)?,
            size: octal(&block[124..136], Empty::Refused)?,
            kind: block[156],
        })
    }
}

/// The field of the prefix, without the two times that some tools keep at its end.
fn prefix(block: &[u8; BLOCK]) -> &[u8] {
    let is_time = |field: &[u8]| octal(field, Empty::Refused).is_ok();
    let has_times = block[475] == 0 && is_time(&block[476..488]) && is_time(&block[488..500]);
    &block[345..if has_times { 475 } else { 500 }]
}

/// Whether `block` is a whole header whose checksum is right.
pub(crate) fn has_checksum(block: &[u8]) -> bool {
    if block.len() != BLOCK {
        return false;
    }
    let sum = block
        .iter()
        .enumerate()
        .map(|(index, byte)| {
            // The checksum counts itself as spaces.
            u64::from(if CHECKSUM.contains(&index) {
                b' '
            } else {
                *byte
            })
        })
        .sum::<u64>();
    octal(&block[CHECKSUM], Empty::Refused) == Ok(sum)
}

/// A text field without the NULs that fill it. One inside stays, and is refused as part of the name.
fn trim(field: &[u8]) -> &[u8] {
    let end = field
        .iter()
        .rposition(|byte| *byte != 0)
        .map_or(0, |last| last + 1);
    &field[..end]
}

/// Whether a field may be left empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Empty {
    /// It counts as zero.
    Zero,
    /// It is refused.
    Refused,
}

/// Reads an octal field: spaces, digits, then only spaces and NULs.
pub(super) fn octal(field: &[u8], empty: Empty) -> Result<u64, TarProblem> {
    let start = field
        .iter()
        .position(|byte| *byte != b' ')
        .unwrap_or(field.len());
    let field = &field[start..];
    let digits = field
        .iter()
        .take_while(|byte| matches!(byte, b'0'..=b'7'))
        .count();
    if field[digits..].iter().any(|byte| !matches!(byte, 0 | b' ')) {
        return Err(TarProblem::Number);
    }
    if digits == 0 && empty == Empty::Refused {
        return Err(TarProblem::Number);
    }
    // Twelve octal digits at most: no overflow.
    Ok(field[..digits]
        .iter()
        .fold(0, |number, digit| number * 8 + u64::from(digit - b'0')))
}

/// Reads a decimal number as PAX writes it: digits without sign or leading zero.
pub(super) fn decimal(text: &[u8]) -> Option<u64> {
    let plain = matches!(text, [b'0'] | [b'1'..=b'9', ..]);
    if !plain || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// What an extended header changes about the entry after it.
#[derive(Debug, Default)]
pub(super) struct Pax {
    pub(super) path: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
    pub(super) sparse: bool,
}

/// Reads the header of one entry. Owners, times, attributes and comments are not used, so not kept.
pub(super) fn parse_pax(payload: &[u8]) -> Result<Pax, TarProblem> {
    let mut pax = Pax::default();
    for_each_record(payload, |key, value| {
        match key {
            b"path" => pax.path = Some(value.to_vec()),
            b"size" => pax.size = Some(decimal(value).ok_or(TarProblem::Number)?),
            b"hdrcharset" if value != b"ISO-IR 10646 2000 UTF-8" => {
                return Err(TarProblem::Extended);
            }
            _ if key.starts_with(b"GNU.sparse.") => pax.sparse = true,
            _ => {}
        }
        Ok(())
    })?;
    Ok(pax)
}

/// Checks a header for all entries: a comment is welcome (git writes the commit), a name or a size is not.
pub(super) fn check_global(payload: &[u8]) -> Result<(), TarProblem> {
    for_each_record(payload, |key, _| match key {
        b"path" | b"linkpath" | b"size" | b"hdrcharset" => Err(TarProblem::Global),
        _ if key.starts_with(b"GNU.sparse.") => Err(TarProblem::Global),
        _ => Ok(()),
    })
}

fn for_each_record<'a>(
    mut payload: &'a [u8],
    mut visit: impl FnMut(&'a [u8], &'a [u8]) -> Result<(), TarProblem>,
) -> Result<(), TarProblem> {
    let mut seen = HashSet::new();
    while !payload.is_empty() {
        let (key, value, rest) = split_record(payload).ok_or(TarProblem::Extended)?;
        if !seen.insert(key) {
            return Err(TarProblem::DuplicateKey);
        }
        visit(key, value)?;
        payload = rest;
    }
    Ok(())
}

/// Key, value and what follows the record.
fn split_record(payload: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = payload.iter().take(12).position(|byte| *byte == b' ')?;
    let length = usize::try_from(decimal(&payload[..space])?).ok()?;
    let (record, rest) = payload.split_at_checked(length)?;
    let body = record.get(space + 1..)?.strip_suffix(b"\n")?;
    let equals = body.iter().position(|byte| *byte == b'=')?;
    let (key, value) = (&body[..equals], &body[equals + 1..]);
    let printable = key.iter().all(|byte| *byte > b' ' && *byte != 0x7f);
    (!key.is_empty() && printable).then_some((key, value, rest))
}

#[cfg(test)]
mod number_tests {
    use super::*;

    #[test]
    fn only_plain_numbers_are_read() {
        assert_eq!(octal(b"0000644\0", Empty::Refused), Ok(0o644));
        assert_eq!(octal(b"   644 \0", Empty::Refused), Ok(0o644));
        assert_eq!(octal(b"77777777777\0", Empty::Refused), Ok(8_589_934_591));
        assert_eq!(octal(b"\0\0\0", Empty::Zero), Ok(0));
        for bad in [
            &b"\0\0\0"[..],
            b"-1\0",
            b"644x",
            b"0x12",
            b"12\x0034",
            b"\x80\0\0\0\0\0\0\x01",
            b"\xff\xff\xff\xff",
            b"9",
        ] {
            assert_eq!(
                octal(bad, Empty::Refused),
                Err(TarProblem::Number),
                "{bad:?}"
            );
        }
        assert_eq!(decimal(b"0"), Some(0));
        assert_eq!(decimal(b"120"), Some(120));
        for bad in [
            &b""[..],
            b"-1",
            b"+1",
            b"01",
            b"1 ",
            b"99999999999999999999",
        ] {
            assert_eq!(decimal(bad), None, "{bad:?}");
        }
    }
}

#[cfg(test)]
mod pax_tests {
    use super::*;

    #[test]
    fn records_are_read_strictly() {
        let pax = parse_pax(b"12 path=a/b\n10 size=5\n").expect("two records");
        assert_eq!(
            (pax.path.as_deref(), pax.size),
            (Some(&b"a/b"[..]), Some(5))
        );
        for (bad, problem) in [
            (&b"99 path=a\n"[..], TarProblem::Extended),
            (b"9 path=ab\n", TarProblem::Extended),
            (b"011 path=ab\n", TarProblem::Extended),
            (b"-1 path=a\n", TarProblem::Extended),
            (b"7 path\n", TarProblem::Extended),
            (b"5 =x\n", TarProblem::Extended),
            (b"10 size=-\n", TarProblem::Number),
            (b"9 path=a\n9 path=b\n", TarProblem::DuplicateKey),
            (b"10 path=a\n10 path=b\n", TarProblem::DuplicateKey),
        ] {
            assert_eq!(
                parse_pax(bad).expect_err("bad"),
                problem,
                "{}",
                String::from_utf8_lossy(bad)
            );
        }
    }

    #[test]
    fn a_global_header_may_comment_and_no_more() {
        assert_eq!(check_global(b"16 comment=abcd\n"), Ok(()));
        for bad in [
            &b"10 path=a\n"[..],
            b"10 size=5\n",
            b"14 linkpath=a\n",
            b"22 GNU.sparse.size=10\n",
        ] {
            assert_eq!(check_global(bad), Err(TarProblem::Global));
        }
    }
}
