//! A skill as one file: what its files are called, how large they are, then their bytes.
//!
//! One file is made and found far quicker than the three or thirty it stands for. Nothing in it is
//! believed: the tree that is read is hashed, and compared with the digest that names the pack.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use skillyard_catalog::regular_file::{self, Links, NotRead};
use skillyard_format::Digest;

use crate::tree::{LEAST_LENT, Lender, Tree, TreeError, TreeFile};

mod form;

use form::{BLOCK, unpacked};
pub(super) use form::{has_large, size, write_tree};

/// No skill comes near this; something that claims to be larger is not read into memory.
pub(super) const LARGEST: u64 = (1 << 30) + (64 << 20);
/// Small files are read and written together, so many bytes at a time.
const AT_ONCE: usize = 64 << 10;

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

/// Reads a pack, following no link and waiting for no pipe.
pub(super) fn read(path: &Path) -> Result<Tree, PackError> {
    let (file, found) = open(path)?;
    let size = found.len();
    let at_once = usize::try_from(size).map_or(AT_ONCE, |size| size.min(AT_ONCE));
    let files = unpacked(BufReader::with_capacity(at_once, file), size)?;
    let places = files.iter().filter(|(file, start)| {
        file.bytes.len() as u64 >= LEAST_LENT && start.is_multiple_of(BLOCK as u64)
    });
    let places = places.map(|(file, start)| (file.path.clone(), *start));
    let lender = Lender::of(path, &found, places.collect());
    Ok(tree_of(files)?.lent_by(lender))
}

/// The tree in a pack.
pub(super) fn tree(pack: &[u8]) -> Result<Tree, PackError> {
    tree_of(unpacked(pack, pack.len() as u64)?)
}

fn tree_of(files: Vec<(TreeFile, u64)>) -> Result<Tree, PackError> {
    let files = files.into_iter().map(|(file, _)| file);
    Ok(Tree::of_any_names(files.collect())?)
}

/// Opens a file of the store that is no larger than any skill, following no link and waiting for no
/// pipe; with what was found of it.
pub(super) fn open(path: &Path) -> Result<(File, Metadata), PackError> {
    use io::ErrorKind::IsADirectory;
    let opened = regular_file::open(path, Links::Refused);
    let (file, found) = opened.map_err(|error| match NotRead::of(&error) {
        Some(_) => PackError::NotAFile,
        None if error.kind() == IsADirectory => PackError::NotAFile,
        None => PackError::Disk(error),
    })?;
    // A file may claim to be larger than any disk.
    if found.len() > LARGEST {
        return Err(PackError::TooLarge(found.len()));
    }
    Ok((file, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_holds_the_tree() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pack");
        let file = |path: &str, size| TreeFile {
            path: path.to_owned(),
            executable: path.starts_with("scripts/"),
            bytes: vec![b'x'; size],
        };
        for size in [0, 1, AT_ONCE - 1, AT_ONCE, 3 * AT_ONCE + 1] {
            let files = vec![
                file("SKILL.md", 20),
                file("data", size),
                file("scripts/a", 5),
            ];
            let tree = Tree::new(files).unwrap();
            write(&path, |file| write_tree(&tree, file)).unwrap();
            assert_eq!(path.metadata().unwrap().len(), super::size(&tree));
            assert_eq!(read(&path).unwrap(), tree);
            std::fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn what_is_no_file_is_no_pack() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        std::fs::create_dir(place("folder")).unwrap();
        std::os::unix::fs::symlink("folder", place("link")).unwrap();
        for name in ["folder", "link"] {
            assert!(
                matches!(read(&place(name)), Err(PackError::NotAFile)),
                "{name}"
            );
        }
        let sparse = File::create(place("sparse")).unwrap();
        sparse.set_len(LARGEST + 1).unwrap();
        let read = read(&place("sparse"));
        assert!(matches!(read, Err(PackError::TooLarge(_))));
    }
}
