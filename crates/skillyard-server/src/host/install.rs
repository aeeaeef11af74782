//! What the server asks the program around it to install, and what comes of it.

use serde::Serialize;
use utoipa::ToSchema;

use crate::access::Holder;

/// What is to be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Where it is, as `skillyard install` takes it.
    pub reference: String,
    /// Which skills of it; without any, the only one there is.
    pub skills: Vec<String>,
    /// Whose skills they become.
    pub scope: Option<OrderScope>,
    /// The plan that was looked at; without one nothing is installed, only planned.
    pub plan: Option<String>,
    /// Who gave it.
    pub holder: Holder,
}

/// Whose skills they become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderScope {
    /// The user's.
    User,
    /// The project's.
    Project,
}

/// A plan, or what it came to.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Installation {
    /// What the plan is known by; who sends it back agrees to it.
    pub plan: String,
    /// Whether it was carried out.
    pub applied: bool,
    /// Whose skills they are: `user` or `project`.
    pub scope: String,
    /// What changes.
    pub skills: Vec<Installing>,
    /// What is there already.
    pub unchanged: Vec<String>,
    /// What is there already and must not be used any more.
    pub revoked: Vec<RevokedSkill>,
    /// What else has to be known, such as that git could not be asked what it ignores.
    pub warnings: Vec<String>,
}

/// An installed skill that is revoked.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct RevokedSkill {
    /// Its name.
    pub name: String,
    /// Who took it back, when and why.
    pub reason: String,
    /// What the user of the server's machine can do about it.
    pub remedy: String,
}

/// A skill that is installed.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct Installing {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it says that it needs around it, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compatibility: Option<String>,
    /// `added`, `changed`, `restored`, `repaired` or `removed`.
    pub change: String,
    /// Where it comes from.
    pub source: String,
    /// What it consists of.
    pub digest: String,
    /// From which state to which it goes, where what is there, or was seen before, is newer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub older: Option<String>,
    /// What to use instead, in the words of its owners, where they gave it up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// How far it will be trusted.
    pub tier: String,
    /// Who signed it, if somebody who is trusted did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// About how many tokens it adds to every prompt.
    pub tokens: usize,
    /// Its scripts.
    pub scripts: Vec<String>,
    /// The skills inside of it, which some agents offer, too.
    pub inner: Vec<String>,
    /// Files and folders that lie with it where it comes from, and do not come along.
    pub left_out: Vec<String>,
    /// Its files that git LFS keeps, of which only pointers come.
    pub lfs_pointers: Vec<String>,
    /// What the scanner found.
    pub findings: Vec<String>,
}

/// Why nothing is installed.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The answer is no; the words are for the admin who asked.
    #[error("{0}")]
    Refused(String),
    /// Nobody waited for it any more, or the server ends.
    #[error("it was stopped before anything was installed")]
    Stopped,
    /// The machine failed; the words are for the admin who asked, and for the log.
    #[error("{0}")]
    Failed(String),
}
