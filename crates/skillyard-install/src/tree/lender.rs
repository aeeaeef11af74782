//! The pack that a skill was taken out of, whose blocks its files may share.
//!
//! Where a file system can, a large file that is written takes no room of its own: it has the blocks
//! that the pack has, until somebody changes one of the two. What was hashed is what is written: the
//! pack must look after that as it did before it was read, or the file is written as any other.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skillyard_catalog::regular_file::{self, Links};

use super::stamp::{FileStat, are_settled};
use super::{Tree, TreeFile};
use crate::file_system::has_common_blocks;

/// Smaller files are written quicker than their blocks are shared.
pub(crate) const LEAST: u64 = 64 << 10;

/// A file that holds the large files of a tree.
#[derive(Debug)]
pub(crate) struct Lender {
    pack: PathBuf,
    /// How it was before it was read.
    mark: FileStat,
    /// The paths of the large files, and where in the pack each begins.
    places: Vec<(String, u64)>,
}

impl Lender {
    /// The pack, as it was found before it was read; nothing where it could be changed again
    /// without a trace, and where there is nothing large in it.
    pub(crate) fn of(pack: &Path, found: &Metadata, places: Vec<(String, u64)>) -> Option<Self> {
        let mark = FileStat::of(found);
        let is_useful = !places.is_empty() && are_settled([&mark].into_iter());
        is_useful.then(|| Self {
            pack: pack.to_owned(),
            mark,
            places,
        })
    }

    /// Gives the empty file `to` the bytes of a file of the tree, if that can be done.
    fn lend(&self, file: &TreeFile, to: &File) -> bool {
        let place = self.places.iter().find(|(path, _)| *path == file.path);
        let lent = place.map(|(_, start)| self.copy(*start, file.bytes.len(), to));
        matches!(lent, Some(Ok(true)))
    }

    fn copy(&self, start: u64, length: usize, to: &File) -> io::Result<bool> {
        let (pack, found) = regular_file::open(&self.pack, Links::Refused)?;
        if FileStat::of(&found) != self.mark {
            return Ok(false);
        }
        let (mut from, mut left) = (start, length);
        while left > 0 {
            let copied = copy_range(&pack, &mut from, to, left)?;
            if copied == 0 {
                return Ok(false);
            }
            left = left.saturating_sub(copied);
        }
        Ok(FileStat::of(&pack.metadata()?) == self.mark)
    }
}

/// Copies bytes to where the file `to` stands; the system shares the blocks where it can.
#[cfg(target_os = "linux")]
fn copy_range(from: &File, start: &mut u64, to: &File, most: usize) -> io::Result<usize> {
    let copied = rustix::fs::copy_file_range(from, Some(start), to, None, most);
    copied.map_err(io::Error::from)
}

#[cfg(not(target_os = "linux"))]
fn copy_range(_: &File, _: &mut u64, _: &File, _: usize) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}

impl Tree {
    /// The same, to be written with the blocks of a pack that has its files.
    pub(crate) fn lent_by(mut self, lender: Option<Lender>) -> Self {
        self.lender = lender.map(Arc::new);
        self
    }

    /// Gives the empty file `to` the blocks that a file of the tree has already, if there are any and
    /// if that is possible; `to` is empty again if not.
    pub(super) fn lends(&self, file: &TreeFile, to: &mut File) -> io::Result<bool> {
        let Some(lender) = &self.lender else {
            return Ok(false);
        };
        if (file.bytes.len() as u64) < LEAST || !has_common_blocks(&*to) {
            return Ok(false);
        }
        let is_lent = lender.lend(file, to);
        if !is_lent {
            to.set_len(0)?;
            io::Seek::rewind(to)?;
        }
        Ok(is_lent)
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    const START: usize = 4096;

    /// A pack with one large file, and that file.
    fn pack(folder: &Path) -> (PathBuf, TreeFile) {
        let file = TreeFile {
            path: "data.bin".to_owned(),
            executable: false,
            bytes: (0..=u8::MAX).cycle().take(100_000).collect(),
        };
        let path = folder.join("pack");
        std::fs::write(&path, [&[0; START][..], &file.bytes].concat()).unwrap();
        (path, file)
    }

    /// The lender once the pack is old enough for one.
    fn settled(pack: &Path, path: &str) -> Lender {
        let start = Instant::now();
        loop {
            let found = pack.metadata().unwrap();
            if let Some(lender) = Lender::of(pack, &found, vec![(path.to_owned(), START as u64)]) {
                return lender;
            }
            let waited = start.elapsed();
            assert!(waited < Duration::from_secs(30), "it never settles");
        }
    }

    #[test]
    fn a_pack_lends_what_is_in_it_as_long_as_nobody_touches_it() {
        let folder = tempfile::tempdir().unwrap();
        let (pack, file) = pack(folder.path());
        let found = pack.metadata().unwrap();
        let fresh = Lender::of(&pack, &found, vec![(file.path.clone(), START as u64)]);
        assert!(fresh.is_none(), "it could be changed without a trace");
        assert!(Lender::of(&pack, &found, Vec::new()).is_none());
        let lender = settled(&pack, &file.path);
        let to = |name: &str| File::create_new(folder.path().join(name)).unwrap();
        assert!(lender.lend(&file, &to("lent")));
        assert_eq!(
            std::fs::read(folder.path().join("lent")).unwrap(),
            file.bytes
        );
        let other = TreeFile {
            path: "other.bin".to_owned(),
            ..file.clone()
        };
        assert!(!lender.lend(&other, &to("other")));
        let changed = vec![1; std::fs::read(&pack).unwrap().len()];
        std::fs::write(&pack, changed).unwrap();
        assert!(!lender.lend(&file, &to("changed")));
        std::fs::remove_file(&pack).unwrap();
        assert!(!lender.lend(&file, &to("gone")));
        std::os::unix::fs::symlink("lent", &pack).unwrap();
        assert!(!lender.lend(&file, &to("link")));
    }

    #[test]
    fn a_pack_that_ends_early_lends_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (pack, mut file) = pack(folder.path());
        let lender = settled(&pack, &file.path);
        file.bytes.push(0);
        let mut to = File::create_new(folder.path().join("file")).unwrap();
        assert!(!lender.lend(&file, &to));
        // Whatever came over is taken away before the file is written as any other.
        let tree = Tree::new(vec![file.clone()]).unwrap().lent_by(Some(lender));
        assert!(!tree.lends(&file, &mut to).unwrap());
    }
}
