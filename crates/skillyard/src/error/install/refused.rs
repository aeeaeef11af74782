//! A skill that the scanner keeps out, one of several or alone.

use skillyard_trust::signature::{Distrust, Verification};

use super::InstallFailure;
use crate::error::install::Operation;
use crate::error::signing::{anew, handed_over};
use crate::text::shell::{shell_word, shell_words};

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
            deed: Operation::Installed,
        }
    }
}

/// By what the skills were chosen that one was found something in.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SelectedBy {
    /// The words of the command.
    ByCommand,
    /// skills.toml and the lock.
    ByManifest,
}

/// A skill that a command has to name for one to go back.
#[derive(Debug, Clone)]
pub(crate) struct CompanionSkill {
    /// What it is installed as.
    pub(crate) name: String,
    /// What it is installed by.
    pub(crate) reference: String,
}

/// What the user can do about a signature that is refused.
#[derive(Debug, Clone)]
pub(crate) enum SignatureRemedy {
    /// Nothing but to ask the author.
    None,
    /// Say that an older one is meant.
    GoBack,
    /// The same of a skill that comes along with others, which have to be named with it.
    GoBackTogether(Vec<CompanionSkill>),
    /// Believe who signed it before that another key signs now, or forget them.
    HandOver,
    /// Forget who signed it before.
    Forget,
    /// Remove what is installed, which says who signed it before.
    Remove,
    /// Install the others alone.
    LeaveOut,
}

impl SignatureRemedy {
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
                } else if matches!(reason, Distrust::OtherSigner { .. }) {
                    Self::HandOver
                } else {
                    Self::Forget
                }
            }
            _ if is_of_all => Self::LeaveOut,
            _ => Self::None,
        }
    }

    /// The same in words, for what was to be done with a skill.
    pub(super) fn hint(&self, name: &str, deed: Operation) -> Option<String> {
        let word = shell_word(name);
        Some(match self {
            // Others are updated without it.
            Self::None | Self::LeaveOut if deed == Operation::Updated => {
                "Ask its author; what is installed stays as it is".into()
            }
            Self::None => return None,
            Self::GoBack => {
                "If you mean to go back, as from a version that was withdrawn, pass `--accept rollback`, or name the version".into()
            }
            Self::GoBackTogether(all) => {
                let command = match deed {
                    Operation::Updated => format!("update {}", words(all, |each| &each.name)),
                    Operation::Installed => format!("install {}", words(all, |each| &each.reference)),
                };
                format!(
                    "It comes along with others; if you mean to go back with it, name it, too: `skillyard {command} --accept rollback`"
                )
            }
            Self::HandOver => handed_over(name),
            Self::Forget => anew(name),
            Self::Remove => format!(
                "Somebody you trust signed the one that is installed; if you know why, remove that with `skillyard remove {word}`, and install it anew"
            ),
            Self::LeaveOut => format!("Of many skills, leave it out with `--all --except {word}`"),
        })
    }
}

/// Skills as they are typed, each by the same of its names.
fn words(all: &[CompanionSkill], word: impl Fn(&CompanionSkill) -> &str) -> String {
    shell_words(all.iter().map(word))
}
