//! What root does before a sandbox: it makes mounts, becomes another user and executes the next
//! program.
//!
//! Folders and files that only root can use are shown with their owner mapped to the sandbox's
//! user, in a mount namespace of their own. What the program writes belongs to the folder's owner
//! outside, and the program never is root. Nothing outside sees these mounts.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat};
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_change,
    move_mount, open_tree,
};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use rustix::thread::{
    UnshareFlags, set_thread_groups, set_thread_res_gid, set_thread_res_uid, unshare_unsafe,
};

use super::orders::{IdMappedMount, RootOrders, read};
use super::report::Report;
use super::{FAILED, inherited};
use crate::identity::UserIds;

/// Follows the orders in a file; returns only when something failed.
pub(super) fn run(descriptor: RawFd) -> u8 {
    let Some(orders) = read::<RootOrders>(descriptor) else {
        return 2;
    };
    let (step, error) = follow(&orders);
    let report = Report::Failed(step.to_owned(), error.raw_os_error().unwrap_or(0));
    if let Ok(bytes) = postcard::to_allocvec(&report) {
        let _ = std::fs::File::from(inherited(orders.status)).write_all(&bytes);
    }
    FAILED
}

#[expect(clippy::disallowed_methods, reason = "this is where bubblewrap starts")]
fn follow(orders: &RootOrders) -> (&'static str, io::Error) {
    if let Err(error) = mount_all(&orders.mounts, orders.identity) {
        return ("make the workspace's mount", error);
    }
    if let Some(identity) = orders.identity
        && let Err(error) = give_up_root(identity)
    {
        return ("give up root", error.into());
    }
    let mut words = orders.argv.iter();
    let mut command = Command::new(words.next().map_or(OsStr::new(""), OsString::as_os_str));
    let command = command.args(words).env_clear().current_dir("/");
    ("start bubblewrap", command.exec())
}

/// Becomes this user in the calling thread, which must be the only one of its process.
pub(crate) fn give_up_root(identity: UserIds) -> rustix::io::Result<()> {
    let uid = rustix::process::Uid::from_raw(identity.uid);
    let gid = rustix::process::Gid::from_raw(identity.gid);
    set_thread_groups(&[])?;
    set_thread_res_gid(gid, gid, gid)?;
    set_thread_res_uid(uid, uid, uid)
}

/// Makes the mounts; without any it changes nothing.
fn mount_all(mounts: &[IdMappedMount], identity: Option<UserIds>) -> io::Result<()> {
    let (false, Some(identity)) = (mounts.is_empty(), identity) else {
        return Ok(());
    };
    let trees = mounts.iter().map(|each| id_mapped_tree(each, identity));
    let trees = trees.collect::<io::Result<Vec<OwnedFd>>>()?;
    new_mount_namespace()?;
    mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )?;
    for (each, tree) in mounts.iter().zip(&trees) {
        let target = Path::new(&each.target);
        if let Some(closed) = closed_folder(target) {
            // Everything else in a folder that is closed to others is hidden with it.
            let options = Some(c"mode=755,size=64k");
            let flags = MountFlags::NOSUID | MountFlags::NODEV;
            mount("tmpfs", closed, "tmpfs", flags, options)?;
        }
        make_mount_point(target, tree)?;
        let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        move_mount(tree, "", CWD, target, flags)?;
    }
    Ok(())
}

/// Makes a folder or a file to mount something of the same kind on, unless one exists.
fn make_mount_point(target: &Path, tree: &OwnedFd) -> io::Result<()> {
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
fn id_mapped_tree(mount: &IdMappedMount, identity: UserIds) -> io::Result<OwnedFd> {
    let source = inherited(mount.source);
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH;
    let tree = open_tree(&source, "", flags)?;
    let namespace = owner_namespace(mount.owner, identity)?;
    let attributes = libc::mount_attr {
        attr_set: libc::MOUNT_ATTR_IDMAP | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV,
        attr_clr: 0,
        propagation: 0,
        userns_fd: u64::from(namespace.as_raw_fd().unsigned_abs()),
    };
    change_mount(tree.as_fd(), &attributes, 0)?;
    Ok(tree)
}

/// A user namespace that maps `owner` to `identity`: a map needs one, and one needs a process.
#[expect(unsafe_code, reason = "a process in a new user namespace needs clone")]
fn owner_namespace(owner: UserIds, identity: UserIds) -> io::Result<OwnedFd> {
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
            let flags = OFlags::RDONLY | OFlags::CLOEXEC;
            Ok(rustix::fs::open(path, flags, Mode::empty())?)
        });
    let _ = kill_process(process, Signal::KILL);
    let _ = waitpid(Some(process), WaitOptions::empty());
    namespace
}

/// Changes what may be done through a mount that is not attached anywhere yet.
#[expect(unsafe_code, reason = "no safe wrapper of this system call exists")]
pub(crate) fn change_mount(
    tree: BorrowedFd<'_>,
    attributes: &libc::mount_attr,
    flags: libc::c_int,
) -> io::Result<()> {
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
