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
    /// The trusted key that signed it. Whoever sets this has verified the signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// When it was installed, as RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub installed_at: Option<String>,
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

impl Provenance {
    /// A provenance of which nothing more is known.
    pub fn of(origin: Origin) -> Self {
        Self {
            origin,
            url: None,
            revision: None,
            signer: None,
            installed_at: None,
        }
    }

    /// Whether its text was written by somebody else than the user, their organisation and
    /// ourselves, so that whoever reads it is told so.
    pub fn is_third_party(&self) -> bool {
        !matches!(
            self.origin,
            Origin::Builtin | Origin::Org | Origin::WrittenHere
        )
    }
}

impl std::fmt::Display for Provenance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self.origin {
            Origin::Builtin => "Skillyard itself",
            Origin::Org => "a folder of the organisation",
            Origin::WrittenHere => "the user's own folders",
            Origin::Registry => "a registry",
            Origin::LocalFolder => "a local folder",
            Origin::LocalArchive => "a local archive",
            Origin::ProjectTrusted => "a trusted project",
            Origin::Git => "a git host",
            Origin::HttpsArchive => "an archive from the web",
            Origin::WellKnown => "a web site",
            Origin::Mcp => "an MCP server",
            Origin::ProjectUntrusted => "a project that is not trusted",
        })?;
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
