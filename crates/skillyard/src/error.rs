//! The one place where failures become a message, a hint and an exit code.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use crate::context::Context;
use crate::environment::Environment;
use crate::sanitize::visible;

/// How a command ended when nothing failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    /// Done, or the answer is yes.
    Yes,
    /// The answer is no.
    No,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        match status {
            Status::Yes => Self::SUCCESS,
            Status::No => Self::from(1),
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
    #[error("a description is needed")]
    NoDescription,
    #[error("no editor is set")]
    NoEditor,
    #[error("the editor `{0}` failed")]
    Editor(String),
    #[error("the file is invalid, and nothing was created")]
    Invalid,
    #[error("there is no skill `{name}`")]
    NoSuchSkill {
        name: String,
        nearest: Option<String>,
    },
    #[error("cannot use `{}`", path.display())]
    Config { path: PathBuf, message: String },
    #[error("cannot use the tasks in `{}`", path.display())]
    Tasks { path: PathBuf, message: String },
    #[error(transparent)]
    Pattern(skillyard_catalog::selection::PatternError),
    #[error(transparent)]
    Resource(skillyard_catalog::resource::ResourceError),
    #[error("the skill has no file `{0}`")]
    NoSuchFile(String),
    #[error("`revoke` needs a folder")]
    NoFolder,
    #[error("`{}` is not a folder", .0.display())]
    NotAFolder(PathBuf),
    #[error("`{0}` was not expected")]
    UnexpectedArgument(String),
    /// The exact words of the reference implementation.
    #[error("{0}")]
    Reference(String),
    #[error("cannot write to the output")]
    Output(#[from] io::Error),
}

impl CommandError {
    /// What the user can do about it.
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoSkills(_) => {
                "A skill is a folder with a `SKILL.md`; make one with `skillyard new NAME`".into()
            }
            Self::NotASkill(path) => format!(
                "Name the folder that holds the `SKILL.md`, or look below it with `skillyard validate {}`",
                path.display()
            ),
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
                "List all rules with `skillyard explain`".into()
            }
            Self::NoDescription => {
                "Pass `--description \"What it does. Use when …\"`, or `-f FILE`".into()
            }
            Self::NoEditor => "Set `EDITOR`, or leave out `--edit`".into(),
            Self::NoSuchSkill {
                nearest: Some(name),
                ..
            } => format!("Did you mean `{name}`?"),
            Self::NoSuchSkill { nearest: None, .. } => {
                "List the skills that are here with `skillyard list --all`".into()
            }
            Self::NoFolder => "See what is trusted with `skillyard trust list`".into(),
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
            | Self::Invalid => 1,
            _ => 2,
        }
    }

    fn causes(&self) -> Vec<String> {
        let mut causes = Vec::new();
        match self {
            Self::NotLoadable { reason, .. } | Self::Refused { reason, .. } => {
                causes.push(reason.clone())
            }
            Self::Config { message, .. } | Self::Tasks { message, .. } => {
                causes.push(message.clone())
            }
            _ => {}
        }
        let mut source = std::error::Error::source(self);
        while let Some(cause) = source {
            causes.push(cause.to_string());
            source = cause.source();
        }
        causes
    }
}

/// Tells the user why the command failed.
pub(crate) fn report(context: &Context, error: &CommandError) -> ExitCode {
    if let CommandError::Output(source) = error
        && source.kind() == io::ErrorKind::BrokenPipe
    {
        return ExitCode::SUCCESS;
    }
    let message = visible(&error.to_string()).into_owned();
    let causes: Vec<String> = error
        .causes()
        .iter()
        .map(|cause| visible(cause).into_owned())
        .collect();
    let hint = error.hint();
    if context.printer.is_json() {
        // If stdout is gone too there is nobody left to tell.
        let _ = context.printer.json(&json!({
            "error": { "message": message, "causes": causes, "hint": hint }
        }));
    }
    context.printer.error(&message, &causes, hint.as_deref());
    ExitCode::from(error.code())
}

/// Shows help, the version, or what is wrong with the arguments.
pub(crate) fn usage(error: &clap::Error, environment: &Environment) -> ExitCode {
    use std::io::IsTerminal as _;
    let help = !error.use_stderr();
    let terminal = if help {
        io::stdout().is_terminal()
    } else {
        io::stderr().is_terminal()
    };
    let colourful = terminal && !environment.no_color && !environment.dumb_terminal;
    let rendered = error.render();
    let text = if colourful {
        rendered.ansi().to_string()
    } else {
        rendered.to_string()
    };
    let written = if help {
        io::Write::write_all(&mut io::stdout(), text.as_bytes())
    } else {
        io::Write::write_all(&mut io::stderr(), text.as_bytes())
    };
    // A closed pipe is no failure of ours.
    drop(written);
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
