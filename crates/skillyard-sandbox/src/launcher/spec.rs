//! What the stage has to do.

use std::ffi::{OsStr, OsString};
use std::os::fd::RawFd;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// What the stage has to do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Spec {
    /// The program and its arguments.
    pub(crate) argv: Vec<OsString>,
    /// Its whole environment, as `NAME=value`.
    pub(crate) environment: Vec<OsString>,
    /// Its working directory.
    pub(crate) directory: PathBuf,
    /// The files it may use.
    pub(crate) rules: Vec<Rule>,
    /// Which fences to put up.
    pub(crate) fences: Fences,
    /// Which sockets it may make.
    pub(crate) sockets: Sockets,
    /// Who else its semaphores, queues and segments reach.
    pub(crate) ipc: Ipc,
    /// What keeps its processes together.
    pub(crate) containment: Containment,
    /// Whether programs may be made in memory.
    pub(crate) memory_programs: MemoryPrograms,
    /// Whether it may have files and segments in memory.
    pub(crate) memory_files: MemoryFiles,
    /// What may become of mode, times and attributes of files that are open.
    pub(crate) open_files: OpenFiles,
    /// When it begins.
    pub(crate) start: Start,
    /// Resource limits: the number of the resource and its value.
    pub(crate) limits: Vec<(u32, u64)>,
    /// When this reaches its end, everything does.
    pub(crate) control: RawFd,
    /// Where to say how the program ended.
    pub(crate) status: RawFd,
    /// Where to send the socket that the proxy listens on.
    pub(crate) proxy: Option<RawFd>,
}

/// Files that may be used, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rule {
    /// A file, or a folder with all that is in it.
    pub(crate) path: PathBuf,
    /// How.
    pub(crate) rights: Rights,
}

/// How files may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rights {
    /// Read.
    Read,
    /// Read and execute.
    Execute,
    /// Read and write what is there, but make nothing: for devices.
    Use,
    /// Everything.
    Write,
    /// Everything but execute.
    Store,
}

/// Which fences the launcher puts up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Fences {
    /// Landlock as far as the kernel knows it, and seccomp: namespaces stand around them.
    Inner,
    /// All of landlock that we rely on, and seccomp: there are no others.
    #[default]
    Only,
    /// None, because the user asked for none.
    Off,
}

/// What may become of mode, times and attributes of files that are open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum OpenFiles {
    /// What is wanted: what may be opened may be written to, or something else keeps the rest.
    #[default]
    Changed,
    /// Nothing: what may only be read can be open, too.
    Kept,
}

/// Which sockets a program may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Sockets {
    /// Only connected pairs of its own.
    #[default]
    None,
    /// IPv4 and IPv6.
    Internet,
}

/// Who else a program's semaphores, queues and segments reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Ipc {
    /// The whole host, so there must be none.
    #[default]
    Shared,
    /// Nobody.
    Private,
}

/// What keeps a program's processes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Containment {
    /// A process namespace whose first process we are: it ends with us.
    #[default]
    Namespace,
    /// They come to us when their parents end, and we end them one by one.
    Adoption,
}

/// Whether programs may be made in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MemoryPrograms {
    /// They may: any program may be started anyway.
    #[default]
    Allowed,
    /// They may not, because only some programs may be started.
    Denied,
}

/// Whether a program may have files and segments in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum MemoryFiles {
    /// It may: the kernel counts them with the rest of its memory.
    #[default]
    Counted,
    /// There are none, because they belong to no process and nobody would count them.
    Unknown,
}

/// When a stage begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Start {
    /// At once.
    #[default]
    AtOnce,
    /// When it is told to: something is done in its namespace before.
    WhenTold,
}

impl Spec {
    /// Allows `path` to be used in this way.
    pub(crate) fn allow(&mut self, path: impl AsRef<Path>, rights: Rights) {
        let path = path.as_ref().to_owned();
        self.rules.push(Rule { path, rights });
    }
}

/// `NAME=value`.
pub(crate) fn assignment(name: &OsStr, value: &OsStr) -> OsString {
    let mut bytes = name.as_bytes().to_vec();
    bytes.push(b'=');
    bytes.extend_from_slice(value.as_bytes());
    OsString::from_vec(bytes)
}
