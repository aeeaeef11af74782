//! What a program may do: the files it sees, the network it reaches, its environment and limits.
//!
//! A profile only ever allows. What it does not name is not there for the program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::host_rule::HostRule;

/// Everything a program may do.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    /// The folders and files it may use, besides the system's programs and libraries.
    pub mounts: Vec<Mount>,
    /// Places in writable mounts that stay as they are, as relative paths such as `.git/hooks`.
    /// One that does not exist can be created, which [`crate::Outcome::created`] tells.
    pub protected: Vec<PathBuf>,
    /// What it reaches over the network.
    pub network: Network,
    /// Its whole environment, besides what the sandbox sets itself.
    pub environment: Vec<(OsString, OsString)>,
    /// Which programs of the system it may start.
    pub commands: Commands,
    /// How much it may use.
    pub limits: Limits,
}

impl Profile {
    /// The mounts that can be written to.
    pub fn writable(&self) -> impl Iterator<Item = &Mount> {
        let writable = |mount: &&Mount| mount.access == MountAccess::Write;
        self.mounts.iter().filter(writable)
    }

    /// The protected places that exist in a writable mount: only these can be protected.
    pub fn existing_protected(&self) -> impl Iterator<Item = &PathBuf> {
        let exists = |mount: &Mount, place: &PathBuf| {
            mount.source.join(place).is_symlink() || mount.source.join(place).exists()
        };
        self.protected
            .iter()
            .filter(move |place| self.writable().any(|mount| exists(mount, place)))
    }
}

/// A folder or file of the host that the program sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Where it is on the host.
    pub source: PathBuf,
    /// Where the program finds it, if the back end can show it elsewhere.
    pub target: PathBuf,
    /// What may be done with it.
    pub access: MountAccess,
}

impl Mount {
    /// A place that looks the same inside as outside.
    pub fn new(path: &Path, access: MountAccess) -> Self {
        Self {
            source: path.to_owned(),
            target: path.to_owned(),
            access,
        }
    }
}

/// What may be done with a mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MountAccess {
    /// Read and execute.
    Read,
    /// Read, execute and change.
    Write,
}

/// What a program reaches over the network.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Network {
    /// Nothing.
    #[default]
    None,
    /// These hosts, through a proxy that checks their names.
    Hosts(Vec<HostRule>),
    /// Everything the host reaches.
    Full,
}

/// Which programs of the system may be started.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Commands {
    /// All that are installed for everyone.
    #[default]
    Any,
    /// Only these, by the path of their file, and what lies in the mounts.
    Only(Vec<PathBuf>),
}

const MIB: u64 = 1024 * 1024;

/// The limits of one run, for all its processes together where nothing else is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long it may take.
    pub wall: Duration,
    /// How much processor time one process may use.
    pub cpu: Duration,
    /// How many bytes of memory.
    pub memory: u64,
    /// How many processes and threads at once.
    pub processes: u64,
    /// How many open files one process may have.
    pub open_files: u64,
    /// How many bytes one file may have that is written.
    pub file_size: u64,
    /// How many bytes the private folder for temporary files may hold.
    pub scratch: u64,
    /// How many bytes of each of stdout and stderr are kept.
    pub output: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_mins(1),
            cpu: Duration::from_mins(1),
            memory: 1024 * MIB,
            processes: 128,
            open_files: 1024,
            file_size: 256 * MIB,
            scratch: 256 * MIB,
            output: MIB,
        }
    }
}
