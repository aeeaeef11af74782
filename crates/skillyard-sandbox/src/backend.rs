//! The ways to hold a program to its profile, and what each of them cannot do.

pub(crate) mod container;
pub mod seatbelt;

#[cfg(target_os = "linux")]
pub(crate) mod bubblewrap;
#[cfg(target_os = "linux")]
pub(crate) mod guard;
#[cfg(target_os = "linux")]
pub(crate) mod inside;
#[cfg(target_os = "linux")]
pub(crate) mod landlock;
#[cfg(target_os = "linux")]
pub(crate) mod system;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::error::SandboxError;
use crate::profile::{Commands, Mount, Network, Profile};
use crate::survey::Survey;

/// A way to hold a program to its profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Backend {
    /// The program `bwrap`, with landlock, seccomp and resource limits inside.
    Bubblewrap,
    /// Landlock, seccomp and resource limits, without any other program.
    Landlock,
    /// The program `sandbox-exec` of macOS.
    Seatbelt,
    /// A container of docker or podman.
    Container,
    /// Nothing at all: only for who asks for it by name.
    None,
}

/// All back ends, the better first.
pub const ALL: [Backend; 5] = [
    Backend::Bubblewrap,
    Backend::Landlock,
    Backend::Seatbelt,
    Backend::Container,
    Backend::None,
];

/// Those that are used without being asked for, the better first.
const AUTOMATIC: [Backend; 3] = [Backend::Bubblewrap, Backend::Landlock, Backend::Seatbelt];

impl Backend {
    /// The word for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "landlock",
            Self::Seatbelt => "sandbox-exec",
            Self::Container => "container",
            Self::None => "none",
        }
    }

    /// The best back end of this machine for a profile, or why there is none.
    pub fn best(survey: &Survey, profile: &Profile) -> Result<Self, SandboxError> {
        let mut reasons = Vec::new();
        for backend in AUTOMATIC {
            let reason = match survey.missing(backend) {
                Some(reason) => Some(reason),
                None => backend.cannot(profile),
            };
            match reason {
                None => return Ok(backend),
                Some(reason) => reasons.push(format!("{backend}: {reason}")),
            }
        }
        Err(SandboxError::NoBackend { reasons })
    }

    /// What of the profile this back end cannot enforce.
    pub fn cannot(self, profile: &Profile) -> Option<String> {
        let writable = profile.writable().next().is_some();
        let restricted = profile.commands != Commands::Any;
        match self {
            Self::Bubblewrap => None,
            // Who asks for no sandbox gets none; it is said and recorded. What they ask for
            // besides is still not passed over.
            Self::None => {
                if let Network::Hosts(_) = profile.network {
                    return Some("it leaves the whole network open".into());
                }
                restricted.then(|| "it lets every program be started".into())
            }
            Self::Landlock => {
                if let Network::Hosts(_) = profile.network {
                    return Some("it can close the network or leave it open, but not let single hosts through".into());
                }
                if writable && !profile.protected.is_empty() {
                    return Some(
                        "it cannot keep single places in a writable folder as they are".into(),
                    );
                }
                restricted.then(|| "it cannot choose which programs may be started".into())
            }
            Self::Seatbelt => {
                if let Network::Hosts(_) = profile.network {
                    return Some("host lists are not built for it".into());
                }
                restricted.then(|| "it cannot choose which programs may be started".into())
            }
            Self::Container => {
                if let Network::Hosts(_) = profile.network {
                    return Some("it can close the network or leave it open, but not let single hosts through".into());
                }
                if writable && !profile.protected.is_empty() {
                    return Some("it cannot protect places that do not exist yet".into());
                }
                restricted.then(|| "it cannot choose which programs may be started".into())
            }
        }
    }

    /// Where a program finds a mount.
    pub fn place(self, mount: &Mount) -> &Path {
        match self {
            Self::Bubblewrap | Self::Container => &mount.target,
            Self::Landlock | Self::Seatbelt | Self::None => &mount.source,
        }
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A word that names no back end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no sandbox `{0}`; it can be bubblewrap, landlock, sandbox-exec, container or none"
)]
pub struct NoSuchBackend(String);

impl FromStr for Backend {
    type Err = NoSuchBackend;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        let found = ALL.into_iter().find(|each| each.as_str() == word);
        found.ok_or_else(|| NoSuchBackend(word.to_owned()))
    }
}
