//! Doing something in the namespaces of a sandbox that we have started.
//!
//! Whoever makes a user namespace may do anything in it, so a process of ours enters those of
//! the sandbox, mounts what belongs there and ends. The sandbox itself never has that right.

#![expect(
    unsafe_code,
    reason = "a process that borrows our memory can be made by no safe call"
)]

use std::ffi::{CStr, c_int, c_void};
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags, fstat, openat2, unlinkat};
use rustix::io::Errno;
use rustix::mount::{MoveMountFlags, OpenTreeFlags, move_mount, open_tree};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::thread::{ThreadNameSpaceType, move_into_thread_name_spaces};

use crate::backend::beneath::Inode;
use crate::backend::inside::{Act, Step};
use crate::identity::Identity;
use crate::launcher::staging;
use crate::process::Process;
use crate::spawn;

/// What could not be done.
pub(crate) struct Failed {
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
) -> Result<(), Failed> {
    let failed = |error: io::Error| Failed { step: None, error };
    let process = pidfd_open(process, PidfdFlags::empty());
    let process = process.map_err(|error| failed(error.into()))?;
    let plan = Plan {
        process: process.as_fd(),
        identity,
        steps,
        at: AtomicUsize::new(usize::MAX),
        error: AtomicI32::new(0),
    };
    let argument = (&raw const plan).cast_mut().cast::<c_void>();
    let helper = spawn::borrow_memory(begin, argument).map_err(failed)?;
    Process::new(helper).forget();
    match plan.error.load(Ordering::Relaxed) {
        0 => Ok(()),
        error => Err(Failed {
            step: Some(plan.at.load(Ordering::Relaxed)).filter(|at| *at < steps.len()),
            error: io::Error::from_raw_os_error(error),
        }),
    }
}

/// What the process needs, in memory that it borrows.
struct Plan<'a> {
    process: BorrowedFd<'a>,
    identity: Option<Identity>,
    steps: &'a [Step],
    /// The step that it is at.
    at: AtomicUsize,
    /// Why it could not go on.
    error: AtomicI32,
}

/// What the process does. It must neither allocate nor lock.
extern "C" fn begin(plan: *mut c_void) -> c_int {
    // SAFETY: `borrow_memory` was given this plan, and its owner waits.
    let plan = unsafe { &*plan.cast_const().cast::<Plan<'_>>() };
    if let Err(error) = follow(plan) {
        plan.error.store(error.raw_os_error(), Ordering::Relaxed);
    }
    // SAFETY: this ends the process without any of our handlers for an end.
    unsafe { libc::_exit(0) }
}

fn follow(plan: &Plan<'_>) -> rustix::io::Result<()> {
    if let Some(Identity { uid, gid }) = plan.identity
        && !spawn::become_user(uid, gid)
    {
        return Err(Errno::from_raw_os_error(spawn::last_error()));
    }
    let spaces = ThreadNameSpaceType::USER | ThreadNameSpaceType::MOUNT;
    move_into_thread_name_spaces(plan.process, spaces)?;
    let mut folder: Option<OwnedFd> = None;
    for (at, step) in plan.steps.iter().enumerate() {
        plan.at.store(at, Ordering::Relaxed);
        take(step, &mut folder)?;
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
        Act::Hold(inode) => {
            let found = beneath(folder)?;
            compare(&found, *inode)?;
            keep(&found)
        }
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
    staging::change(tree.as_fd(), &attributes, libc::AT_RECURSIVE)
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
