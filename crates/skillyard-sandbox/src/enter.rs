//! Doing something in the namespaces of a sandbox that we have started.
//!
//! The owner of a user namespace may do anything in it, so a process of ours enters those of the
//! sandbox, mounts what belongs there and ends. The sandbox itself never has that right.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, fork};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags, fstat, openat2, unlinkat};
use rustix::io::Errno;
use rustix::mount::{MoveMountFlags, OpenTreeFlags, move_mount, open_tree};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::thread::{ThreadNameSpaceType, move_into_thread_name_spaces};

use crate::backend::inside::{Act, Inode, Step};
use crate::child;
use crate::identity::Identity;
use crate::launcher::root::{change_mount, give_up_root};

/// What could not be done.
pub(crate) struct EnterError {
    /// The number of the step, if it came to one.
    pub(crate) step: Option<usize>,
    /// Why not.
    pub(crate) error: io::Error,
}

/// Takes these steps in the namespaces of a process, as the user that it belongs to.
pub(crate) fn enter(
    process: Pid,
    identity: Option<Identity>,
    steps: &[Step],
) -> Result<(), EnterError> {
    let failed = |error: io::Error| EnterError { step: None, error };
    let process = pidfd_open(process, PidfdFlags::empty());
    let process = process.map_err(|error| failed(error.into()))?;
    let (read, write) = child::pipe(None).map_err(failed)?;
    let helper = fork_into(process.as_fd(), identity, steps, &write).map_err(failed)?;
    drop(write);
    // Four bytes for the step and four for the error; nothing if all went well.
    let mut answer = Vec::new();
    let read = File::from(read).read_to_end(&mut answer);
    let _ = waitpid(helper, None);
    read.map_err(failed)?;
    let number = |at: usize| Some(i32::from_ne_bytes(*answer.get(at..)?.first_chunk()?));
    match (number(0), number(4)) {
        (Some(step), Some(error)) => Err(EnterError {
            step: usize::try_from(step)
                .ok()
                .filter(|step| *step < steps.len()),
            error: io::Error::from_raw_os_error(error),
        }),
        _ => Ok(()),
    }
}

/// A process that takes the steps: one with several threads cannot enter a user namespace.
#[expect(unsafe_code, reason = "fork has no safe form")]
fn fork_into(
    process: BorrowedFd<'_>,
    identity: Option<Identity>,
    steps: &[Step],
    answer: &OwnedFd,
) -> io::Result<nix::unistd::Pid> {
    // SAFETY: other threads may have held locks, so the child only makes system calls. It
    // neither allocates nor locks, and `_exit` runs none of our handlers for an end.
    match unsafe { fork() }? {
        ForkResult::Parent { child } => Ok(child),
        ForkResult::Child => {
            if let Err((step, error)) = follow(process, identity, steps) {
                let mut bytes = [0; 8];
                let (first, second) = bytes.split_at_mut(4);
                first.copy_from_slice(&step.to_ne_bytes());
                second.copy_from_slice(&error.raw_os_error().to_ne_bytes());
                let _ = rustix::io::write(answer, &bytes);
            }
            // SAFETY: this ends the process.
            unsafe { libc::_exit(0) }
        }
    }
}

/// The number of the step that failed is -1 before the first one.
fn follow(
    process: BorrowedFd<'_>,
    identity: Option<Identity>,
    steps: &[Step],
) -> Result<(), (i32, Errno)> {
    if let Some(identity) = identity {
        give_up_root(identity).map_err(|error| (-1, error))?;
    }
    let spaces = ThreadNameSpaceType::USER | ThreadNameSpaceType::MOUNT;
    move_into_thread_name_spaces(process, spaces).map_err(|error| (-1, error))?;
    let mut folder: Option<OwnedFd> = None;
    for (at, step) in (0..).zip(steps) {
        take(step, &mut folder).map_err(|error| (at, error))?;
    }
    Ok(())
}

fn take(Step { act, path }: &Step, folder: &mut Option<OwnedFd>) -> rustix::io::Result<()> {
    let anywhere = |path: &CStr, how| openat2(CWD, path, FLAGS, Mode::empty(), how);
    let beneath = |folder: &Option<OwnedFd>| {
        let how = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let folder = folder.as_ref().ok_or(Errno::INVAL)?;
        openat2(folder, path.as_c_str(), FLAGS, Mode::empty(), how)
    };
    match act {
        Act::Compare(inode) => compare(&anywhere(path, ResolveFlags::empty())?, *inode),
        Act::Enter(inode) => {
            let found = anywhere(path, ResolveFlags::NO_SYMLINKS)?;
            compare(&found, *inode)?;
            *folder = Some(found);
            Ok(())
        }
        Act::Pin => {
            let place = beneath(folder)?;
            attach(&tree(&place)?, &place)
        }
        Act::Keep => keep(&beneath(folder)?),
        Act::Receive(from) => {
            let mount = anywhere(from, ResolveFlags::NO_SYMLINKS)?;
            attach(&mount, &beneath(folder)?)?;
            // What it stood on goes, be it a folder or a file.
            unlinkat(CWD, from.as_c_str(), AtFlags::REMOVEDIR)
                .or_else(|_| unlinkat(CWD, from.as_c_str(), AtFlags::empty()))
        }
    }
}

const FLAGS: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

/// Something else than was expected is like something that is gone.
fn compare(found: &OwnedFd, inode: Inode) -> rustix::io::Result<()> {
    let found = fstat(found)?;
    let found = Inode {
        device: found.st_dev,
        number: found.st_ino,
    };
    if found == inode {
        Ok(())
    } else {
        Err(Errno::STALE)
    }
}

fn keep(place: &OwnedFd) -> rustix::io::Result<()> {
    let tree = tree(place)?;
    let attributes = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_RDONLY,
        attr_clr: 0,
        propagation: 0,
        userns_fd: 0,
    };
    change_mount(tree.as_fd(), &attributes, libc::AT_RECURSIVE)
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    attach(&tree, place)
}

/// A mount of a place, with those below it, that is not attached anywhere yet.
fn tree(place: &OwnedFd) -> rustix::io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    open_tree(place, c"", flags)
}

fn attach(mount: &OwnedFd, place: &OwnedFd) -> rustix::io::Result<()> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    move_mount(mount, c"", place, c"", flags)
}
