//! What a new process is given: pipes and files in memory.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::identity::Identity;

/// A pipe whose ends the program may open again by name, as `/dev/stdout`.
pub(crate) fn pipe(identity: Option<Identity>) -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    if let Some(identity) = identity {
        // Both ends are one inode. Where that cannot be, only opening by name is lost.
        let _ = std::os::unix::fs::fchown(&write, Some(identity.uid), Some(identity.gid));
    }
    Ok((read, write))
}

/// A file in memory with this content, to be read from its start.
pub(crate) fn memory(content: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("sandbox", MemfdFlags::CLOEXEC)?);
    file.write_all(content)?;
    rustix::fs::seek(&file, rustix::fs::SeekFrom::Start(0))?;
    Ok(file.into())
}

/// The number of a descriptor, for an argument.
pub(crate) fn number(descriptor: &impl AsFd) -> String {
    descriptor.as_fd().as_raw_fd().to_string()
}
