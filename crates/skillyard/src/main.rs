//! The `skillyard` binary: what the user sees.
//!
//! `cli` says what can be asked, `commands/` has one file an answer, `context` holds
//! what they share, `printer` is the only way out, `error` turns failures into a
//! message, a hint and an exit code, `environment` lists every variable read, and `redactor`
//! takes secrets out of all that is said.
//! Nothing is configured or started before the arguments are understood.

#![allow(
    rustdoc::bare_urls,
    reason = "doc comments of arguments are help for a terminal"
)]

mod agent;
mod alteration;
mod baseline;
mod believed;
mod cli;
mod cli_words;
mod closed;
mod commands;
mod config;
mod context;
mod discovered;
mod editor;
mod environment;
mod error;
mod hashable;
mod ignored_links;
mod install;
mod installed;
mod json;
mod lent_home;
mod library;
mod mcp;
mod needs;
mod obstacle;
mod permission;
mod printer;
mod question;
mod redactor;
mod remote;
mod report;
mod sanitize;
mod script;
mod seal;
mod secret;
mod serving;
mod shell;
mod signing;
mod skill_files;
mod terminal;
mod trusted;
mod whole_folder;
mod workspace;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

use cli::Global;
use context::Context;
use environment::Environment;
use error::Status;
use lent_home::Lender;
use redactor::Redactor;

/// Threads do not wait for one another to get and give back memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // Inside a sandbox this binary is its launcher and nothing else.
    if let Some(code) = skillyard_sandbox::launcher::main(arguments.iter().cloned()) {
        return code;
    }
    let status = work(&arguments);
    leave(status)
}

/// Does what is asked for.
fn work(arguments: &[OsString]) -> Status {
    let environment = Environment::read();
    let redactor = Redactor::default();
    for secret in Environment::secrets() {
        redactor.learn(secret.expose());
    }
    redactor.learn_arguments(arguments);
    if let Some(shell) = environment.completing.clone() {
        let context = Context::new(&Global::guessed(&[]), environment, redactor);
        return ended(
            &context,
            commands::completions::answer(&context, &shell, arguments),
        );
    }
    let cli = match cli::parse(arguments) {
        Ok(cli) => cli,
        Err(error) => return error::usage(&error, arguments, &environment, redactor),
    };
    let context = Context::new(&cli.global, environment, redactor);
    for warning in context.environment.unknown_told() {
        context.printer.note(&warning);
    }
    let lender = Lender::of(&context.environment.skillyard_home);
    let status = ended(&context, commands::run(&context, cli.command));
    if let Some(lender) = lender {
        lender.tell(&context);
    }
    status
}

fn ended(context: &Context, outcome: commands::Outcome) -> Status {
    outcome.unwrap_or_else(|error| error::report(context, &error))
}

/// Ends the process. Its memory is not given back piece by piece before that, as the allocator would
/// do: the system takes all of it at once.
#[expect(unsafe_code, reason = "no safe way leaves the allocator's handler out")]
fn leave(status: Status) -> ! {
    // What is still buffered is the end of a line that nobody waits for.
    let _ = io::stdout().flush();
    skillyard_agent::mcp_client::end_all();
    // SAFETY: all work is done, and whatever had to be closed was dropped. Nothing else is to happen
    // at the end of the process.
    unsafe { libc::_exit(status.code().into()) }
}
