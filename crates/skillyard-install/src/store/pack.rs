//! A skill as one file: what its files are called, how large they are, then their bytes.
//!
//! One file is made and found far quicker than the three or thirty it stands for. Nothing in it is
//! believed: the tree that is read is hashed, and compared with the digest that names the pack.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{FileType, Mode, OFlags};

use skillyard_format::Digest;

use crate::tree::{Tree, TreeError, TreeFile};

/// What every pack starts with; another form of pack gets another number.
const START: &[u8] = b"skillyard-pack-1\n";
/// No skill comes near this; something that claims to be larger is not read into memory.
pub(super) const LARGEST: u64 = (1 << 30) + (64 << 20);
/// Small files are written together, so many bytes at a time.
const AT_ONCE: usize = 64 << 10;
/// Whether it may be executed, the length of its path, and its size.
const FIXED: usize = 1 + 4 + 8;

/// Why a file is no pack.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// The disk refused.
    #[error(transparent)]
    Disk(#[from] io::Error),
    /// A link, a pipe, a folder or a device.
    #[error("it is not a file")]
    NotAFile,
    /// Larger than any skill.
    #[error("it has {0} bytes, more than any skill")]
    TooLarge(u64),
    /// Not as a pack is, or not all of it.
    #[error("it is not a whole pack")]
    Broken,
    /// The files in it cannot be a skill's.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// A skill whose pack can be put into a bundle.
pub(super) trait Packed {
    /// What it is filed as.
    fn digest(&self) -> Digest;
    /// How many bytes its pack has.
    fn size(&self) -> u64;
    /// Writes its pack.
    fn write(&self, out: &mut impl Write) -> io::Result<()>;
}

impl Packed for &Arc<Tree> {
    fn digest(&self) -> Digest {
        Tree::digest(self)
    }

    fn size(&self) -> u64 {
        size(self)
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        write_tree(self, out)
    }
}

/// A pack, and the skill that is in it.
pub(super) type Filed = (Digest, Vec<u8>);

impl Packed for Filed {
    fn digest(&self) -> Digest {
        self.0
    }

    fn size(&self) -> u64 {
        self.1.len() as u64
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.1)
    }
}

/// How many bytes the pack of a tree has.
pub(super) fn size(tree: &Tree) -> u64 {
    let names: usize = tree
        .files()
        .iter()
        .map(|each| FIXED + each.path.len())
        .sum();
    (START.len() + 4 + names) as u64 + tree.size()
}

/// Writes a file of the store that is not there yet; nobody may change it.
pub(super) fn write(
    file: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut options = File::options();
    let file = options
        .write(true)
        .create_new(true)
        .mode(0o444)
        .open(file)?;
    let mut file = BufWriter::with_capacity(AT_ONCE, file);
    content(&mut file)?;
    file.flush()
}

/// Writes the pack of a tree.
pub(super) fn write_tree(tree: &Tree, out: &mut impl Write) -> io::Result<()> {
    let too_large = || io::Error::from(io::ErrorKind::FileTooLarge);
    let number = |length: usize| u32::try_from(length).map_err(|_| too_large());
    if size(tree) > LARGEST {
        return Err(too_large());
    }
    out.write_all(START)?;
    out.write_all(&number(tree.files().len())?.to_le_bytes())?;
    for file in tree.files() {
        out.write_all(&[u8::from(file.executable)])?;
        out.write_all(&number(file.path.len())?.to_le_bytes())?;
        out.write_all(&(file.bytes.len() as u64).to_le_bytes())?;
        out.write_all(file.path.as_bytes())?;
    }
    tree.files()
        .iter()
        .try_for_each(|file| out.write_all(&file.bytes))
}

/// Reads a pack, following no link and waiting for no pipe.
pub(super) fn read(path: &Path) -> Result<Tree, PackError> {
    let (file, size) = open(path)?;
    if size > LARGEST {
        return Err(PackError::TooLarge(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    file.take(LARGEST).read_to_end(&mut bytes)?;
    tree(&bytes)
}

/// The tree in a pack.
pub(super) fn tree(pack: &[u8]) -> Result<Tree, PackError> {
    Ok(Tree::of_any_names(
        unpacked(pack).ok_or(PackError::Broken)?,
    )?)
}

/// Opens a file of the store, following no link and waiting for no pipe; with its size.
pub(super) fn open(path: &Path) -> Result<(File, u64), PackError> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = match rustix::fs::open(path, flags, Mode::empty()) {
        // What a link answers when it is not followed, and a socket when it is opened.
        Err(rustix::io::Errno::LOOP | rustix::io::Errno::NXIO) => return Err(PackError::NotAFile),
        other => other.map_err(io::Error::from)?,
    };
    let stat = rustix::fs::fstat(&opened).map_err(io::Error::from)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(PackError::NotAFile);
    }
    Ok((File::from(opened), u64::try_from(stat.st_size).unwrap_or(0)))
}

/// The files of a pack that is whole and has nothing beyond them.
fn unpacked(bytes: &[u8]) -> Option<Vec<TreeFile>> {
    let mut rest = bytes.strip_prefix(START)?;
    let count = u32::from_le_bytes(*take(&mut rest)?);
    let mut heads = Vec::new();
    for _ in 0..count {
        let [executable] = *take(&mut rest)?;
        let length = usize::try_from(u32::from_le_bytes(*take(&mut rest)?)).ok()?;
        let size = usize::try_from(u64::from_le_bytes(*take(&mut rest)?)).ok()?;
        let (path, after) = rest.split_at_checked(length)?;
        rest = after;
        let path = str::from_utf8(path).ok()?;
        heads.push((executable == 1, path, size));
        if executable > 1 {
            return None;
        }
    }
    let mut files = Vec::with_capacity(heads.len());
    for (executable, path, size) in heads {
        let (content, after) = rest.split_at_checked(size)?;
        rest = after;
        files.push(TreeFile {
            path: path.to_owned(),
            executable,
            bytes: content.to_vec(),
        });
    }
    rest.is_empty().then_some(files)
}

fn take<'a, const N: usize>(rest: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (taken, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Tree {
        let file = |path: &str, executable, bytes: &[u8]| TreeFile {
            path: path.into(),
            executable,
            bytes: bytes.to_vec(),
        };
        Tree::new(vec![
            file("SKILL.md", false, b"---\nname: pdf\n---\n"),
            file("scripts/run.sh", true, b"true\n"),
            file("empty", false, b""),
        ])
        .unwrap()
    }

    fn packed(tree: &Tree) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_tree(tree, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_pack_holds_the_tree() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pack");
        write(&path, |file| write_tree(&sample(), file)).unwrap();
        assert_eq!(path.metadata().unwrap().len(), size(&sample()));
        assert_eq!(read(&path).unwrap(), sample());
    }

    #[test]
    fn no_part_of_a_pack_is_taken_for_a_whole_one() {
        let bytes = packed(&sample());
        assert!(unpacked(&bytes).is_some());
        for end in 0..bytes.len() {
            assert!(unpacked(&bytes[..end]).is_none(), "{end}");
        }
        let longer = [&bytes[..], b"x"].concat();
        assert!(unpacked(&longer).is_none());
    }

    #[test]
    fn any_changed_byte_is_another_tree_or_none() {
        let bytes = packed(&sample());
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let found = unpacked(&changed).and_then(|files| Tree::new(files).ok());
            assert!(
                found.is_none_or(|found| found.digest() != sample().digest()),
                "{at}"
            );
        }
    }

    proptest! {
        #[test]
        fn strange_bytes_are_no_pack(bytes: Vec<u8>) {
            let _ = unpacked(&[START, &bytes].concat());
        }
    }
}
