//! The one place where failures become a message, a hint and an exit code.

pub(crate) mod agent;
pub(crate) mod audit;
mod config;
pub(crate) mod install;
pub(crate) mod mcp;
pub(crate) mod registry;
mod run;
pub(crate) mod serve;
pub(crate) mod signing;
pub(crate) mod trust;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};
use skillyard_format::nearest::nearest;

use crate::cli::Global;
use crate::config::problem::ConfigError;
use crate::context::Context;
use crate::environment::Environment;
use crate::printer::Printer;
use crate::redactor::Redactor;
use crate::sanitize::{is_deceptive, shortened, visible};

pub(crate) use run::RunError;

/// How a command ended when nothing failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// Done, or the answer is yes.
    Yes,
    /// The answer is no.
    No,
    /// The code of a program that was run.
    Code(u8),
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        match status {
            Status::Yes => Self::SUCCESS,
            Status::No => Self::from(1),
            Status::Code(code) => Self::from(code),
        }
    }
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    #[error("`{}` does not exist", .0.display())]
    NoSuchPath(PathBuf),
    #[error("no SKILL.md was found in `{}`", .0.display())]
    NoSkills(PathBuf),
    #[error("`{}` is not a skill: it has no SKILL.md", .0.display())]
    NotASkill(PathBuf),
    #[error("`{}` is not a SKILL.md", .0.display())]
    NotASkillFile(PathBuf),
    #[error("cannot read `{}`", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot read `{}`", path.display())]
    Refused { path: PathBuf, reason: String },
    #[error("cannot write `{}`", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("`{}` exists already", .0.display())]
    Exists(PathBuf),
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
    #[error("the editor `{editor}` failed")]
    Editor { editor: String, file: PathBuf },
    #[error("`{}` is not valid, and nothing was created", path.display())]
    Invalid {
        path: PathBuf,
        findings: Vec<String>,
    },
    /// The user ended a question with Ctrl-C or Escape.
    #[error("stopped, and nothing was changed")]
    Stopped,
    #[error("there is no skill `{name}`")]
    NoSuchSkill {
        name: String,
        nearest: Option<String>,
    },
    #[error("cannot use `{}`", path.display())]
    Config { path: PathBuf, message: String },
    #[error(transparent)]
    Audit(#[from] skillyard_audit::AuditError),
    #[error(transparent)]
    AuditUsage(#[from] audit::AuditUsage),
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
    #[error("the skill has no file `{0}`")]
    NoSuchFile(String),
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
    Serve(#[from] serve::ServeFailure),
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
            io::ErrorKind::Interrupted => Self::Stopped,
            _ => Self::Output(error),
        }
    }

    /// What the user can do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoSuchPath(path) => return near_path(path),
            Self::NoSkills(_) => {
                "A skill is a folder with a `SKILL.md`; make one with `skillyard new NAME`".into()
            }
            Self::NotASkill(path) => format!(
                "Name the folder that holds the `SKILL.md`, or look below it with `skillyard validate {}`",
                path.display()
            ),
            Self::NotASkillFile(_) => "Name a `SKILL.md`, or the folder that holds it".into(),
            Self::NotLoadable { path, .. } => {
                format!(
                    "See all that is wrong with `skillyard validate {}`",
                    path.display()
                )
            }
            Self::Exists(path) => format!("Edit `{}`, or choose another name", path.display()),
            Self::Name {
                proposal: Some(name),
                ..
            } => format!("Call it `{name}`"),
            Self::NoSuchRule {
                nearest: Some(code),
                ..
            } => format!("Did you mean `{code}`?"),
            Self::NoSuchRule { nearest: None, .. } => {
                "List all rules with `skillyard explain`; ask about a skill with `skillyard explain skill NAME`".into()
            }
            Self::NoSkillName => "List the names with `skillyard list`".into(),
            Self::NoSuchFile(_) => "List its files with `skillyard show NAME --files`".into(),
            Self::NoDescription => {
                "Pass `--description \"What it does. Use when …\"`, or `-f FILE`".into()
            }
            Self::Description { help, .. } => return help.clone(),
            Self::Invalid { path, .. } => {
                format!("Correct `{}`, then run the command again", path.display())
            }
            Self::Editor { file, .. } => {
                format!(
                    "The skill was made; its instructions are in `{}`",
                    file.display()
                )
            }
            Self::NoEditor => "Set `EDITOR`, or leave out `--edit`".into(),
            Self::NoSuchSkill {
                nearest: Some(name),
                ..
            } => format!("Did you mean `{name}`?"),
            Self::NoSuchSkill { name, .. } if Path::new(name).join("SKILL.md").is_file() => {
                format!("That is a folder here; to use the skill in it, run `skillyard install ./{name}`")
            }
            Self::NoSuchSkill { nearest: None, .. } => {
                "List the skills that are here with `skillyard list --all`".into()
            }
            Self::AuditUsage(problem) => problem.hint(),
            Self::Configuration(problems) => return config::hint_of_all(problems),
            Self::Setting(problem) => return config::hint(problem),
            Self::Signing(error) => return error.hint(),
            Self::Trust(failure) => return failure.hint(),
            Self::NoFolder => "See what is trusted with `skillyard trust list`".into(),
            Self::Install(failure) => return failure.hint(),
            Self::Registry(failure) => return failure.hint(),
            Self::Run(error) => return error.hint(),
            Self::Serve(failure) => return failure.hint(),
            Self::Mcp(failure) => return failure.hint(),
            Self::Agent(failure) => return failure.hint(),
            Self::Turn(error) => return agent::hint(error),
            Self::Tasks { .. } => "See the form of the file with `skillyard eval --help`".into(),
            _ => return None,
        })
    }

    /// 1 when the answer is no, 2 when there is no answer.
    fn code(&self) -> u8 {
        match self {
            Self::NotLoadable { .. }
            | Self::Reference(_)
            | Self::NoSuchSkill { .. }
            | Self::Resource(_)
            | Self::NoSuchFile(_)
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

    /// The message with its causes, on one line.
    pub(crate) fn with_causes(&self) -> String {
        let mut parts = vec![self.to_string()];
        parts.extend(self.causes());
        parts.dedup();
        parts.join(": ")
    }

    fn causes(&self) -> Vec<String> {
        let mut causes = Vec::new();
        match self {
            Self::NotLoadable { reason, .. } | Self::Refused { reason, .. } => {
                causes.push(reason.clone());
            }
            Self::Config { message, .. } | Self::Tasks { message, .. } => {
                causes.push(message.clone());
            }
            Self::Configuration(problems) => causes.extend(config::causes(problems)),
            Self::Setting(problem) => causes.extend(config::causes_of(problem)),
            Self::Invalid { findings, .. } => causes.clone_from(findings),
            Self::Install(failure) => causes = failure.causes(),
            Self::Turn(error) => causes = agent::causes(error),
            _ => {}
        }
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            let text = cause.to_string();
            source = cause.source();
            // What lies below says the same with the reason.
            if source.is_none() || !LAYERS.contains(&text.as_str()) {
                causes.push(text);
            }
        }
        causes
    }
}

/// How the layers of a connection speak of an error of the layer below.
const LAYERS: &[&str] = &[
    "error sending request",
    "client error (Connect)",
    "dns error",
    "error resolving DNS",
    "tcp connect error",
];

/// The hint for a path that is not there: one beside it whose name is near.
fn near_path(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let near = nearest(name, names.iter().map(String::as_str))?;
    Some(format!(
        "Did you mean `{}`?",
        path.with_file_name(near).display()
    ))
}

/// Tells the user why the command failed.
pub(crate) fn report(context: &Context, error: &CommandError) -> ExitCode {
    told(&context.printer, error)
}

fn told(printer: &Printer, error: &CommandError) -> ExitCode {
    if let CommandError::Output(source) = error
        && source.kind() == io::ErrorKind::BrokenPipe
    {
        return ExitCode::SUCCESS;
    }
    let for_people = |text: &str| for_people(&printer.redacted(text));
    let message = for_people(&error.to_string());
    let causes: Vec<String> = error.causes().iter().map(|each| for_people(each)).collect();
    let hint = error.hint().map(|hint| for_people(&hint));
    if printer.is_json() {
        // If stdout is gone too there is nobody left to tell.
        let _ = printer.json(&as_json(&message, &causes, hint.as_deref()));
    }
    printer.error(&message, &causes, hint.as_deref());
    ExitCode::from(error.code())
}

/// Words that may quote a stranger, harmless and not without end; whole paths find room.
fn for_people(text: &str) -> String {
    shortened(&visible(text), 5_000).into_owned()
}

/// An error as programs get it.
fn as_json(message: &str, causes: &[String], hint: Option<&str>) -> Value {
    json!({ "error": { "message": message, "causes": causes, "hint": hint } })
}

/// Shows help, the version, or what is wrong with the arguments.
///
/// The arguments were not understood, so what they say about the output is looked up in them.
pub(crate) fn usage(
    error: &clap::Error,
    arguments: &[OsString],
    environment: &Environment,
    redactor: Redactor,
) -> ExitCode {
    let printer = Printer::new(&Global::guessed(arguments), environment, redactor);
    let is_harmless = |each: &OsString| !each.to_string_lossy().contains(is_deceptive);
    let text = if arguments.iter().all(is_harmless) {
        error.render().ansi().to_string()
    } else {
        // The colours of clap cannot be told from what was quoted.
        visible(&error.render().to_string()).into_owned()
    };
    if !error.use_stderr() {
        return match printer.data(&text) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => told(&printer, &error.into()),
        };
    }
    if printer.is_json() {
        // If stdout is gone too there is nobody left to tell.
        let _ = printer.json(&usage_json(error));
    }
    printer.people(text.trim_end());
    ExitCode::from(2)
}

/// What clap writes over several lines, taken apart: the error, and what it proposes.
fn usage_json(error: &clap::Error) -> Value {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let message = text.split("\n\n").next().unwrap_or_default();
    let message: Vec<&str> = message.lines().map(str::trim).collect();
    let mut lines = text.lines().map(str::trim_start);
    let tip = lines.find_map(|line| line.strip_prefix("tip: "));
    as_json(&message.join(" "), &[], tip)
}
