//! The one place where failures become a message, a hint and an exit code.
//!
//! Here is what can fail, `hint` says what can be done about it, `report` tells people and
//! programs, `usage` does so for arguments that make no sense; each area has a file of its own.

pub(crate) mod agent;
mod certificate_hint;
mod config;
pub(crate) mod config_error;
pub(crate) mod config_origin;
mod hint;
pub(crate) mod install;
pub(crate) mod mcp;
pub(crate) mod registry;
mod run;
pub(crate) mod signing;
mod system;
pub(crate) mod trust;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use skillyard_catalog::path_probe;
use skillyard_install::tree::Unasked;
use skillyard_server::{AccessError, HostError, McpError, ServeError};

use crate::error::config_error::ConfigError;
use crate::error::install::opening_hint;

pub(crate) use run::RunError;

/// How a command ended when nothing failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Done, or the answer is yes.
    Success,
    /// The answer is no.
    Negative,
    /// The code of a program that was run.
    Code(u8),
}

impl ExitStatus {
    /// The answer to a question.
    pub(crate) fn from_answer(is_so: bool) -> Self {
        if is_so { Self::Success } else { Self::Negative }
    }

    /// The number that the process ends with.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Negative => 1,
            Self::Code(code) => code,
        }
    }
}

/// What the user can do where git could not be asked.
pub(crate) const GIT_NEEDED: &str =
    "Run it where `git` works and all of the repository is at hand, or take such files away first";

/// What the user can do about a skill whose files cannot be hashed.
pub(crate) const UNHASHABLE_REMEDY: &str = "Take out of its folder what is no part of the skill, such as \
                                 `node_modules` or `.venv`, and make all files in it readable";

/// The result of a command.
pub(crate) type Outcome = Result<ExitStatus, CommandError>;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("`{}` does not exist", .0.display())]
    NoSuchPath(PathBuf),
    #[error("the current folder is not there any more")]
    Nowhere,
    #[error("no SKILL.md was found in `{}`", .0.display())]
    NoSkills(PathBuf),
    #[error("`{}` is not a skill: it has no SKILL.md", .0.display())]
    NotASkill(PathBuf),
    #[error("`{}` is not a SKILL.md", .0.display())]
    NotASkillFile(PathBuf),
    #[error("`{}` is a `SKILL.md` only on systems that do not tell the two names apart", .0.display())]
    Misspelled(PathBuf),
    #[error("cannot read `{}`", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot read `{}`", path.display())]
    Refused { path: PathBuf, reason: String },
    #[error("cannot read `{}`, a link to `{}`, where nothing is", link.display(), to.display())]
    Dangling { link: PathBuf, to: PathBuf },
    #[error("cannot write `{}`", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("`{}` exists already", .0.display())]
    Exists(PathBuf),
    #[error("`{}` exists already", .0.display())]
    InTheWay(PathBuf),
    #[error("`{key}` is locked by `{}`, and {said} is something else", by.display())]
    Locked {
        key: &'static str,
        by: PathBuf,
        said: String,
        locked: Option<String>,
    },
    #[error("`{name}` is not a valid skill name: {problem}")]
    Name {
        name: String,
        problem: skillyard_format::name::NameProblem,
        proposal: Option<String>,
    },
    #[error("skill `{}` cannot be loaded", path.display())]
    NotLoadable { path: PathBuf, reason: String },
    #[error("there is no rule `{code}`")]
    NoSuchRule {
        code: String,
        nearest: Option<&'static str>,
    },
    #[error("`explain skill` needs the name of a skill")]
    NoSkillName,
    #[error("a description is needed")]
    NoDescription,
    #[error("{message}")]
    Description {
        message: String,
        help: Option<String>,
    },
    #[error("no editor is set")]
    NoEditor,
    #[error("{failure}")]
    Editor {
        failure: EditorFailure,
        file: PathBuf,
    },
    #[error("`{}` is not valid, and nothing was created", path.display())]
    Invalid {
        path: PathBuf,
        findings: Vec<String>,
    },
    #[error("`{0}` is a device on Windows, where no skill can have that name")]
    DeviceName(String),
    /// The user answered a question with no.
    #[error("you said no, and nothing was changed")]
    Declined,
    /// The user ended a question with Ctrl-C or Escape.
    #[error("stopped, and nothing was changed")]
    Stopped,
    #[error("there is no skill `{name}`")]
    NoSuchSkill {
        name: String,
        nearest: Option<String>,
    },
    #[error("skill `{name}` is locked, and not here")]
    NotHere {
        name: String,
        /// What to type behind a command so that it means where it is locked.
        scope: &'static str,
    },
    #[error("skill `{name}` was not exported: it may not be used")]
    NotExported {
        name: String,
        reason: String,
        remedy: Option<String>,
    },
    #[error("cannot tell which files git ignores in `{}`", folder.display())]
    Unasked {
        folder: PathBuf,
        source: Arc<Unasked>,
    },
    #[error("cannot use `{}`", path.display())]
    Config { path: PathBuf, message: String },
    #[error("cannot use `{}`, which keeps what registries said before", path.display())]
    Memory { path: PathBuf, message: String },
    #[error(transparent)]
    Audit(#[from] skillyard_audit::AuditError),
    #[error(transparent)]
    AuditUsage(#[from] AuditUsage),
    #[error("the configuration cannot be used")]
    Configuration(Vec<ConfigError>),
    #[error(transparent)]
    Setting(ConfigError),
    #[error("cannot use the tasks in `{}`", path.display())]
    Tasks { path: PathBuf, message: String },
    #[error(transparent)]
    Pattern(skillyard_catalog::selection::PatternError),
    #[error(transparent)]
    Resource(skillyard_catalog::resource::ResourceError),
    #[error("the skill has no file `{path}`")]
    NoSuchFile {
        skill: String,
        path: String,
        /// The file that may be meant.
        nearest: Option<String>,
    },
    #[error("completions are not made for the shell `{0}`")]
    NoSuchShell(String),
    #[error(transparent)]
    Watch(skillyard_catalog::watch::WatchError),
    #[error("`revoke` needs a skill or a folder")]
    NoFolder,
    #[error("`{}` is not a folder", .0.display())]
    NotAFolder(PathBuf),
    #[error("`{0}` was not expected")]
    UnexpectedArgument(String),
    #[error(transparent)]
    Signing(#[from] signing::SigningError),
    #[error(transparent)]
    Trust(#[from] trust::TrustFailure),
    /// The exact words of the reference implementation.
    #[error("{0}")]
    Reference(String),
    #[error(transparent)]
    Install(#[from] install::InstallFailure),
    #[error(transparent)]
    Registry(#[from] registry::RegistryFailure),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Serve(#[from] ServeFailure),
    #[error(transparent)]
    Mcp(#[from] mcp::McpFailure),
    #[error(transparent)]
    Agent(#[from] agent::AgentFailure),
    #[error(transparent)]
    Turn(#[from] skillyard_agent::TurnError),
    #[error("cannot write to the output")]
    Output(#[from] io::Error),
}

impl CommandError {
    /// Why a question has no answer: the user stopped, or the terminal is gone.
    pub(crate) fn unanswered(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::Interrupted | io::ErrorKind::UnexpectedEof => Self::Stopped,
            _ => Self::Output(error),
        }
    }

    /// 1 when the answer is no, 2 when there is no answer.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::NotLoadable { .. }
            | Self::Reference(_)
            | Self::NoSuchSkill { .. }
            | Self::NotHere { .. }
            | Self::Resource(_)
            | Self::NoSuchFile { .. }
            | Self::Declined
            | Self::NotExported { .. }
            | Self::Invalid { .. } => 1,
            Self::Install(failure) => failure.code(),
            Self::Setting(problem) => config::code(problem),
            Self::Signing(error) => error.code(),
            Self::Trust(failure) => failure.code(),
            Self::Registry(failure) => failure.code(),
            Self::Run(error) => error.code(),
            Self::Mcp(failure) => failure.code(),
            Self::Agent(failure) => failure.code(),
            Self::Turn(error) => agent::code(error),
            Self::Stopped => 130,
            _ => 2,
        }
    }

    /// Whether the machine failed, and not what was asked for.
    pub(crate) fn is_trouble(&self) -> bool {
        system::is_trouble(self)
    }

    /// The message with its causes, on one line.
    pub(crate) fn with_causes(&self) -> String {
        let mut parts = vec![self.to_string()];
        parts.extend(self.causes());
        parts.dedup();
        parts.join(": ")
    }

    pub(crate) fn causes(&self) -> Vec<String> {
        let mut causes = Vec::new();
        match self {
            Self::NotLoadable { reason, .. }
            | Self::Refused { reason, .. }
            | Self::NotExported { reason, .. } => {
                causes.push(reason.clone());
            }
            Self::Config { message, .. }
            | Self::Memory { message, .. }
            | Self::Tasks { message, .. } => {
                causes.push(message.clone());
            }
            Self::Configuration(problems) => causes.extend(config::causes(problems)),
            Self::Setting(problem) => causes.extend(config::causes_of(problem)),
            Self::Invalid { findings, .. } => causes.clone_from(findings),
            Self::Install(failure) => causes = failure.causes(),
            Self::Agent(failure) => causes = failure.causes(),
            Self::Turn(error) => causes = agent::causes(error),
            _ => {}
        }
        add_causes(self, &mut causes);
        causes
    }
}

/// What an error that is not one of ours says, with all that led to it.
pub(crate) fn with_causes_of(error: &(dyn std::error::Error + 'static)) -> String {
    let mut parts = vec![error.to_string()];
    add_causes(error, &mut parts);
    parts.dedup();
    parts.join(": ")
}

/// Adds what led to an error.
fn add_causes(error: &(dyn std::error::Error + 'static), causes: &mut Vec<String>) {
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        source = cause.source();
        // What lies below says the same with the reason.
        let is_layer = source.is_some() && LAYERS.contains(&text.as_str());
        // What lies above may have quoted it whole.
        let is_said = causes.last().is_some_and(|above| above.ends_with(&text));
        if !is_layer && !is_said {
            causes.push(text);
        }
        // One of ours knows more than its sources do.
        if let Some(inner) = wrapped(cause) {
            causes.extend(inner.causes());
            break;
        }
    }
}

/// The failure of a command that another one is the reason for.
fn wrapped<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<&'a CommandError> {
    let boxed = cause.downcast_ref::<Box<CommandError>>().map(Box::as_ref);
    boxed.or_else(|| cause.downcast_ref::<Arc<CommandError>>().map(Arc::as_ref))
}

/// How the layers of a connection speak of an error of the layer below.
const LAYERS: &[&str] = &[
    "error sending request",
    "client error (Connect)",
    "dns error",
    "error resolving DNS",
    "tcp connect error",
];

/// What became of an editor, and nothing of what was written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the editor `{program}` {what}")]
pub(crate) struct EditorFailure {
    pub(crate) program: String,
    pub(crate) what: String,
}

/// What opens a folder or file that the user may not read, or the folder on the way to it.
pub(crate) fn remedy(path: &Path) -> Option<String> {
    let found = path_probe::inaccessible(path).or_else(|| file(path));
    found.map(|closed| opening_hint(&closed))
}

/// A plain file, if it may not be read.
fn file(path: &Path) -> Option<PathBuf> {
    // Whoever opens a pipe waits for somebody to write into it.
    let is_file = path.metadata().is_ok_and(|found| found.is_file());
    let is_refused = |error: io::Error| error.kind() == io::ErrorKind::PermissionDenied;
    (is_file && File::open(path).is_err_and(is_refused)).then(|| path.to_owned())
}

/// Something that was asked of the log and makes no sense.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AuditUsage {
    #[error("there is no event `{event}`")]
    Event {
        event: String,
        nearest: Option<&'static str>,
    },
    #[error("there is no outcome `{0}`")]
    Outcome(String),
    #[error("`{0}` is no time")]
    Time(String),
    #[error("`{0}` is not a number and a hash")]
    Expected(String),
    #[error("no file of a log is in `{}`", .0.display())]
    NoCopies(PathBuf),
}

impl AuditUsage {
    /// What the user can do about it.
    fn hint(&self) -> String {
        match self {
            Self::Event {
                nearest: Some(event),
                ..
            } => format!("Did you mean `{event}`?"),
            Self::Event { nearest: None, .. } => {
                "A group such as `skill`, `approval`, `scan`, `signature` or `config` is fine too"
                    .into()
            }
            Self::Outcome(_) => "It can be `ok`, `denied` or `failed`".into(),
            Self::Time(_) => "Write `2h`, `7d`, `2026-11-15` or `2026-11-15T12:00:00Z`".into(),
            Self::Expected(_) => "`skillyard audit verify` prints both, as SEQ:HASH".into(),
            Self::NoCopies(_) => {
                "They are called `audit.jsonl` and `audit.000001.jsonl`; name any other file, such as an export, itself"
                    .into()
            }
        }
    }
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ServeFailure {
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error(transparent)]
    Mcp(McpError),
    #[error("the skills cannot be read")]
    Host(#[source] HostError),
    #[error("cannot use the tokens in `{}`", path.display())]
    Tokens { path: PathBuf, source: AccessError },
    #[error("others can read or write the tokens in `{}` (mode {mode:o})", path.display())]
    Readable { path: PathBuf, mode: u32 },
}

impl ServeFailure {
    /// What the user can do about it.
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Serve(ServeError::Public(_)) => {
                "Write tokens into a file, one `ROLE TOKEN` a line, and add `--token-file FILE`"
                    .into()
            }
            Self::Serve(ServeError::Bind { .. }) => {
                "Choose another port with `--port`, or any free one with `--port 0`".into()
            }
            Self::Tokens { .. } => {
                "Write a role (`read`, `chat`, `run` or `admin`) and a token a line; \
                 `openssl rand -hex 32` makes one"
                    .into()
            }
            Self::Readable { path, .. } => format!("Run `chmod 600 {}`", path.display()),
            Self::Mcp(_) => {
                "Agents start this command themselves; see how with `skillyard mcp --setup CLIENT`"
                    .into()
            }
            Self::Serve(ServeError::Listener(_)) | Self::Host(_) => return None,
        })
    }
}
