//! Reading a file as it was when its skill was hashed.
//!
//! Between hashing a folder and reading a file of it, another process may replace the file. So the
//! file is read once, hashed by what was read, and given only if that is what the skill consisted of.

use std::io::Read as _;

use skillyard_format::package::{ContentDigest, Digest};

use super::digest::{DigestLimits, FileDigests};
use super::error::ResourceError;
use super::read::{HEAD_BYTES, OpenFile, ReadBytes, ReadLimits, ReadRange, ReadWindow, Resource};
use super::root::SkillRoot;

impl SkillRoot {
    /// Reads a file, as [`SkillRoot::read`] does, if it is still what was hashed.
    pub fn read_hashed(
        &self,
        path: &str,
        range: ReadRange,
        limits: &ReadLimits,
        hashed: &FileDigests,
    ) -> Result<Resource, ResourceError> {
        let opened = OpenFile::admitted(self, path, limits)?;
        let path = opened.path.clone();
        if hashed.litter.contains(&path) {
            return Err(ResourceError::Litter { path });
        }
        let Some(digest) = hashed.of(&path) else {
            return Err(ResourceError::Changed { path });
        };
        let part = ReadWindow::of(range, limits);
        let taken = opened.hashed(&part, digest)?;
        opened.resource(&part, limits, taken)
    }
}

impl OpenFile {
    /// Reads the file to its end, and keeps a part of it.
    fn hashed(&self, part: &ReadWindow, expected: Digest) -> Result<ReadBytes, ResourceError> {
        let (mut head, mut bytes) = (Vec::new(), Vec::new());
        let mut content = ContentDigest::default();
        let mut buffer = vec![0; 64 * 1024];
        let mut size = 0;
        loop {
            let read = (&self.file).read(&mut buffer);
            let count = read.map_err(|source| self.failed(source))?;
            let piece = &buffer[..count];
            content.add(piece);
            keep(&mut head, piece, size, (0, HEAD_BYTES as u64));
            keep(&mut bytes, piece, size, (part.from, part.count));
            size += count as u64;
            // No skill that was hashed has so much.
            if count == 0 || size > DigestLimits::HERE.max_bytes {
                break;
            }
        }
        if content.finish() != expected {
            let path = self.path.clone();
            return Err(ResourceError::Changed { path });
        }
        let head = (part.from > 0).then_some(head);
        Ok(ReadBytes { bytes, head, size })
    }
}

/// Keeps what a piece that begins at `at` has of the `count` bytes behind `from`.
fn keep(kept: &mut Vec<u8>, piece: &[u8], at: u64, (from, count): (u64, u64)) {
    let place = |byte: u64| usize::try_from(byte.saturating_sub(at)).unwrap_or(usize::MAX);
    let end = place(from.saturating_add(count)).min(piece.len());
    let start = place(from).min(end);
    kept.extend_from_slice(&piece[start..end]);
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::{BinaryContent, file_digests};
    use super::*;

    #[test]
    fn what_is_given_is_what_was_hashed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.md");
        // With characters of several bytes, which parts begin and end in.
        let text: String = ('a'..='z')
            .cycle()
            .zip("äö€".chars().cycle())
            .take(90_000)
            .flat_map(|(one, other)| [one, other])
            .collect();
        fs::write(&path, &text).unwrap();
        fs::write(folder.path().join("SKILL.md"), "x").unwrap();
        fs::write(folder.path().join("data.bin"), [0, 255, 7]).unwrap();
        let root = SkillRoot::open(folder.path()).unwrap();
        let hashed = file_digests(&root, &DigestLimits::HERE).unwrap();
        let limits = ReadLimits {
            binary: BinaryContent::Include,
            ..ReadLimits::default()
        };
        let size = text.len() as u64;
        for offset in [
            0,
            1,
            2,
            3,
            4,
            65_535,
            65_536,
            65_537,
            131_072,
            size - 1,
            size,
        ] {
            for limit in [None, Some(1), Some(5), Some(70_000)] {
                let range = ReadRange { offset, limit };
                for path in ["notes.md", "./notes.md"] {
                    let given = root.read_hashed(path, range, &limits, &hashed).unwrap();
                    assert_eq!(given, root.read(path, range, &limits).unwrap(), "{range:?}");
                }
            }
        }
        let range = ReadRange::default();
        let given = root.read_hashed("data.bin", range, &limits, &hashed);
        assert_eq!(
            given.unwrap(),
            root.read("data.bin", range, &limits).unwrap()
        );
        let past = ReadRange {
            offset: size + 1,
            limit: None,
        };
        let given = root.read_hashed("notes.md", past, &limits, &hashed);
        assert!(matches!(given, Err(ResourceError::OffsetPastEnd { .. })));
        // Other bytes of the same length, behind the part that is asked for.
        fs::write(&path, text.replace('z', "y")).unwrap();
        let start = ReadRange {
            offset: 0,
            limit: Some(4),
        };
        let given = root.read_hashed("notes.md", start, &limits, &hashed);
        assert!(matches!(given, Err(ResourceError::Changed { .. })));
        fs::write(folder.path().join("new.md"), "x").unwrap();
        let given = root.read_hashed("new.md", range, &limits, &hashed);
        assert!(matches!(given, Err(ResourceError::Changed { .. })));
    }
}
