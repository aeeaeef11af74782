//! A skill that the scanner keeps out, one of several or alone.

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
