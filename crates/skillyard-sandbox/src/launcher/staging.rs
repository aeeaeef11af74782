//! Folders and files of root that a sandbox may use although it is somebody else.
//!
//! While we are root still, a mount namespace of our own gets a view of each in which
//! its owner's files belong to the sandbox's user. What the program writes belongs to the
//! folder's owner outside, and the program never is root. Nothing outside sees these mounts.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat};
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_change,
    move_mount, open_tree,
};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::outer::{Staged, own};
use crate::identity::Identity;

/// Makes the mounts; without any it leaves everything as it is.
pub(super) fn mount_all(staged: &[Staged], identity: Option<Identity>) -> io::Result<()> {
    let (false, Some(identity)) = (staged.is_empty(), identity) else {
        return Ok(());
    };
    let trees = staged
        .iter()
        .map(|each| tree(each, identity))
        .collect::<io::Result<Vec<OwnedFd>>>()?;
    new_mount_namespace()?;
    mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )?;
    for (each, tree) in staged.iter().zip(&trees) {
        if let Some(closed) = closed_folder(&each.target) {
            // Everything else in a folder that is closed to others is hidden with it.
            let options = Some(c"mode=755,size=64k");
            let flags = MountFlags::NOSUID | MountFlags::NODEV;
            mount("tmpfs", closed, "tmpfs", flags, options)?;
        }
        make_place(&each.target, tree)?;
        let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        move_mount(tree, "", CWD, &each.target, flags)?;
    }
    Ok(())
}

/// Makes something of the same kind to mount a folder or a file on, where there is nothing.
fn make_place(target: &Path, tree: &OwnedFd) -> io::Result<()> {
    if FileType::from_raw_mode(fstat(tree)?.st_mode).is_dir() {
        return std::fs::create_dir_all(target);
    }
    if let Some(folder) = target.parent() {
        std::fs::create_dir_all(folder)?;
    }
    if !target.exists() {
        std::fs::File::create_new(target)?;
    }
    Ok(())
}

/// The first folder on the way to `path` that others may not pass.
pub(crate) fn closed_folder(path: &Path) -> Option<&Path> {
    use std::os::unix::fs::PermissionsExt as _;
    let folders: Vec<&Path> = path.ancestors().skip(1).collect();
    let is_closed = |folder: &Path| {
        std::fs::metadata(folder).is_ok_and(|folder| folder.permissions().mode() & 0o001 == 0)
    };
    folders.into_iter().rev().find(|folder| is_closed(folder))
}

#[expect(
    unsafe_code,
    reason = "leaving a namespace can pull descriptors from under others"
)]
fn new_mount_namespace() -> io::Result<()> {
    // SAFETY: only the mount namespace is left, and the launcher has one thread.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }?;
    Ok(())
}

/// A detached copy of the mount of a folder or file, seen with other owners.
fn tree(staged: &Staged, identity: Identity) -> io::Result<OwnedFd> {
    let source = own(staged.source);
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH;
    let tree = open_tree(&source, "", flags)?;
    let namespace = owners(staged.owner, identity)?;
    change_owners(tree.as_fd(), namespace.as_fd())?;
    Ok(tree)
}

/// A user namespace that says who is who: a map needs one, and one needs a process.
#[expect(unsafe_code, reason = "a process in a new user namespace needs clone")]
fn owners(owner: Identity, identity: Identity) -> io::Result<OwnedFd> {
    let flags = libc::c_long::from(libc::CLONE_NEWUSER | libc::SIGCHLD);
    // SAFETY: this is a fork into a new user namespace. The launcher has one thread, and the
    // child does nothing but wait for its end.
    let process = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    if process == 0 {
        loop {
            std::thread::park();
        }
    }
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    let Some(process) = process.filter(|process| process.as_raw_nonzero().get() > 0) else {
        return Err(io::Error::last_os_error());
    };
    let folder = format!("/proc/{}", process.as_raw_nonzero());
    let map = |file: &str, from: u32, to: u32| {
        std::fs::write(format!("{folder}/{file}"), format!("{from} {to} 1"))
    };
    let namespace = map("uid_map", owner.uid, identity.uid)
        .and_then(|()| map("gid_map", owner.gid, identity.gid))
        .and_then(|()| {
            let path = format!("{folder}/ns/user");
            Ok(rustix::fs::open(
                path,
                OFlags::RDONLY | OFlags::CLOEXEC,
                Mode::empty(),
            )?)
        });
    let _ = kill_process(process, Signal::KILL);
    let _ = waitpid(Some(process), WaitOptions::empty());
    namespace
}

/// Shows the files of a detached mount with the owners that a namespace maps them to.
fn change_owners(tree: BorrowedFd<'_>, namespace: BorrowedFd<'_>) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;
    let attributes = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_IDMAP | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
        attr_clr: 0,
        propagation: 0,
        userns_fd: u64::from(namespace.as_raw_fd().unsigned_abs()),
    };
    change(tree, &attributes, 0)
}

/// Changes what may be done through a mount that is not attached anywhere yet.
#[expect(unsafe_code, reason = "no safe wrapper of this system call exists")]
pub(crate) fn change(
    tree: BorrowedFd<'_>,
    attributes: &libc::mount_attr,
    flags: libc::c_int,
) -> io::Result<()> {
    use std::os::fd::AsRawFd as _;
    // SAFETY: the path is an empty string that ends in NUL, the structure has the size that
    // is given, and both outlive the call, which reads them.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | flags,
            &raw const *attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
