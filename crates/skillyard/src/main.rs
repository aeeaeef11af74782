//! The `skillyard` binary: what the user sees.
//!
//! `cli` parses the arguments and runs a command of `commands/`. Commands call `install`, `agent`,
//! `mcp`, `script`, `signing` and `library`, which share a `context`: the configuration, the
//! environment and the `printer`, which writes all output. `error` holds the errors with their hints
//! and exit codes, `error_report` prints them, and `redactor` removes secrets from output.
//!
//! Each module imports only from modules below it; `scripts/layers` checks that.

#![allow(
    rustdoc::bare_urls,
    reason = "doc comments of arguments are help for a terminal"
)]

mod agent;
mod cli;
mod commands;
mod config;
mod context;
mod editor;
mod environment;
mod error;
mod error_report;
mod files;
mod global_args;
mod install;
mod library;
mod mcp;
mod printer;
mod question;
mod redactor;
mod report;
mod scope;
mod script;
mod signing;
mod terminal;
mod text;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::error::ExitStatus;
use context::Context;
use environment::Environment;
use global_args::GlobalArgs;
use redactor::Redactor;

/// Less allocator contention between rayon threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // Inside a sandbox this binary is its launcher and nothing else.
    if let Some(code) = skillyard_sandbox::launcher::main(arguments.iter().cloned()) {
        return code;
    }
    let status = work(&arguments);
    skillyard_agent::mcp_client::end_all();
    ExitCode::from(status.code())
}

/// Does what is asked for.
fn work(arguments: &[OsString]) -> ExitStatus {
    let environment = Environment::read();
    let redactor = Redactor::default();
    for secret in Environment::secrets() {
        redactor.learn(secret.expose());
    }
    redactor.learn_arguments(arguments);
    if let Some(shell) = environment.completing.clone() {
        let context = Context::new(&GlobalArgs::guessed(&[]), environment, redactor);
        return ended(
            &context,
            cli::completions::answer(&context, &shell, arguments),
        );
    }
    let cli = match cli::parse(arguments) {
        Ok(cli) => cli,
        Err(error) => return cli::usage::usage(&error, arguments, &environment, redactor),
    };
    let context = Context::new(&cli.global, environment, redactor);
    for warning in context.environment.unknown_told() {
        context.printer.note(&warning);
    }
    ended(&context, cli::run(&context, cli.command))
}

fn ended(context: &Context, outcome: error::Outcome) -> ExitStatus {
    outcome.unwrap_or_else(|error| error_report::report(context, &error))
}
