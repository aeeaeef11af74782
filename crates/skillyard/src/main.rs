//! The `skillyard` binary: what the user sees.
//!
//! `cli` says what can be asked, `commands/` has one file an answer, `context` holds
//! what they share, `printer` is the only way out, `error` turns failures into a
//! message, a hint and an exit code, and `environment` lists every variable read.
//! Nothing is configured or started before the arguments are understood.

mod baseline;
mod cli;
mod commands;
mod config;
mod context;
mod environment;
mod error;
mod json;
mod library;
mod printer;
mod report;
mod sanitize;
mod skill_files;
mod trusted;

use std::ffi::OsString;
use std::process::ExitCode;

use cli::Global;
use context::Context;
use environment::Environment;

fn main() -> ExitCode {
    let environment = Environment::read();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(shell) = environment.completing.clone() {
        let context = Context::new(&Global::guessed(&[]), environment);
        return ended(
            &context,
            commands::completions::answer(&context, &shell, &arguments),
        );
    }
    let cli = match cli::parse(&arguments) {
        Ok(cli) => cli,
        Err(error) => return error::usage(&error, &arguments, &environment),
    };
    let context = Context::new(&cli.global, environment);
    ended(&context, commands::run(&context, cli.command))
}

fn ended(context: &Context, outcome: commands::Outcome) -> ExitCode {
    match outcome {
        Ok(status) => status.into(),
        Err(error) => error::report(context, &error),
    }
}
