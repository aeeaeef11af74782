//! What a program may do: the files it sees, the network it reaches, its environment and limits.
//!
//! A profile only ever allows. What it does not name is not there for the program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::limits::Limits;
use crate::proxy::HostRule;

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
        let writable = |mount: &&Mount| mount.access == Access::Write;
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
    pub access: Access,
}

impl Mount {
    /// A place that looks the same inside as outside.
    pub fn new(path: &Path, access: Access) -> Self {
        Self {
            source: path.to_owned(),
            target: path.to_owned(),
            access,
        }
    }
}

/// What may be done with a mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
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
