//! What can go wrong with trust and approvals, and what the user can do about it.

use std::fmt;
use std::path::PathBuf;

use skillyard_trust::approval::ApprovalError;
use skillyard_trust::policy::PolicyError;

use crate::text::shell::{shell_path, shell_word};

/// Why something was not approved or decided.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrustFailure {
    #[error("cannot use `{}`", path.display())]
    Approvals {
        path: PathBuf,
        source: ApprovalError,
    },
    #[error(
        "`{0}` cannot be trusted: its path is not UTF-8, so that it cannot be written down exactly"
    )]
    NotUtf8(String),
    #[error("`{}` can be written by others (mode {mode:03o}), so what it says is not believed", path.display())]
    Writable { path: PathBuf, mode: u32 },
    #[error("`{}` can be written by others (mode {mode:03o}), so what it says about trust is not believed", path.display())]
    WritableFolder { path: PathBuf, mode: u32 },
    #[error("`{}` belongs to another user ({owner}), so what it says is not believed", path.display())]
    Foreign {
        path: PathBuf,
        owner: u32,
        user: u32,
    },
    #[error("`{}` belongs to another user ({owner}), so it is not used", path.display())]
    ForeignFolder {
        path: PathBuf,
        owner: u32,
        user: u32,
    },
    #[error("`{}` is still trusted: it lies in `{}`, which is", folder.display(), by.display())]
    StillTrusted { folder: PathBuf, by: PathBuf },
    #[error("`{}` is not trusted: it is part of the project in `{}`, which is trusted as a whole", folder.display(), root.display())]
    PartOfProject { folder: PathBuf, root: PathBuf },
    #[error("skills in `{}` are used as before: `discovery.trust_projects` is `always`", .0.display())]
    AlwaysTrusted(PathBuf),
    #[error("cannot use `{}`", path.display())]
    Policy { path: PathBuf, source: PolicyError },
    #[error("`{0}` is both a folder here and a skill")]
    Ambiguous(String),
    #[error("`{word}` is both a folder here and a skill")]
    Either {
        word: String,
        /// The skill's folder; none inside the binary.
        skill: Option<PathBuf>,
    },
    #[error("`{0}` is both a trusted folder here and an approved skill")]
    BothTrusted(String),
    #[error("there is neither a skill nor a folder `{word}`")]
    NoSuchTarget {
        word: String,
        nearest: Option<String>,
    },
    #[error("it was not said what of `{0}` is approved")]
    NoScope(String),
    #[error("approving needs a yes")]
    NoAnswer,
    #[error("`{0}` is not the name of a host")]
    Host(String),
    #[error("scripts of `{skill}` reach no network: {lock}")]
    Offline { skill: String, lock: OfflineLock },
    #[error("`{0}` is not a tool, or a tool with a pattern")]
    Tool(String),
    #[error("`{0}` is part of Skillyard and needs no approval")]
    Builtin(String),
    #[error("`guard check` needs {0}")]
    NoRequest(&'static str),
}

impl TrustFailure {
    /// What the user can do about it.
    pub(super) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Writable { path, .. } => format!(
                "Look at what it says, then run `chmod 600 {0}`",
                path.display()
            ),
            Self::WritableFolder { path, .. } => format!(
                "Look at what its files say, then run `chmod go-w {}`",
                path.display()
            ),
            Self::ForeignFolder { owner, user: 0, .. } => format!(
                "Run it as that user (`sudo -u '#{owner}' skillyard …`), or name a folder of root's own with `SKILLYARD_HOME`"
            ),
            Self::ForeignFolder { path, user, .. } => format!(
                "If it is yours, run `sudo chown -R {user} {0}`; else name a folder of your own with `SKILLYARD_HOME`",
                shell_path(path)
            ),
            Self::Foreign { path, user, .. } => format!(
                "Look at what it says, then run `sudo chown {user} {}`",
                shell_path(path)
            ),
            Self::StillTrusted { by, .. } => {
                format!(
                    "To trust neither, run `skillyard trust revoke {}`",
                    shell_path(by)
                )
            }
            Self::PartOfProject { root, .. } => format!(
                "Look at the project's skills, then run `skillyard trust {}`",
                shell_path(root)
            ),
            Self::AlwaysTrusted(_) => {
                "`skillyard config get discovery.trust_projects --show-origin` says who wants it so"
                    .into()
            }
            Self::BothTrusted(word) => {
                format!("Revoke the folder as `./{word}`; from then on `{word}` is the skill")
            }
            Self::Ambiguous(word) => format!(
                "Write `./{word}` for the folder, or say what of the skill: `skillyard trust {} --scripts`",
                shell_word(word)
            ),
            Self::Either {
                word,
                skill: Some(skill),
            } => format!(
                "Write `./{word}` for the folder, or `{}` for the skill",
                skill.display()
            ),
            Self::Either { word, skill: None } => {
                format!("Write `./{word}` for the folder, or ask about the skill from elsewhere")
            }
            Self::NoSuchTarget {
                nearest: Some(name),
                ..
            } => format!("Did you mean `{name}`?"),
            Self::NoSuchTarget { nearest: None, .. } => {
                "List the skills that are here with `skillyard list --all`".into()
            }
            Self::NoScope(_) => "Add `--scripts`, `--network HOST` or `--tools TOOL`".into(),
            Self::NoAnswer => "Add `--yes` if you have looked at it".into(),
            Self::Host(_) => "Write hosts as `example.com` or `example.com:8443`".into(),
            Self::Tool(_) => "Write tools as `Read`, `Bash(git:*)` or `Write(docs/**)`".into(),
            Self::NoRequest(_) => "Pass `--tool TOOL --input TEXT`, or `--jsonl`".into(),
            Self::NotUtf8(_) => "Give the folder a name in UTF-8 with `mv`, then trust it".into(),
            Self::Approvals { .. } => {
                "Mend it, or move it away and approve again what you still want".into()
            }
            Self::Policy { .. } | Self::Builtin(_) | Self::Offline { .. } => return None,
        })
    }

    /// 1 when the answer is no, 2 when there is no answer.
    pub(super) fn code(&self) -> u8 {
        match self {
            Self::Builtin(_)
            | Self::NoAnswer
            | Self::StillTrusted { .. }
            | Self::PartOfProject { .. }
            | Self::AlwaysTrusted(_)
            | Self::Offline { .. } => 1,
            _ => 2,
        }
    }
}

/// Why no approval lets scripts reach a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OfflineLock {
    pub(crate) key: String,
    pub(crate) by: PathBuf,
}

impl fmt::Display for OfflineLock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (key, by) = (&self.key, self.by.display());
        write!(
            formatter,
            "`{key}` is `sandboxed-offline`, and locked by `{by}`"
        )
    }
}
