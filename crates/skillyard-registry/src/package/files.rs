//! The files of an archive, and archives of files.

use std::io::{self, Cursor, Read};

use skillyard_format::Digest;
use skillyard_format::package::TreeDigest;
use skillyard_format::package::archive::{
    Archive, ArchiveError, ArchivePath, Limits, Mode, Rules, Shape, Sink,
};
use skillyard_format::package::pack::{PackError, PackFile, PackFormat, pack};

use super::Refusal;

/// A file with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unpacked {
    pub(crate) path: String,
    pub(crate) executable: bool,
    pub(crate) bytes: Vec<u8>,
}

struct PackedFiles<'a> {
    shape: &'a Shape,
    files: Vec<Unpacked>,
}

impl Sink for PackedFiles<'_> {
    fn file(&mut self, path: &ArchivePath, mode: Mode, content: &mut dyn Read) -> io::Result<()> {
        let Some(path) = self.shape.relative(path) else {
            return Ok(());
        };
        let mut bytes = Vec::new();
        content.read_to_end(&mut bytes)?;
        self.files.push(Unpacked {
            path: path.to_string(),
            executable: mode == Mode::Executable,
            bytes,
        });
        Ok(())
    }
}

/// The files of an upload, sorted by path, and how they lie in it.
pub(super) fn uploaded(upload: &[u8]) -> Result<(Vec<Unpacked>, Shape), ArchiveError> {
    let mut archive = Archive::open(Cursor::new(upload), Rules::skill())?;
    let shape = archive.listing().skill_shape()?;
    let mut sink = PackedFiles {
        shape: &shape,
        files: Vec::new(),
    };
    archive.deliver(&mut |_| true, &mut sink)?;
    let files = sorted(sink.files);
    Ok((files, shape))
}

/// All files of an archive that we packed, sorted by path.
pub(super) fn all(archive: &[u8]) -> Result<Vec<Unpacked>, ArchiveError> {
    Ok(sorted(unpacked(archive, |_| true)?))
}

fn sorted(mut files: Vec<Unpacked>) -> Vec<Unpacked> {
    files.sort_unstable_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
    files
}

/// One file of an archive that we packed.
pub(crate) fn file(archive: &[u8], wanted: &str) -> Result<Option<Vec<u8>>, ArchiveError> {
    let found = unpacked(archive, |path| path == wanted)?;
    Ok(found.into_iter().next().map(|file| file.bytes))
}

/// The digest over the files of an archive that we packed.
pub(crate) fn tree_of(archive: &[u8]) -> Result<Digest, ArchiveError> {
    Ok(tree(&all(archive)?))
}

/// The files of an archive that we packed as a ZIP, the same bytes whenever it is asked for.
pub(crate) fn zipped(archive: &[u8]) -> Result<Vec<u8>, Refusal> {
    Ok(packed(
        &unpacked(archive, |_| true)?,
        PackFormat::ZipStored,
    )?)
}

/// `PackedFiles` as an archive, the same bytes for the same files.
pub(super) fn packed(files: &[Unpacked], format: PackFormat) -> Result<Vec<u8>, PackError> {
    let files: Vec<PackFile<'_>> = files
        .iter()
        .map(|file| PackFile::new(&file.path, file.executable, &file.bytes))
        .collect();
    pack(&files, format, &Limits::skill())
}

/// Some files of an archive that we packed.
pub(crate) fn unpacked(
    archive: &[u8],
    wanted: impl Fn(&str) -> bool,
) -> Result<Vec<Unpacked>, ArchiveError> {
    let mut archive = Archive::open(Cursor::new(archive), Rules::skill())?;
    let mut sink = PackedFiles {
        shape: &Shape::Flat,
        files: Vec::new(),
    };
    archive.deliver(&mut |path| wanted(path.as_str()), &mut sink)?;
    Ok(sink.files)
}

/// The digest over files in their order.
pub(super) fn tree(files: &[Unpacked]) -> Digest {
    let mut tree = TreeDigest::default();
    for file in files {
        tree.add(&file.path, file.executable, Digest::of(&file.bytes));
    }
    tree.finish()
}
