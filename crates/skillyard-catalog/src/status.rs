//! Whether a skill can be used, and why not.

use serde::Serialize;

/// The standing of a skill. Only enabled ones reach a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "status")]
pub enum Status {
    /// It can be used.
    Enabled,
    /// The configuration switches it off.
    Disabled {
        /// Which setting does.
        reason: String,
    },
    /// Commands it needs are missing.
    Unavailable {
        /// The commands.
        missing: Vec<String>,
    },
    /// Its files cannot be hashed, so what was used could not be recorded.
    #[serde(rename = "unavailable")]
    Unhashable {
        /// Why they cannot.
        reason: String,
    },
    /// It belongs to a project that the user has not trusted.
    Untrusted,
    /// It cannot be verified, because a lock that could name it cannot be read.
    #[serde(rename = "held-back")]
    HeldBack {
        /// Which lock.
        reason: String,
    },
    /// Its files are not those that a lock names, and they are not approved. They may have changed since
    /// the installation, or come from elsewhere.
    Altered,
    /// It, or the key that signed it, is revoked.
    Revoked {
        /// Since when and why.
        reason: String,
    },
}

impl Status {
    /// All words for users.
    pub const WORDS: [&str; 7] = [
        "enabled",
        "disabled",
        "unavailable",
        "untrusted",
        "held-back",
        "altered",
        "revoked",
    ];

    /// The word for users.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::Disabled { .. } => "disabled",
            Self::Unavailable { .. } | Self::Unhashable { .. } => "unavailable",
            Self::Untrusted => "untrusted",
            Self::HeldBack { .. } => "held-back",
            Self::Altered => "altered",
            Self::Revoked { .. } => "revoked",
        }
    }

    /// Whether it must not be used; where only commands are missing, it merely cannot be.
    pub fn is_refused(&self) -> bool {
        !matches!(self, Self::Enabled | Self::Unavailable { .. })
    }

    /// Why it cannot be used, if it cannot.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Enabled => None,
            Self::Disabled { reason } | Self::HeldBack { reason } | Self::Revoked { reason } => {
                Some(reason.clone())
            }
            Self::Unavailable { missing } => {
                let missing = missing.join(", ").replace('|', " or ");
                Some(format!("missing commands: {missing}"))
            }
            Self::Unhashable { reason } => Some(format!("its files cannot be hashed: {reason}")),
            Self::Untrusted => Some("the project's folder is not trusted".into()),
            Self::Altered => Some("its files are not those that are locked".into()),
        }
    }
}
