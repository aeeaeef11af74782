//! The parts of the system that every program needs: its programs, libraries and a little of
//! its settings.

use std::path::{Path, PathBuf};

use crate::profile::Network;

/// Folders of programs and libraries, readable by every user.
const FOLDERS: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/run/current-system",
];

/// Settings that programs look for and that tell nothing about the user. Each costs a mount
/// or a copy at every start, so only what is really looked at is here.
const SETTINGS: &[&str] = &[
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/localtime",
];

/// Files that programs need for TLS.
const NETWORK: &[&str] = &[
    "/etc/crypto-policies",
    "/etc/pki/ca-trust",
    "/etc/pki/tls",
    "/etc/services",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
];

/// What is needed to find hosts, when the network is open.
const RESOLVER: &[&str] = &["/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf"];

/// Devices without data.
pub(super) const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/urandom"];

/// Devices of the host, for back ends without their own.
pub(super) const MORE_DEVICES: &[&str] = &["/dev/full", "/dev/random"];

/// Files of `/proc` about the machine as a whole, which runtimes look at.
pub(super) const MACHINE: &[&str] = &[
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/pid_max",
    "/proc/sys/vm/overcommit_memory",
    "/proc/uptime",
    "/proc/version",
    "/sys/devices/system/cpu",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
];

/// A part of the system, and how it is mounted.
pub(super) enum SystemPath {
    /// A folder or a file.
    Here(PathBuf),
    /// A link, such as `/bin` to `usr/bin`.
    Link {
        /// Where it stands.
        path: PathBuf,
        /// What it says.
        target: PathBuf,
    },
}

/// The folders of programs and libraries that are there.
pub(super) fn folders() -> impl Iterator<Item = SystemPath> {
    FOLDERS.iter().filter_map(|folder| {
        let path = PathBuf::from(folder);
        if let Ok(target) = path.read_link() {
            return Some(SystemPath::Link { path, target });
        }
        path.exists().then_some(SystemPath::Here(path))
    })
}

/// The settings that are there.
pub(super) fn settings(network: &Network) -> impl Iterator<Item = &'static Path> {
    let (more, resolver): (&[&str], &[&str]) = match network {
        Network::None => (&[], &[]),
        Network::Hosts(_) => (NETWORK, &[]),
        Network::Full => (NETWORK, RESOLVER),
    };
    let paths = SETTINGS.iter().chain(more).chain(resolver).map(Path::new);
    paths.filter(|path| path.exists())
}
