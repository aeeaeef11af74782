//! One file a command: its arguments, whose doc comments are its help, and what it does.

pub(crate) mod completions;
pub(crate) mod explain;
pub(crate) mod new;
pub(crate) mod prompt;
pub(crate) mod read;
pub(crate) mod validate;

use crate::cli::Command;
use crate::context::Context;
use crate::error::{CommandError, Status};

/// What every command returns.
pub(crate) type Outcome = Result<Status, CommandError>;

/// Runs the command that was asked for.
pub(crate) fn run(context: &Context, command: Command) -> Outcome {
    match command {
        Command::New(args) => new::run(context, &args),
        Command::Validate(args) => validate::run(context, &args),
        Command::Explain(args) => explain::run(context, &args),
        Command::Read(args) => read::run(context, &args),
        Command::Prompt(args) => prompt::run(context, &args),
        Command::Completions(args) => completions::run(context, &args),
    }
}
