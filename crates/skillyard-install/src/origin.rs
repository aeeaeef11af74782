//! Where the bytes of a skill came from, as the lock remembers it.

use serde::{Deserialize, Serialize};
use url::Url;

/// The kind of place that bytes came from: what trust follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OriginKind {
    /// A folder of this machine.
    LocalFolder,
    /// An archive on this machine.
    LocalArchive,
    /// A git repository, or a git host's archive of one.
    Git,
    /// An archive from a web server.
    Archive,
    /// The index of a web site.
    WellKnown,
    /// A registry.
    Registry,
}

impl OriginKind {
    /// Whether it came over a network, or could have.
    pub fn is_remote(self) -> bool {
        !matches!(self, Self::LocalFolder | Self::LocalArchive)
    }

    /// The words for people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::LocalFolder => "a folder of this machine",
            Self::LocalArchive => "an archive on this machine",
            Self::Git => "a git repository",
            Self::Archive => "an archive from the web",
            Self::WellKnown => "a web site's index",
            Self::Registry => "a registry",
        }
    }
}

/// Whether two addresses are of one registry, however it is reached there. Another path of a host may
/// be somebody else's.
pub fn is_same_registry(first: &str, second: &str) -> bool {
    let place = |text: &str| {
        let url = Url::parse(text).ok()?;
        let path = url.path().trim_end_matches('/');
        // The address of its skills stands for it.
        let path = path.strip_suffix("/skills").unwrap_or(path);
        let host = url.host_str()?.to_owned();
        Some((host, url.port(), path.to_owned()))
    };
    first == second || place(first).is_some_and(|first| Some(first) == place(second))
}

/// Where bytes came from, as exactly as it could be found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The kind of place.
    pub kind: OriginKind,
    /// The address that was asked, without secrets.
    pub url: String,
    /// The commit, where there is one.
    pub commit: Option<String>,
    /// The version, where there is one.
    pub version: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::is_same_registry;

    #[test]
    fn a_registry_is_its_host_and_its_path() {
        for (other, expected) in [
            ("https://a.example/r/", true),
            ("http://A.example/r", true),
            ("https://a.example/r/skills", true),
            ("https://a.example/", false),
            ("https://a.example:8443/r/", false),
            ("https://b.example/r/", false),
            ("no address", false),
        ] {
            let is_same = is_same_registry("https://a.example/r", other);
            assert_eq!(is_same, expected, "{other}");
        }
    }
}
