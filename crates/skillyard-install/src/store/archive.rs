//! The tar file that holds one skill, named by the skill's tree digest.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use skillyard_catalog::regular_file::{self, Links};

use crate::tree::{Tree, TreeFile};

/// Larger files are not read into memory; no skill comes near this size.
const MAX_BYTES: u64 = (1 << 30) + (64 << 20);

/// Writes the archive of a tree to a new read-only file.
pub(super) fn write(tree: &Tree, path: &Path) -> io::Result<()> {
    let bytes = to_bytes(tree)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut options = File::options();
    options.write(true).create_new(true).mode(0o444);
    options.open(path)?.write_all(&bytes)
}

/// Reads an archive without following a link or waiting for a pipe.
///
/// An archive is accepted only if it is byte for byte what [`write()`] makes of its files.
pub(super) fn read(path: &Path) -> io::Result<Tree> {
    let (file, found) = regular_file::open(path, Links::Refused)?;
    if found.len() > MAX_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    let tree = Tree::of_any_names(files(&bytes)?).map_err(io::Error::other)?;
    if to_bytes(&tree)? == bytes {
        Ok(tree)
    } else {
        Err(invalid("it was changed after it was written"))
    }
}

fn to_bytes(tree: &Tree) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for file in tree.files() {
        let mut header = tar::Header::new_gnu();
        header.set_size(file.bytes.len() as u64);
        header.set_mode(if file.executable { 0o755 } else { 0o644 });
        archive.append_data(&mut header, &file.path, file.bytes.as_slice())?;
    }
    archive.into_inner()
}

fn files(bytes: &[u8]) -> io::Result<Vec<TreeFile>> {
    let mut files = Vec::new();
    for entry in tar::Archive::new(bytes).entries()? {
        let mut entry = entry?;
        if !entry.header().entry_type().is_file() {
            return Err(invalid("it has an entry that is not a file"));
        }
        let path = String::from_utf8(entry.path_bytes().into_owned())
            .map_err(|_| invalid("it has a path that is not text"))?;
        let executable = entry.header().mode()? & 0o100 != 0;
        let mut content = Vec::new();
        entry.read_to_end(&mut content)?;
        files.push(TreeFile {
            path,
            executable,
            bytes: content,
        });
    }
    Ok(files)
}

fn invalid(problem: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Tree {
        let long = format!("{}/x.md", "references".repeat(20));
        let files = [("SKILL.md", false), ("run.sh", true), (&long, false)];
        let files = files.map(|(path, executable)| TreeFile {
            path: path.to_owned(),
            executable,
            bytes: path.as_bytes().repeat(100),
        });
        Tree::of_any_names(files.to_vec()).unwrap()
    }

    #[test]
    fn an_archive_holds_a_tree() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive");
        write(&tree(), &path).unwrap();
        assert_eq!(read(&path).unwrap(), tree());
    }

    #[test]
    fn every_changed_byte_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive");
        let bytes = to_bytes(&tree()).unwrap();
        for at in (0..bytes.len()).step_by(7).chain([bytes.len() - 1]) {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            std::fs::write(&path, &changed).unwrap();
            let is_found = read(&path).map_or(true, |found| found != tree());
            assert!(is_found, "byte {at}");
        }
        for length in [0, 100, 512, 700, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let is_found = read(&path).map_or(true, |found| found != tree());
            assert!(is_found, "{length} bytes");
        }
    }
}
