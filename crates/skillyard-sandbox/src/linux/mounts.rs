//! What is done in the mount namespace of a sandbox, after `bwrap` has made it and before its
//! program begins.
//!
//! `bwrap` takes paths and follows links in them. In a folder that another program may write
//! to at the same time a path can lead elsewhere by then, so `bwrap` mounts only whole folders.
//! They are compared with what was opened before; places in a writable one are mounted here,
//! from an open folder on and through no link.
//!
//! The owner of a user namespace may do anything in it, so a process of ours enters those of the
//! sandbox, mounts what belongs there and ends. The sandbox itself never has that right.

use std::ffi::{CStr, CString};
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, fork};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags, fstat, openat2, unlinkat};
use rustix::io::Errno;
use rustix::mount::{MoveMountFlags, OpenTreeFlags, move_mount, open_tree};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use rustix::thread::{ThreadNameSpaceType, move_into_thread_name_spaces};

use super::guard::Guard;
use crate::identity::UserIds;
use crate::launcher::root::{change_mount, give_up_root};
use crate::profile::{Mount, MountAccess, Profile};
use crate::spawn;

/// What a file is, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Inode {
    /// The file system.
    pub(super) device: u64,
    /// Its number there.
    pub(super) number: u64,
}

impl From<Metadata> for Inode {
    fn from(found: Metadata) -> Self {
        Self {
            device: found.dev(),
            number: found.ino(),
        }
    }
}

/// A writable folder, and the mounts in it.
pub(super) struct GuardedFolder {
    /// Its number among the mounts.
    pub(super) number: usize,
    /// The mounts.
    pub(super) guard: Guard,
}

/// One thing to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MountStep {
    /// What.
    pub(super) act: MountAction,
    /// Where: in the folder that was entered last, or by its whole path.
    pub(super) path: CString,
}

/// What is to be done with a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MountAction {
    /// It must be this file, and is the folder that the next steps are about.
    Enter(Inode),
    /// It must be this file.
    Compare(Inode),
    /// It becomes a mount, so that it can be neither moved nor removed.
    Pin,
    /// It becomes a mount that can only be read.
    Keep,
    /// The mount at this path belongs there.
    Receive(CString),
}

/// Whether there is a folder that another program could change while this one is begun: ours
/// are shown elsewhere, those of users in their own place.
pub(super) fn is_needed(profile: &Profile) -> bool {
    let mut mounts = profile.mounts.iter();
    mounts.any(|mount| mount.access == MountAccess::Write || mount.source == mount.target)
}

/// Where `bwrap` mounts something: there, or beside, if its place is in a writable folder.
pub(super) fn first_place(profile: &Profile, number: usize, mount: &Mount) -> PathBuf {
    match holder(profile, mount) {
        Some(_) => PathBuf::from(format!("/tmp/.mount-{number}")),
        None => mount.target.clone(),
    }
}

/// The writable folder that a mount is in, by its number, and the place there.
fn holder<'a>(profile: &Profile, mount: &'a Mount) -> Option<(usize, &'a Path)> {
    let folders = profile.mounts.iter().enumerate();
    let mut folders = folders.filter(|(_, each)| each.access == MountAccess::Write);
    folders.find_map(|(number, folder)| {
        let place = mount.target.strip_prefix(&folder.target).ok()?;
        (place != Path::new("")).then_some((number, place))
    })
}

/// Opens what is to be mounted. A folder to work in has no link in its path; where there is one,
/// another process has just created it.
pub(super) fn open(mount: &Mount, directory: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    let how = if mount.access == MountAccess::Write || mount.source == directory {
        ResolveFlags::NO_SYMLINKS
    } else {
        ResolveFlags::empty()
    };
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    Ok(openat2(CWD, &mount.source, flags, Mode::empty(), how)?.into())
}

/// Everything that is to be done; `opened` are the profile's mounts.
pub(super) fn steps(
    profile: &Profile,
    opened: &[Inode],
    folders: &[GuardedFolder],
) -> io::Result<Vec<MountStep>> {
    let mut steps = Vec::new();
    let mounts = || profile.mounts.iter().zip(opened).enumerate();
    for (number, (mount, inode)) in mounts() {
        let place = first_place(profile, number, mount);
        steps.push(MountStep::new(MountAction::Compare(*inode), &place)?);
    }
    for folder in folders {
        let Some((_, (mount, inode))) = mounts().find(|(number, _)| *number == folder.number)
        else {
            continue;
        };
        steps.push(MountStep::new(MountAction::Enter(*inode), &mount.target)?);
        steps.extend(in_folder(profile, folder)?);
    }
    Ok(steps)
}

/// What is to be done in one folder. Parents come first: a mount covers what was mounted below.
fn in_folder(profile: &Profile, folder: &GuardedFolder) -> io::Result<Vec<MountStep>> {
    let mounts = profile.mounts.iter().enumerate();
    let received = mounts.filter_map(|(number, mount)| {
        let (holder, place) = holder(profile, mount)?;
        let from = first_place(profile, number, mount);
        (holder == folder.number).then_some((place.to_owned(), from))
    });
    let received: Vec<(PathBuf, PathBuf)> = received.collect();
    let guard = &folder.guard;
    let mut acts: Vec<(&Path, MountAction)> = Vec::new();
    acts.extend(
        guard
            .parents
            .iter()
            .map(|place| (place.as_path(), MountAction::Pin)),
    );
    acts.extend(
        guard
            .kept
            .iter()
            .map(|place| (place.as_path(), MountAction::Keep)),
    );
    // Another mount hides what is below it.
    let is_hidden = |place: &Path| {
        let mut above = place.ancestors().skip(1);
        above.any(|above| received.iter().any(|(place, _)| place == above))
    };
    acts.retain(|(place, _)| !is_hidden(place));
    for (place, from) in &received {
        acts.push((
            place,
            MountAction::Receive(CString::new(from.as_os_str().as_bytes())?),
        ));
    }
    acts.sort_by_key(|(place, _)| place.components().count());
    let steps = acts
        .into_iter()
        .map(|(place, act)| MountStep::new(act, place));
    steps.collect()
}

impl MountStep {
    fn new(act: MountAction, path: &Path) -> io::Result<Self> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        Ok(Self { act, path })
    }
}

/// What could not be done.
pub(super) struct EnterError {
    /// The number of the step, if it came to one.
    pub(super) step: Option<usize>,
    /// Why not.
    pub(super) error: io::Error,
}

/// Takes these steps in the namespaces of a process, as the user that it belongs to.
pub(super) fn enter(
    process: Pid,
    identity: Option<UserIds>,
    steps: &[MountStep],
) -> Result<(), EnterError> {
    let failed = |error: io::Error| EnterError { step: None, error };
    let process = pidfd_open(process, PidfdFlags::empty());
    let process = process.map_err(|error| failed(error.into()))?;
    let (read, write) = spawn::pipe(None).map_err(failed)?;
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
    identity: Option<UserIds>,
    steps: &[MountStep],
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
    identity: Option<UserIds>,
    steps: &[MountStep],
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

fn take(
    MountStep { act, path }: &MountStep,
    folder: &mut Option<OwnedFd>,
) -> rustix::io::Result<()> {
    let anywhere = |path: &CStr, how| openat2(CWD, path, FLAGS, Mode::empty(), how);
    let beneath = |folder: &Option<OwnedFd>| {
        let how = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let folder = folder.as_ref().ok_or(Errno::INVAL)?;
        openat2(folder, path.as_c_str(), FLAGS, Mode::empty(), how)
    };
    match act {
        MountAction::Compare(inode) => compare(&anywhere(path, ResolveFlags::empty())?, *inode),
        MountAction::Enter(inode) => {
            let found = anywhere(path, ResolveFlags::NO_SYMLINKS)?;
            compare(&found, *inode)?;
            *folder = Some(found);
            Ok(())
        }
        MountAction::Pin => {
            let place = beneath(folder)?;
            attach(&tree(&place)?, &place)
        }
        MountAction::Keep => keep(&beneath(folder)?),
        MountAction::Receive(from) => {
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
