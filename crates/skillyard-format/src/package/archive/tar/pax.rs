//! PAX extended headers: lines of `length key=value`.

use std::collections::HashSet;

use super::number::decimal;
use crate::package::archive::error::TarProblem;

/// What an extended header changes about the entry after it.
#[derive(Debug, Default)]
pub(super) struct Pax {
    pub(super) path: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
    pub(super) sparse: bool,
}

/// Reads the header of one entry. Owners, times, attributes and comments are not used, so not kept.
pub(super) fn parse(payload: &[u8]) -> Result<Pax, TarProblem> {
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
mod tests {
    use super::*;

    #[test]
    fn records_are_read_strictly() {
        let pax = parse(b"12 path=a/b\n10 size=5\n").expect("two records");
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
                parse(bad).expect_err("bad"),
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
