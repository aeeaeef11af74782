//! The program `bwrap`: new namespaces, a root of only what is needed, and the launcher as
//! its first process.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::mounts;
use super::system_paths::{self, SystemPath};
use crate::error::{Doing as _, SandboxError};
use crate::identity::UserIds;
use crate::profile::{Commands, MountAccess, Network, Profile};
use crate::spawn;

/// The hosts of a network of one's own.
const HOSTS: &[u8] = b"127.0.0.1 localhost\n::1 localhost\n";

/// The arguments of `bwrap`, of which those with places go through a file in memory:
/// the program could read the others in `/proc/1/cmdline`.
pub(super) struct Arguments {
    words: Vec<OsString>,
    kept: Vec<OwnedFd>,
}

impl Arguments {
    fn push<const N: usize>(&mut self, words: [&dyn AsRef<OsStr>; N]) {
        let words = words.iter().map(|word| word.as_ref().to_owned());
        self.words.extend(words);
    }

    /// A file with this content at `path`: cheaper than a mount, and as little to be changed,
    /// because nothing of the root can be.
    fn file(&mut self, content: &[u8], path: &Path) -> io::Result<()> {
        let data = spawn::memory_file(content)?;
        let number = spawn::number(&data);
        self.push([&"--file", &number, &path]);
        self.kept.push(data);
        Ok(())
    }

    /// The words as `bwrap --args` wants them, and the descriptors they speak of.
    pub(super) fn finish(mut self) -> io::Result<(OwnedFd, Vec<OwnedFd>)> {
        let mut bytes = Vec::with_capacity(4096);
        for word in &self.words {
            bytes.extend_from_slice(word.as_bytes());
            bytes.push(0);
        }
        let words = spawn::memory_file(&bytes)?;
        self.kept.shrink_to_fit();
        Ok((words, self.kept))
    }
}

/// Arguments for `bwrap`.
pub(super) fn arguments(profile: &Profile, identity: UserIds) -> Result<Arguments, SandboxError> {
    let mut arguments = Arguments {
        words: Vec::with_capacity(256),
        kept: Vec::new(),
    };
    arguments.push([&"--unshare-user", &"--unshare-ipc", &"--unshare-pid"]);
    arguments.push([&"--unshare-uts", &"--unshare-cgroup-try"]);
    if profile.network != Network::Full {
        arguments.push([&"--unshare-net"]);
    }
    arguments.push([&"--die-with-parent", &"--new-session", &"--as-pid-1"]);
    arguments.push([&"--hostname", &"sandbox", &"--cap-drop", &"ALL"]);
    root(&mut arguments, profile, identity).doing("describe the system's files")?;
    mounts(&mut arguments, profile);
    arguments.push([&"--remount-ro", &"/"]);
    Ok(arguments)
}

fn root(arguments: &mut Arguments, profile: &Profile, identity: UserIds) -> io::Result<()> {
    for part in system_paths::folders() {
        match part {
            SystemPath::Here(path) => arguments.push([&"--ro-bind", &path, &path]),
            SystemPath::Link { path, target } => arguments.push([&"--symlink", &target, &path]),
        }
    }
    if let Commands::Only(allowed) = &profile.commands {
        only(arguments, allowed);
    }
    for path in system_paths::settings(&profile.network) {
        if path.is_dir() {
            arguments.push([&"--ro-bind", &path, &path]);
        } else {
            arguments.file(&std::fs::read(path)?, path)?;
        }
    }
    let UserIds { uid, gid } = identity;
    let user = format!("user:x:{uid}:{gid}::/tmp:/bin/sh\n");
    arguments.file(user.as_bytes(), Path::new("/etc/passwd"))?;
    let group = format!("user:x:{gid}:\n");
    arguments.file(group.as_bytes(), Path::new("/etc/group"))?;
    if profile.network != Network::Full {
        // The proxy is the only reachable host, and nothing else gives it a name.
        arguments.file(HOSTS, Path::new("/etc/hosts"))?;
    }
    arguments.push([&"--proc", &"/proc"]);
    for device in system_paths::DEVICES {
        arguments.push([&"--dev-bind", device, device]);
    }
    for (number, name) in ["stdin", "stdout", "stderr"].iter().enumerate() {
        let (target, path) = (format!("/proc/self/fd/{number}"), format!("/dev/{name}"));
        arguments.push([&"--symlink", &target, &path]);
    }
    arguments.push([&"--symlink", &"urandom", &"/dev/random"]);
    // Shared memory and temporary files are limited together.
    arguments.push([&"--symlink", &"/proc/self/fd", &"/dev/fd"]);
    arguments.push([&"--symlink", &"/tmp", &"/dev/shm"]);
    let size = profile.limits.scratch.to_string();
    arguments.push([&"--perms", &"1777", &"--size", &size, &"--tmpfs", &"/tmp"]);
    Ok(())
}

/// Hides the folders of programs, and shows only those that are allowed.
fn only(arguments: &mut Arguments, allowed: &[PathBuf]) {
    let folders = [
        "/usr/bin",
        "/usr/sbin",
        "/usr/local/bin",
        "/usr/local/sbin",
        "/bin",
        "/sbin",
    ];
    let is_real = |folder: &&&str| Path::new(folder).is_dir() && !Path::new(folder).is_symlink();
    for folder in folders.iter().filter(is_real) {
        arguments.push([&"--tmpfs", folder]);
    }
    for program in allowed {
        // A program may be called by a name that is a link to its file.
        let real = program.canonicalize().unwrap_or_else(|_| program.clone());
        arguments.push([&"--ro-bind-try", &real, &real]);
        if real != *program {
            arguments.push([&"--ro-bind-try", &real, program]);
        }
    }
    for folder in folders.iter().filter(is_real) {
        arguments.push([&"--remount-ro", folder]);
    }
}

/// Mounts what the profile names. Parents come first: a mount covers what was mounted below it.
fn mounts(arguments: &mut Arguments, profile: &Profile) {
    let all = profile.mounts.iter().enumerate().map(|(number, mount)| {
        let word = match mount.access {
            MountAccess::Read => "--ro-bind",
            MountAccess::Write => "--bind",
        };
        let place = mounts::first_place(profile, number, mount);
        (&mount.source, place, word)
    });
    let mut all: Vec<(&PathBuf, PathBuf, &str)> = all.collect();
    all.sort_by_key(|(_, place, _)| place.components().count());
    for (source, place, word) in &all {
        arguments.push([word, source, place]);
    }
}
