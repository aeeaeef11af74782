//! One file a command: its arguments, whose doc comments are its help, and what it does.

pub(crate) mod completions;
pub(crate) mod enable;
pub(crate) mod eval;
pub(crate) mod explain;
mod explain_skill;
pub(crate) mod find;
pub(crate) mod list;
mod list_json;
mod list_watch;
pub(crate) mod new;
pub(crate) mod prompt;
pub(crate) mod read;
pub(crate) mod show;
pub(crate) mod trust;
pub(crate) mod validate;

use crate::cli::Command;
use crate::context::Context;
use crate::error::{CommandError, Status};

/// What every command returns.
pub(crate) type Outcome = Result<Status, CommandError>;

/// Runs the command that was asked for.
pub(crate) fn run(context: &Context, command: Command) -> Outcome {
    match command {
        Command::List(args) => list::run(context, &args),
        Command::Show(args) => show::run(context, &args),
        Command::Search(args) => find::search(context, &args),
        Command::Match(args) => find::match_task(context, &args),
        Command::Enable(args) => enable::enable(context, &args),
        Command::Disable(args) => enable::disable(context, &args),
        Command::Trust(args) => trust::run(context, &args),
        Command::Eval(args) => eval::run(context, &args),
        Command::New(args) => new::run(context, &args),
        Command::Validate(args) => validate::run(context, &args),
        Command::Explain(args) => explain::run(context, &args),
        Command::Read(args) => read::run(context, &args),
        Command::Prompt(args) => prompt::run(context, &args),
        Command::Completions(args) => completions::run(context, &args),
    }
}
