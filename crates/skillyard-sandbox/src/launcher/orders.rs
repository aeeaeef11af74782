//! What the launcher is told, through a file in memory.
//!
//! Arguments could be read by every process on the system, and by the program itself in
//! `/proc/1/cmdline`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::identity::UserIds;

/// What the launcher does inside a sandbox.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StageOrders {
    /// The program and its arguments.
    pub(crate) argv: Vec<OsString>,
    /// Its whole environment, as `NAME=value`.
    pub(crate) environment: Vec<OsString>,
    /// Its working directory.
    pub(crate) directory: OsString,
    /// The files it may use.
    pub(crate) rules: Vec<PathRule>,
    /// What else keeps it in.
    pub(crate) isolation: Isolation,
    /// Which system calls it may make.
    pub(crate) syscalls: SyscallPolicy,
    /// Its resource limits.
    pub(crate) limits: ResourceLimits,
    /// When this descriptor reaches its end, the launcher ends everything.
    pub(crate) control: RawFd,
    /// Where the launcher reports how the program ended.
    pub(crate) status: RawFd,
    /// The socket for the proxy, if there is a proxy.
    pub(crate) proxy: Option<ProxyListener>,
    /// Whether to say that the sandbox is made, and to wait until its mounts are complete.
    pub(crate) waits_for_mounts: bool,
}

/// What root does before it becomes another user and another program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RootOrders {
    /// Mounts to make in a new mount namespace.
    pub(crate) mounts: Vec<IdMappedMount>,
    /// The user to become.
    pub(crate) identity: Option<UserIds>,
    /// The next program and its arguments.
    pub(crate) argv: Vec<OsString>,
    /// Where to report what failed.
    pub(crate) status: RawFd,
}

/// A mount that shows the files of one user as those of the sandbox's user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IdMappedMount {
    /// The open folder or file.
    pub(crate) source: RawFd,
    /// Where to mount it.
    pub(crate) target: OsString,
    /// The owner of the files.
    pub(crate) owner: UserIds,
}

/// Files that may be used, and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PathRule {
    /// A file, or a folder with all that is in it.
    pub(crate) path: OsString,
    /// How.
    pub(crate) rights: Rights,
}

/// How files may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Rights {
    /// Read.
    Read,
    /// Read and execute.
    Execute,
    /// Read and write what exists, but create nothing: for devices.
    Use,
    /// Everything.
    Write,
    /// Everything but execute.
    Store,
}

/// What keeps a program in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) enum Isolation {
    /// Namespaces, and landlock as far as the kernel has it. The launcher is the first process
    /// of the process namespace, which ends with it.
    Namespaces,
    /// Landlock and seccomp alone. Orphans come to the launcher, which ends them one by one.
    #[default]
    Landlock,
    /// Nothing, because the user asked for no sandbox. Orphans come to the launcher.
    None,
}

/// Which system calls a program may make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each allows some calls or not"
)]
pub(crate) struct SyscallPolicy {
    /// Whether it may make sockets for IPv4 and IPv6. Otherwise only connected pairs.
    pub(crate) internet: bool,
    /// Whether it may execute files in memory: not where only some programs may be started.
    pub(crate) memory_programs: bool,
    /// Whether it may have files and segments in memory: only where the kernel counts them.
    pub(crate) memory_files: bool,
    /// Whether it may change mode, times and attributes of open files. Without namespaces it may
    /// not where it can only read: landlock does not see these changes.
    pub(crate) open_files: bool,
}

impl Default for SyscallPolicy {
    fn default() -> Self {
        Self {
            internet: false,
            memory_programs: true,
            memory_files: true,
            open_files: true,
        }
    }
}

/// Limits that each process has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ResourceLimits {
    /// Seconds of processor time.
    pub(crate) cpu: u64,
    /// Bytes of memory.
    pub(crate) memory: u64,
    /// Bytes of a file.
    pub(crate) file_size: u64,
    /// Open files.
    pub(crate) open_files: u64,
    /// Processes and threads of the user.
    pub(crate) processes: u64,
}

/// The socket on which the proxy listens, inside the sandbox's network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProxyListener {
    /// Where the launcher sends the socket.
    pub(crate) channel: RawFd,
    /// The port of the loopback device.
    pub(crate) port: u16,
}

impl StageOrders {
    /// Allows `path` to be used in this way.
    pub(crate) fn allow(&mut self, path: impl AsRef<Path>, rights: Rights) {
        let path = path.as_ref().as_os_str().to_owned();
        self.rules.push(PathRule { path, rights });
    }
}

/// The bytes of orders.
pub(crate) fn encode(orders: &impl Serialize) -> std::io::Result<Vec<u8>> {
    postcard::to_allocvec(orders).map_err(std::io::Error::other)
}

/// Reads orders from an inherited descriptor; `None` if they are not from [`encode`].
pub(super) fn read<T: DeserializeOwned>(descriptor: RawFd) -> Option<T> {
    let mut bytes = Vec::new();
    let mut file = File::from(super::inherited(descriptor));
    file.read_to_end(&mut bytes).ok()?;
    postcard::from_bytes(&bytes).ok()
}

/// `NAME=value`.
pub(crate) fn assignment(name: &OsStr, value: &OsStr) -> OsString {
    let parts = [name.as_encoded_bytes(), value.as_encoded_bytes()];
    OsString::from_vec(parts.join(&b'='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_survive_encoding() {
        let mut orders = StageOrders {
            argv: vec!["sh".into(), "".into(), OsString::from_vec(vec![0xff])],
            environment: vec![assignment(OsStr::new("A"), OsStr::new("b=c\n"))],
            proxy: Some(ProxyListener {
                channel: 7,
                port: 3128,
            }),
            ..StageOrders::default()
        };
        orders.allow("/usr", Rights::Execute);
        let bytes = encode(&orders).unwrap();
        assert_eq!(postcard::from_bytes(&bytes), Ok(orders));
        assert!(postcard::from_bytes::<StageOrders>(&bytes[..9]).is_err());
    }
}
