//! Agents, sessions and models: what goes wrong, and what can be done about it.

use std::io;
use std::path::{Path, PathBuf};

use skillyard_agent::TurnError;
use skillyard_agent::agent::AgentError;
use skillyard_agent::provider::ProviderError;
use skillyard_agent::session::SessionError;
use skillyard_agent::shelf::ShelfError;
use skillyard_catalog::selection::PatternError;

use super::CommandError;
use super::certificate_hint::certificate_hint;
use crate::text::shell::{shell_path, shell_word};

/// What is wrong with how an agent was asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AgentFailure {
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// What an agent is to be given cannot be installed.
    #[error("{failure}")]
    NotFetched {
        reference: String,
        failure: Box<CommandError>,
    },
    #[error("the prompt is empty")]
    NoPrompt,
    #[error("the prompt has more than 1 MiB")]
    LongPrompt,
    #[error("nobody can be asked which session to go on with")]
    NoSession,
    #[error("there are no sessions yet")]
    NoSessions,
    #[error("there is no database that sessions could be copied into")]
    NotShared,
    #[error("nothing is known of the model `{name}`")]
    NoModel {
        name: String,
        nearest: Option<String>,
    },
    #[error("there is no key for the models of `{server}`")]
    NoKey {
        server: String,
        variable: &'static str,
    },
    #[error("agent `{agent}` has no skill `{skill}`")]
    NotItsSkill {
        agent: String,
        skill: String,
        nearest: Option<String>,
    },
    #[error("`{}` is not what `agent export` prints", file.display())]
    NotExported {
        file: PathBuf,
        source: serde_json::Error,
    },
    #[error("what `{}` says does not fit its hash: it was changed since it was exported", .0.display())]
    OtherHash(PathBuf),
    #[error(transparent)]
    Given(PatternError),
    #[error("`{value}` is no {what}")]
    Word {
        value: String,
        what: &'static str,
        known: &'static str,
    },
}

impl From<AgentError> for super::CommandError {
    fn from(error: AgentError) -> Self {
        AgentFailure::from(error).into()
    }
}

impl AgentFailure {
    /// What lies behind it, where the error itself does not say it.
    pub(super) fn causes(&self) -> Vec<String> {
        match self {
            Self::NotFetched { failure, .. } => failure.causes(),
            _ => Vec::new(),
        }
    }

    /// 1 when the answer is no, 2 when there is none.
    pub(super) fn code(&self) -> u8 {
        match self {
            Self::Agent(AgentError::Unknown { .. } | AgentError::NoVersion { .. })
            | Self::NotItsSkill { .. } => 1,
            Self::NotFetched { failure, .. } => failure.code(),
            _ => 2,
        }
    }

    /// What the user can do about it.
    pub(super) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotShared => "Say which with `skillyard config set sessions.database postgres://…`".into(),
            Self::Agent(AgentError::Unknown { nearest: Some(name), .. }) => {
                format!("Did you mean `{name}`?")
            }
            Self::Agent(AgentError::Unknown { .. }) => {
                "List the agents with `skillyard agent list`, or make one with `skillyard agent create NAME`".into()
            }
            Self::Agent(AgentError::Exists(name)) => {
                format!("Change it with `skillyard agent edit {name}`, or choose another name")
            }
            Self::Agent(AgentError::NoVersion { name, .. }) => {
                format!("List its versions with `skillyard agent versions {name}`")
            }
            Self::Agent(AgentError::Changed { name, .. }) => {
                format!("Let an older version hold again with `skillyard agent rollback {name} VERSION`")
            }
            Self::Agent(_) | Self::NotExported { .. } | Self::LongPrompt | Self::Given(_) => {
                return None;
            }
            Self::OtherHash(_) => {
                "Export it again; if it was changed on purpose, take the `hash` out of it".into()
            }
            Self::NotFetched { reference, failure } => {
                let hint = failure.hint()?;
                // Whoever gives an agent a skill cannot say more than yes.
                if !hint.contains("`--") || hint.contains("`--yes`") {
                    return Some(hint);
                }
                format!(
                    "{hint}; say that to `skillyard install {}`, and give the agent the skill by its name then",
                    shell_word(reference)
                )
            }
            Self::NoPrompt => "Say something with `-p`, or leave it out to talk".into(),
            Self::NoSession => {
                "Name it: `--resume last`, or one of `skillyard chat --sessions`".into()
            }
            Self::NoSessions => "Begin one with `skillyard chat`".into(),
            Self::NoModel { name, .. } if name.starts_with("claude") => {
                format!("Did you mean `anthropic/{name}`?")
            }
            Self::NoModel {
                nearest: Some(nearest),
                ..
            } => format!("Did you mean `{nearest}`?"),
            Self::NoModel { name, .. } if name.starts_with("gpt") => {
                format!("Did you mean `openai/{name}`?")
            }
            Self::NoKey { server, variable } => format!(
                "Set `{variable}`, or keep the key with `skillyard config set models.{server}.key -`; `offline` needs none"
            ),
            Self::NotItsSkill { nearest: Some(name), .. } => format!("Did you mean `{name}`?"),
            Self::NotItsSkill { agent, .. } => {
                format!("List its skills with `skillyard agent skill list {agent}`")
            }
            Self::NoModel { .. } => {
                "Name it as `SERVER/NAME`, and say where the server is with `skillyard config set models.SERVER.url URL`".into()
            }
            Self::Word { known, .. } => format!("Use one of {known}"),
        })
    }
}

/// What the user can do about a file of sessions, by the number that SQLite gives: only one that
/// is damaged is of no use any more.
fn of_file(path: &Path, code: u32) -> Option<String> {
    // The upper bits only say more precisely where it happened.
    match code & 0xff {
        1 | 11 | 26 => {
            let path = path.display();
            Some(format!(
                "If it is damaged, put `{path}` aside, with `{path}-wal` and `{path}-shm` where they are there: the newest sessions may be in them alone. Sessions begin anew without it"
            ))
        }
        13 => Some(super::system::DISK_FULL_HINT.into()),
        _ => None,
    }
}

/// Whether the system lets nothing be written there.
fn is_refused(error: &io::Error) -> bool {
    let kinds = [
        io::ErrorKind::PermissionDenied,
        io::ErrorKind::ReadOnlyFilesystem,
    ];
    kinds.contains(&error.kind())
}

/// What the user can do about a turn that failed.
pub(crate) fn hint(error: &TurnError) -> Option<String> {
    Some(match error {
        TurnError::Skill(ShelfError::Unknown { .. }) => {
            "List the skills with `skillyard list`".into()
        }
        TurnError::Skill(ShelfError::Withheld { why, .. }) => return why.remedy.clone(),
        TurnError::Skill(ShelfError::Altered { remedy, .. }) => remedy.clone(),
        TurnError::Session(SessionError::Unknown(_) | SessionError::Ambiguous { .. }) => {
            "List the sessions with `skillyard chat --sessions`".into()
        }
        TurnError::Session(SessionError::InUse(id)) => format!(
            "Nothing was written. Try again when it is done there, or go on in a copy with `skillyard chat --resume {id} --fork`"
        ),
        TurnError::Session(SessionError::Store { path, source }) => {
            let code = source.as_database_error()?.code()?;
            return of_file(path, code.parse().ok()?);
        }
        TurnError::Session(SessionError::Make { path, source }) if is_refused(source) => {
            let around = path.ancestors().skip(1).find(|each| each.exists());
            let folder = shell_path(around.unwrap_or(path));
            format!(
                "You may not write into `{folder}`; look at whose it is with `ls -ld {folder}`, or name another folder with `SKILLYARD_HOME`"
            )
        }
        TurnError::Session(error @ (SessionError::Server { .. } | SessionError::Address)) => {
            let running = || "Is the database running, and its address in `sessions.database` right? Without that key, sessions are in a file of this machine".into();
            certificate_hint(error).unwrap_or_else(running)
        }
        TurnError::Provider(ProviderError::Status {
            status: 401 | 403, ..
        }) => "Set the right key with `skillyard config set models.SERVER.key -`, and the right model".into(),
        TurnError::Provider(
            ProviderError::Status {
                status: 300..=399 | 404,
                ..
            }
            | ProviderError::Malformed { .. },
        ) => {
            "Is the model's name right, and the address in `models.SERVER.url`?".into()
        }
        TurnError::Provider(ProviderError::Overfull { .. }) => {
            "What was said last does not fit, also with everything before it left out: say less at once, or go on with a model that takes more (`--resume last --model SERVER/NAME`). Where the server's word is not true, `skillyard config set models.SERVER.context TOKENS` says how much it takes".into()
        }
        TurnError::Provider(ProviderError::Silent { .. }) => {
            "Where it needs longer to think, `skillyard config set models.SERVER.silence SECONDS` says how long to wait; go on with `skillyard chat --resume last`".into()
        }
        TurnError::Provider(ProviderError::Connect { .. }) => {
            "Is the server running, and its address right? See `skillyard config list`; go on with `skillyard chat --resume last`".into()
        }
        TurnError::Provider(_) => {
            "Nothing is lost: go on with `skillyard chat --resume last`".into()
        }
        _ => return None,
    })
}

/// What lies behind a turn that failed, where the error itself does not say it.
pub(crate) fn causes(error: &TurnError) -> Vec<String> {
    match error {
        TurnError::Skill(ShelfError::Withheld { why, .. }) => why.detail.iter().cloned().collect(),
        _ => Vec::new(),
    }
}

/// 1 when the answer is no, 2 when there is none.
pub(super) fn code(error: &TurnError) -> u8 {
    match error {
        TurnError::Skill(_)
        | TurnError::Session(SessionError::Unknown(_) | SessionError::Ambiguous { .. }) => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_named_that_nothing_may_be_written_into() {
        let folder = std::env::temp_dir();
        let error = TurnError::Session(SessionError::Make {
            path: folder.join("no-such-folder/sessions.db"),
            source: io::ErrorKind::PermissionDenied.into(),
        });
        let named = format!("`ls -ld {}`", shell_path(&folder));
        let hint = hint(&error).unwrap_or_default();
        assert!(hint.contains(&named), "{hint}");
    }

    #[test]
    fn only_a_damaged_file_is_put_aside() {
        let hint = |code| of_file(Path::new("s.db"), code).unwrap_or_default();
        for damaged in [11, 26, 267] {
            assert!(hint(damaged).contains("put `s.db` aside"), "{damaged}");
        }
        assert!(hint(13).starts_with("Make room"));
        // Busy, read-only: the sessions are as good as ever.
        assert_eq!([hint(5), hint(8)], ["", ""]);
    }
}
