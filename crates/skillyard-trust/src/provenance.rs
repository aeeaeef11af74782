//! Where a skill came from.

use serde::{Deserialize, Serialize};

/// Where a skill came from, as far as it is known; install records it in its lock file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Provenance {
    /// The kind of place.
    pub origin: Origin,
    /// The address it was fetched from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The commit or version that was fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The trusted key that signed it. The caller must have verified the signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// When it was installed, as RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub installed_at: Option<String>,
    /// What it is by where it was found, if only a lock that lay there says that it is from
    /// elsewhere. Such a lock can forbid and not allow: of both the tighter counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Origin>,
}

/// The kind of place that a skill came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Shipped inside the binary.
    Builtin,
    /// A folder of the organisation.
    Org,
    /// Written on this machine by its user.
    WrittenHere,
    /// A registry.
    Registry,
    /// Installed from a local folder.
    LocalFolder,
    /// Installed from a local archive.
    LocalArchive,
    /// A project that the user trusts.
    ProjectTrusted,
    /// A git host.
    Git,
    /// An archive fetched over HTTPS.
    HttpsArchive,
    /// A site that lists its skills at a well-known address.
    WellKnown,
    /// A server that speaks MCP.
    Mcp,
    /// A project that the user has not trusted.
    ProjectUntrusted,
}

impl Origin {
    /// The words for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Builtin => "Skillyard itself",
            Self::Org => "a folder of the organisation",
            Self::WrittenHere => "the user's own folders",
            Self::Registry => "a registry",
            Self::LocalFolder => "a local folder",
            Self::LocalArchive => "a local archive",
            Self::ProjectTrusted => "a trusted project",
            Self::Git => "a git host",
            Self::HttpsArchive => "an archive from the web",
            Self::WellKnown => "a web site",
            Self::Mcp => "an MCP server",
            Self::ProjectUntrusted => "a project that is not trusted",
        }
    }
}

impl Provenance {
    /// A provenance of which nothing more is known.
    pub fn of(origin: Origin) -> Self {
        Self {
            origin,
            url: None,
            revision: None,
            signer: None,
            installed_at: None,
            place: None,
        }
    }

    /// Whether its text was written by a third party rather than the user, their organization or
    /// us, so that readers are warned.
    pub fn is_third_party(&self) -> bool {
        !matches!(
            self.origin,
            Origin::Builtin | Origin::Org | Origin::WrittenHere
        )
    }
}

impl std::fmt::Display for Provenance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.origin.as_str())?;
        if let Some(url) = &self.url {
            write!(f, ", {url}")?;
        }
        if let Some(revision) = &self.revision {
            write!(f, " at {revision}")?;
        }
        if let Some(signer) = &self.signer {
            write!(f, ", signed by `{signer}`")?;
        }
        Ok(())
    }
}
