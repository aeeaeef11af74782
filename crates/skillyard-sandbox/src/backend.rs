//! The ways to hold a program to its profile, and what each of them cannot do.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use crate::profile::{Commands, Mount, Network, Profile};

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

    /// What of the profile this back end cannot enforce.
    pub fn cannot(self, profile: &Profile) -> Option<String> {
        const CLOSED_OR_OPEN: &str =
            "it can close the network or leave it open, but not let single hosts through";
        const PLACES: &str = "it cannot keep single places in a writable folder as they are";
        const PROGRAMS: &str = "it cannot choose which programs may be started";
        let (hosts, places, programs) = match self {
            Self::Bubblewrap => return None,
            Self::Landlock | Self::Container => (CLOSED_OR_OPEN, Some(PLACES), PROGRAMS),
            Self::Seatbelt => ("host lists are not built for it", None, PROGRAMS),
            // A user who asks for no sandbox gets none; that is said and recorded. What they ask
            // for besides is still not passed over.
            Self::None => (
                "it leaves the whole network open",
                None,
                "it lets every program be started",
            ),
        };
        let has_places = profile.writable().next().is_some() && !profile.protected.is_empty();
        let reason = match (&profile.network, &profile.commands) {
            (Network::Hosts(_), _) => Some(hosts),
            _ if has_places && places.is_some() => places,
            (_, Commands::Only(_)) => Some(programs),
            _ => None,
        };
        reason.map(str::to_owned)
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
