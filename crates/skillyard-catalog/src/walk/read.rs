//! Reading a `SKILL.md`: its first block, or all of it.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags};
use skillyard_format::document::MAX_BYTES;

use super::{Extent, Stamp};

/// Bytes of the first block, which holds the frontmatter of nineteen of twenty real skills. With a
/// whole page of each file, copying was a tenth of all the time of a cold start.
const BLOCK: usize = 1536;
/// How much is asked for at first where all of a file is read.
const LARGE_BLOCK: usize = 16 * 1024;

/// A `SKILL.md` that was found, as long as it is being looked at.
#[derive(Debug)]
pub struct Found<'a> {
    /// The skill's folder.
    pub folder: &'a Path,
    /// The name of the file, in its own spelling.
    pub file_name: &'a str,
    /// The bytes that were read.
    pub bytes: &'a [u8],
    /// Whether `bytes` is the whole file.
    pub complete: bool,
    /// The file's stamp.
    pub stamp: Stamp,
    file: &'a File,
}

impl Found<'_> {
    /// The name of the skill's folder, if it has one that is text.
    pub(crate) fn directory(&self) -> Option<&str> {
        // Taking a path apart costs more than looking for the last slash, which is nearly always enough.
        let path = self.folder.to_str()?;
        match path.rsplit('/').next() {
            Some("" | "." | "..") | None => self.folder.file_name()?.to_str(),
            name => name,
        }
    }

    /// The whole file, up to one byte more than the format's limit.
    pub(crate) fn read_whole(&self) -> io::Result<Vec<u8>> {
        let mut bytes = self.bytes.to_vec();
        if !self.complete {
            read_to(self.file, &mut bytes, Extent::Whole)?;
        }
        Ok(bytes)
    }
}

thread_local! {
    /// A block for heads, which stays one block, and a buffer for whole files, which grows.
    static BUFFERS: [RefCell<Vec<u8>>; 2] = const { [RefCell::new(Vec::new()), RefCell::new(Vec::new())] };
}

/// Opens and reads a file and hands it to `visit`.
pub(super) fn read<T>(
    parent: impl AsFd,
    path: &Path,
    follow: OFlags,
    folder: &Path,
    file_name: &str,
    extent: Extent,
    visit: &impl Fn(&Found<'_>) -> T,
) -> io::Result<T> {
    // Not blocking, so that a pipe of this name cannot hold us up.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | follow;
    let file = File::from(rustix::fs::openat(parent, path, flags, Mode::empty())?);
    let stat = rustix::fs::fstat(&file)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::Error::other("it is not a regular file"));
    }
    let stamp = Stamp::of(&stat);
    BUFFERS.with(|[head, whole]| {
        let buffer = match extent {
            Extent::Head => head,
            Extent::Whole => whole,
        };
        // The buffer is taken out, because `visit` may walk again on this thread.
        let mut bytes = buffer.take();
        bytes.clear();
        let complete = read_to(&file, &mut bytes, extent)?;
        let found = Found {
            folder,
            file_name,
            bytes: &bytes,
            complete,
            stamp,
            file: &file,
        };
        let result = visit(&found);
        buffer.replace(bytes);
        Ok(result)
    })
}

/// Reads on into `bytes`, and tells whether the end was reached.
///
/// A regular file is at its end when it gives less than was asked for.
fn read_to(file: &File, bytes: &mut Vec<u8>, extent: Extent) -> io::Result<bool> {
    match extent {
        Extent::Head => {
            // The buffer has room for exactly one block, so no more is asked for.
            bytes.reserve_exact(BLOCK);
            let read = rustix::io::read(file, rustix::buffer::spare_capacity(bytes))?;
            Ok(read < BLOCK)
        }
        Extent::Whole => {
            while bytes.len() <= MAX_BYTES {
                bytes.reserve(bytes.len().max(LARGE_BLOCK));
                let read = rustix::io::read(file, rustix::buffer::spare_capacity(bytes))?;
                if read == 0 || bytes.len() < bytes.capacity() {
                    return Ok(true);
                }
            }
            bytes.truncate(MAX_BYTES + 1);
            Ok(false)
        }
    }
}
