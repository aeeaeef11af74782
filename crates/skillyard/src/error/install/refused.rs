//! A skill that the scanner keeps out, one of several or alone.

use skillyard_trust::signature::{Distrust, Verification};

use super::{Deed, InstallFailure};

/// A skill that the scanner found something in.
#[derive(Debug)]
pub(crate) struct Refused {
    /// Its name.
    pub(crate) name: String,
    /// The codes of what was found.
    pub(crate) codes: Vec<String>,
    /// What was found, a line each.
    pub(crate) findings: Vec<String>,
}

impl Refused {
    /// What was found, with the skill.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let findings = self.findings.iter();
        findings.map(|finding| format!("`{}`: {finding}", self.name))
    }
}

impl From<Refused> for InstallFailure {
    fn from(refused: Refused) -> Self {
        let Refused {
            name,
            codes,
            findings,
        } = refused;
        Self::Findings {
            name,
            codes,
            findings,
            deed: Deed::Installed,
        }
    }
}

/// What the user can do about a signature that is refused.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WayOut {
    /// Nothing but to ask the author.
    None,
    /// Say that an older one is meant.
    GoBack,
    /// Forget who signed it before.
    Forget,
    /// Remove what is installed, which says who signed it before.
    Remove,
    /// Install the others alone.
    LeaveOut,
}

impl WayOut {
    /// The way out of what is against a signature. What it is compared with may be what `is_replaced`,
    /// and what comes with others of its source (`is_of_all`) can be left out.
    pub(crate) fn of(verification: &Verification, is_replaced: bool, is_of_all: bool) -> Self {
        match verification {
            Verification::Untrusted {
                reason: Distrust::Rollback(_),
                ..
            } => Self::GoBack,
            Verification::Untrusted { reason, .. } if reason.is_break() => {
                if is_replaced {
                    Self::Remove
                } else {
                    Self::Forget
                }
            }
            _ if is_of_all => Self::LeaveOut,
            _ => Self::None,
        }
    }
}
