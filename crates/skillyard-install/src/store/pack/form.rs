//! The bytes of a pack: what it starts with, a head of each file, and then what is in them.
//!
//! In the first form the files follow each other. Where one is so large that it can be written by
//! sharing its blocks, it begins at the beginning of a block, and what comes before it is filled with
//! zeros: that is the second form.

use std::io::{self, Read, Write};

use super::{LARGEST, PackError};
use crate::tree::{LEAST_LENT, Tree, TreeFile};

/// What the block of no file system is larger than that shares them, or nearly none.
pub(super) const BLOCK: usize = 4096;
/// Whether it may be executed, the length of its path, and its size.
const FIXED: usize = 1 + 4 + 8;
/// What lies before the beginning of a block.
static GAP: [u8; BLOCK] = [0; BLOCK];

/// Where in a pack the files begin. Another form of pack gets another number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One at the end of the other.
    Dense,
    /// Large ones at the beginning of a block.
    Spaced,
}

impl Form {
    fn of(tree: &Tree) -> Self {
        if has_large(tree) {
            Self::Spaced
        } else {
            Self::Dense
        }
    }

    /// What a pack starts with.
    fn start(self) -> &'static [u8; 17] {
        match self {
            Self::Dense => b"skillyard-pack-1\n",
            Self::Spaced => b"skillyard-pack-2\n",
        }
    }

    fn started_with(start: &[u8]) -> Option<Self> {
        let mut forms = [Self::Dense, Self::Spaced].into_iter();
        forms.find(|form| form.start() == start)
    }

    /// Where a file begins that comes after so many bytes.
    fn beginning(self, after: u64, size: u64) -> u64 {
        match self {
            Self::Spaced if size >= LEAST_LENT => after.next_multiple_of(BLOCK as u64),
            _ => after,
        }
    }
}

/// Whether a file of a tree is so large that its blocks can be shared.
pub(in crate::store) fn has_large(tree: &Tree) -> bool {
    let mut sizes = tree.files().iter().map(|file| file.bytes.len() as u64);
    sizes.any(|size| size >= LEAST_LENT)
}

/// How many bytes the pack of a tree has.
pub(in crate::store) fn size(tree: &Tree) -> u64 {
    let form = Form::of(tree);
    tree.files().iter().fold(head_size(tree), |after, file| {
        let size = file.bytes.len() as u64;
        form.beginning(after, size) + size
    })
}

fn head_size(tree: &Tree) -> u64 {
    let heads = tree.files().iter().map(|each| FIXED + each.path.len());
    let heads: usize = heads.sum();
    (Form::Dense.start().len() + 4 + heads) as u64
}

/// Writes the pack of a tree.
pub(in crate::store) fn write_tree(tree: &Tree, out: &mut impl Write) -> io::Result<()> {
    let too_large = || io::Error::from(io::ErrorKind::FileTooLarge);
    let number = |length: usize| u32::try_from(length).map_err(|_| too_large());
    if size(tree) > LARGEST {
        return Err(too_large());
    }
    let form = Form::of(tree);
    out.write_all(form.start())?;
    out.write_all(&number(tree.files().len())?.to_le_bytes())?;
    for file in tree.files() {
        out.write_all(&[u8::from(file.executable)])?;
        out.write_all(&number(file.path.len())?.to_le_bytes())?;
        out.write_all(&(file.bytes.len() as u64).to_le_bytes())?;
        out.write_all(file.path.as_bytes())?;
    }
    let mut after = head_size(tree);
    for file in tree.files() {
        let size = file.bytes.len() as u64;
        let beginning = form.beginning(after, size);
        write_gap(beginning - after, out)?;
        out.write_all(&file.bytes)?;
        after = beginning + size;
    }
    Ok(())
}

fn write_gap(length: u64, out: &mut impl Write) -> io::Result<()> {
    let length = usize::try_from(length).unwrap_or(GAP.len());
    out.write_all(&GAP[..length])
}

/// The files of a pack of so many bytes that is whole and has nothing beyond them, each with the
/// place where it begins.
pub(super) fn unpacked(from: impl Read, size: u64) -> Result<Vec<(TreeFile, u64)>, PackError> {
    let mut pack = Rest {
        from,
        at: 0,
        size: size.min(LARGEST),
    };
    let start: [u8; 17] = pack.array()?;
    let form = Form::started_with(&start).ok_or(PackError::Broken)?;
    let count = u32::from_le_bytes(pack.array()?);
    let mut heads = Vec::new();
    for _ in 0..count {
        let [executable] = pack.array()?;
        let length = u64::from(u32::from_le_bytes(pack.array()?));
        let size = u64::from_le_bytes(pack.array()?);
        let path = String::from_utf8(pack.bytes(length)?).map_err(|_| PackError::Broken)?;
        if executable > 1 {
            return Err(PackError::Broken);
        }
        heads.push((executable == 1, path, size));
    }
    let mut files = Vec::with_capacity(heads.len());
    for (executable, path, size) in heads {
        let beginning = form.beginning(pack.at, size);
        pack.gap(beginning - pack.at)?;
        let bytes = pack.bytes(size)?;
        let file = TreeFile {
            path,
            executable,
            bytes,
        };
        files.push((file, beginning));
    }
    // What is not said to be in it must not be in it.
    if pack.at < size {
        return Err(PackError::Broken);
    }
    Ok(files)
}

/// What of a pack is not read yet.
struct Rest<R> {
    from: R,
    at: u64,
    size: u64,
}

impl<R: Read> Rest<R> {
    /// So many bytes; nothing is made room for that is not there.
    fn bytes(&mut self, length: u64) -> Result<Vec<u8>, PackError> {
        let after = self.at.checked_add(length);
        self.at = after
            .filter(|after| *after <= self.size)
            .ok_or(PackError::Broken)?;
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| PackError::Broken)?];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], PackError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        self.at += N as u64;
        Ok(bytes)
    }

    /// Passes over bytes, which nobody would see.
    fn gap(&mut self, length: u64) -> Result<(), PackError> {
        let bytes = self.bytes(length)?;
        if bytes.iter().any(|byte| *byte != 0) {
            return Err(PackError::Broken);
        }
        Ok(())
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), PackError> {
        self.from.read_exact(bytes).map_err(|error| {
            if error.kind() == io::ErrorKind::UnexpectedEof {
                PackError::Broken
            } else {
                PackError::Disk(error)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(path: &str, executable: bool, bytes: &[u8]) -> TreeFile {
        TreeFile {
            path: path.to_owned(),
            executable,
            bytes: bytes.to_vec(),
        }
    }

    fn small() -> Tree {
        let skill = file("SKILL.md", false, b"---\nname: pdf\n---\n");
        let script = file("scripts/run.sh", true, b"true\n");
        Tree::new(vec![skill, script, file("empty", false, b"")]).unwrap()
    }

    fn large() -> Tree {
        let mut files = small().files().to_vec();
        for path in ["data/a.bin", "data/b.bin"] {
            files.push(file(path, false, &vec![7; 65_537]));
        }
        Tree::new(files).unwrap()
    }

    fn packed(tree: &Tree) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_tree(tree, &mut bytes).unwrap();
        assert_eq!(bytes.len() as u64, size(tree));
        bytes
    }

    fn opened(bytes: &[u8]) -> Option<Vec<TreeFile>> {
        let files = unpacked(bytes, bytes.len() as u64).ok()?;
        Some(files.into_iter().map(|(file, _)| file).collect())
    }

    #[test]
    fn large_files_begin_with_a_block() {
        let bytes = packed(&large());
        let files = unpacked(&bytes[..], bytes.len() as u64).unwrap();
        assert_eq!(files.len(), 5);
        for (file, start) in files {
            let at = usize::try_from(start).unwrap();
            assert_eq!(bytes[at..at + file.bytes.len()], file.bytes);
            assert!(start.is_multiple_of(BLOCK as u64) || file.bytes.len() < 65_536);
            assert_eq!(large().get(&file.path), Some(&file));
        }
        assert!(packed(&small()).starts_with(b"skillyard-pack-1\n"));
    }

    #[test]
    fn no_part_of_a_pack_is_taken_for_a_whole_one() {
        for (tree, step) in [(small(), 1), (large(), 509)] {
            let bytes = packed(&tree);
            assert_eq!(opened(&bytes).unwrap(), tree.files());
            for end in (0..bytes.len()).step_by(step) {
                assert!(opened(&bytes[..end]).is_none(), "{end}");
                // It may also end while it is read.
                assert!(
                    unpacked(&bytes[..end], bytes.len() as u64).is_err(),
                    "{end}"
                );
            }
            let longer = [&bytes[..], b"x"].concat();
            assert!(opened(&longer).is_none());
        }
    }

    #[test]
    fn any_changed_byte_is_another_tree_or_none() {
        for (tree, step) in [(small(), 1), (large(), 509)] {
            let bytes = packed(&tree);
            for at in (0..bytes.len()).step_by(step).chain(4000..4096) {
                let mut changed = bytes.clone();
                let Some(byte) = changed.get_mut(at) else {
                    continue;
                };
                *byte ^= 1;
                let found = opened(&changed).and_then(|files| Tree::new(files).ok());
                let is_other = found.is_none_or(|found| found.digest() != tree.digest());
                assert!(is_other, "{at}");
            }
        }
    }

    proptest! {
        #[test]
        fn strange_bytes_are_no_pack(bytes: Vec<u8>, form in prop::sample::select(vec![Form::Dense, Form::Spaced])) {
            let _ = opened(&[&form.start()[..], &bytes].concat());
        }
    }
}
