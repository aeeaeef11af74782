//! What this machine has to build a sandbox from.

use std::fs;
use std::path::{Path, PathBuf};

use crate::backend::Backend;
use crate::error::SandboxError;
use crate::profile::Profile;

/// What this machine has to build a sandbox from. Looking costs a few small files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// The program `bwrap`, if it may be trusted.
    pub bubblewrap: Option<PathBuf>,
    /// Why new user namespaces cannot be made, if a setting of the system says so.
    pub namespaces: Option<String>,
    /// The version of landlock that the kernel speaks.
    pub landlock: Option<u32>,
    /// Whether the kernel filters system calls.
    pub seccomp: bool,
    /// The program of a container engine.
    pub container: Option<PathBuf>,
    /// The program `sandbox-exec`.
    pub seatbelt: Option<PathBuf>,
    /// Where the kernel can limit all processes of a program together.
    #[cfg(target_os = "linux")]
    pub groups: Option<crate::cgroup::ControlGroups>,
    /// Whether we are root, and programs will be somebody else.
    pub root: bool,
}

/// The oldest landlock that can stand alone: it keeps signals in.
pub const LANDLOCK_NEEDED: u32 = 6;

/// Back ends that are used without being asked for, the better first.
const AUTOMATIC: [Backend; 3] = [Backend::Bubblewrap, Backend::Landlock, Backend::Seatbelt];

impl Survey {
    /// Looks at this machine. Programs are taken from the system's own folders, never from
    /// a `PATH` that somebody else may have set.
    pub fn take() -> Self {
        Self {
            bubblewrap: trusted("bwrap"),
            namespaces: namespaces_forbidden(),
            landlock: landlock(),
            seccomp: Path::new("/proc/sys/kernel/seccomp/actions_avail").exists(),
            container: trusted("podman").or_else(|| trusted("docker")),
            seatbelt: trusted("sandbox-exec").filter(|_| cfg!(target_os = "macos")),
            #[cfg(target_os = "linux")]
            groups: crate::cgroup::ControlGroups::find(),
            root: is_root(),
        }
    }

    /// What a program says about its version.
    #[expect(clippy::disallowed_methods, reason = "these programs are this crate's")]
    pub fn version(program: &Path) -> Option<String> {
        let mut command = std::process::Command::new(program);
        let said = command.arg("--version").env_clear().output().ok()?;
        let line = String::from_utf8_lossy(&said.stdout)
            .lines()
            .next()?
            .trim()
            .to_owned();
        (!line.is_empty()).then_some(line)
    }

    /// Which version of the kernel's control groups can limit all processes of a program
    /// together; without one each process has its limits, and all of them are looked at.
    #[cfg(target_os = "linux")]
    pub fn group_version(&self) -> Option<u8> {
        self.groups
            .as_ref()
            .map(crate::cgroup::ControlGroups::version)
    }

    /// Other systems have no control groups.
    #[cfg(not(target_os = "linux"))]
    pub fn group_version(&self) -> Option<u8> {
        None
    }

    /// What a container engine says is wrong, such as a service that does not run.
    #[expect(clippy::disallowed_methods, reason = "these programs are this crate's")]
    pub fn engine_trouble(program: &Path) -> Option<String> {
        let asked = std::process::Command::new(program)
            .args(["ps", "-q"])
            .output();
        match asked {
            Ok(answer) if answer.status.success() => None,
            Ok(answer) => {
                let said = String::from_utf8_lossy(&answer.stderr);
                Some(said.lines().next().unwrap_or("it fails").trim().to_owned())
            }
            Err(error) => Some(error.to_string()),
        }
    }

    /// The best back end of this machine for a profile, or why there is none.
    pub fn best_backend(&self, profile: &Profile) -> Result<Backend, SandboxError> {
        let mut reasons = Vec::new();
        for backend in AUTOMATIC {
            let reason = self.missing(backend).or_else(|| backend.cannot(profile));
            match reason {
                None => return Ok(backend),
                Some(reason) => reasons.push(format!("{backend}: {reason}")),
            }
        }
        Err(SandboxError::NoBackend { reasons })
    }

    /// What a back end lacks here.
    pub fn missing(&self, backend: Backend) -> Option<String> {
        let seccomp = (!self.seccomp).then(|| "the kernel has no seccomp".to_owned());
        match backend {
            Backend::Bubblewrap if self.bubblewrap.is_none() => {
                Some("the program `bwrap` is not installed".into())
            }
            Backend::Bubblewrap => self.namespaces.clone().or(seccomp),
            Backend::Landlock => match self.landlock {
                None => Some("the kernel has no landlock".into()),
                Some(version) if version < LANDLOCK_NEEDED => Some(format!(
                    "the kernel's landlock has version {version}, and {LANDLOCK_NEEDED} (Linux 6.12) is needed to keep signals in"
                )),
                Some(_) => seccomp,
            },
            Backend::Seatbelt if self.seatbelt.is_none() => {
                Some("`sandbox-exec` is a program of macOS".into())
            }
            Backend::Container if self.container.is_none() => {
                Some("neither `podman` nor `docker` is installed".into())
            }
            Backend::Seatbelt | Backend::Container | Backend::None => None,
        }
    }
}

/// A program of the system that nobody but root can have put there.
fn trusted(name: &str) -> Option<PathBuf> {
    let folders = [
        "/usr/bin",
        "/bin",
        "/usr/local/bin",
        "/run/current-system/sw/bin",
    ];
    let mut paths = folders.iter().map(|folder| Path::new(folder).join(name));
    paths.find(|path| is_trusted(path))
}

fn is_trusted(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path)
        .is_ok_and(|file| file.is_file() && file.uid() == 0 && file.mode() & 0o022 == 0)
}

#[cfg(target_os = "linux")]
fn landlock() -> Option<u32> {
    crate::launcher::landlock::version()
}

#[cfg(not(target_os = "linux"))]
fn landlock() -> Option<u32> {
    None
}

/// Whether this process is root.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The settings of distributions that forbid new user namespaces.
fn namespaces_forbidden() -> Option<String> {
    let is = |path: &str, value: &str| {
        fs::read_to_string(path).is_ok_and(|content| content.trim() == value)
    };
    for (path, value) in [
        ("/proc/sys/user/max_user_namespaces", "0"),
        ("/proc/sys/kernel/unprivileged_userns_clone", "0"),
    ] {
        if is(path, value) {
            return Some(format!("new user namespaces are forbidden by `{path}`"));
        }
    }
    None
}
