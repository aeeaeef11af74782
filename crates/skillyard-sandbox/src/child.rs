//! Starting a process that inherits nothing but what it is given.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::fs::{MemfdFlags, SealFlags, memfd_create};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::identity::Identity;

/// Lets a command inherit `kept` and no other descriptor above stderr.
///
/// Descriptors that our own parent forgot to close would otherwise reach the program: an open
/// folder is a way out of any file system sandbox.
#[expect(
    unsafe_code,
    reason = "only a hook before exec can close what others left open"
)]
pub(crate) fn keep_only(command: &mut Command, kept: &[BorrowedFd<'_>]) {
    let kept: Vec<RawFd> = kept.iter().map(AsRawFd::as_raw_fd).collect();
    let hook = move || {
        close_on_exec(3)?;
        for descriptor in &kept {
            // SAFETY: the callers hold these descriptors open until the command has started.
            let descriptor = unsafe { BorrowedFd::borrow_raw(*descriptor) };
            fcntl_setfd(descriptor, FdFlags::empty())?;
        }
        Ok(())
    };
    // SAFETY: the hook makes system calls on numbers it owns; it neither allocates nor locks.
    unsafe { command.pre_exec(hook) };
}

/// Marks every descriptor from `first` on to be closed at the next exec.
#[expect(unsafe_code, reason = "no safe wrapper of this system call exists")]
pub(crate) fn close_on_exec(first: u32) -> io::Result<()> {
    let flags = libc::CLOSE_RANGE_CLOEXEC;
    // SAFETY: the call only sets a flag of descriptors; it touches no memory of ours.
    let result = unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, flags) };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

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

/// A file in memory that can be executed and never be changed again.
pub(crate) fn program(content: &[u8]) -> io::Result<OwnedFd> {
    /// Since Linux 6.3 it is said whether a file is meant to be executed.
    const EXECUTABLE: MemfdFlags = MemfdFlags::from_bits_retain(0x10);
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let file = match memfd_create("stage", flags | EXECUTABLE) {
        Err(rustix::io::Errno::INVAL) => memfd_create("stage", flags),
        other => other,
    };
    let mut file = File::from(file?);
    file.write_all(content)?;
    let seals = SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE;
    rustix::fs::fcntl_add_seals(&file, seals)?;
    Ok(file.into())
}

/// The number of a descriptor, for an argument.
pub(crate) fn number(descriptor: &impl AsFd) -> String {
    descriptor.as_fd().as_raw_fd().to_string()
}
