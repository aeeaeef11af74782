//! The numbers of a tar header: octal text, nothing else.
//!
//! Tools differ on signs, on base 256 and on what may follow the digits; where
//! they differ, entries hide. A size that needs base 256 is over every limit anyway.

use crate::package::archive::error::TarProblem;

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

#[cfg(test)]
mod tests {
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
