//! The submodules that git's index names.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, PathBuf};

/// The mode of an entry that is a submodule.
const SUBMODULE: u32 = 0o160_000;

/// The modes that entries can have.
const MODES: [u32; 5] = [0o100_644, 0o100_755, 0o120_000, 0o040_000, SUBMODULE];

/// The paths of the submodules in an index; none in what git could not read either.
pub(super) fn submodules(bytes: &[u8]) -> Vec<PathBuf> {
    // The length of names of objects stands in the configuration; only one of them fits.
    let found = read(bytes, 20).or_else(|| read(bytes, 32));
    let mut found = found.unwrap_or_default();
    found.retain(|path| {
        path.components()
            .all(|step| matches!(step, Component::Normal(_)))
    });
    found
}

fn read(bytes: &[u8], hash: usize) -> Option<Vec<PathBuf>> {
    let version = number(bytes.strip_prefix(b"DIRC")?)?;
    let count = number(bytes.get(8..)?)?;
    let (mut at, mut path, mut found) = (12, Vec::new(), Vec::new());
    for _ in 0..count {
        let entry = bytes.get(at..)?;
        let mode = number(entry.get(24..)?)?;
        if !MODES.contains(&mode) {
            return None;
        }
        let flags = 40 + hash;
        let is_extended = version >= 3 && *entry.get(flags)? & 0x40 != 0;
        let mut rest = entry.get(flags + if is_extended { 4 } else { 2 }..)?;
        if version == 4 {
            // The path begins as the one before, less so many bytes.
            let less = shortened(&mut rest)?;
            path.truncate(path.len().checked_sub(less)?);
        } else {
            path.clear();
        }
        let length = rest.iter().position(|byte| *byte == 0)?;
        path.extend_from_slice(&rest[..length]);
        let used = entry.len() - rest.len() + length;
        // Older entries end in one to eight NULs, at a multiple of eight.
        at += if version == 4 {
            used + 1
        } else {
            (used + 8) & !7
        };
        if mode == SUBMODULE {
            found.push(PathBuf::from(OsStr::from_bytes(&path)));
        }
    }
    Some(found)
}

fn number(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk().copied().map(u32::from_be_bytes)
}

/// A number in git's own form: seven bits a byte, the highest first.
fn shortened(rest: &mut &[u8]) -> Option<usize> {
    let mut value = 0_usize;
    loop {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        value = value
            .checked_mul(128)?
            .checked_add(usize::from(byte & 127))?;
        if byte & 128 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_index_names_nothing() {
        for bytes in [&b""[..], b"DIRC", b"DIRC\0\0\0\x02\0\0\0\x01short"] {
            assert!(submodules(bytes).is_empty());
        }
        assert!(submodules(&[0xff; 4096]).is_empty());
    }
}
