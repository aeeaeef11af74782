//! One file a command: its arguments, whose doc comments are its help, and what it does.

pub(crate) mod agent;
pub(crate) mod audit;
pub(crate) mod chat;
mod chat_export;
mod chat_sessions;
mod chat_talk;
mod chat_words;
mod completion_files;
mod completion_values;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod deprecate;
pub(crate) mod doctor;
mod doctor_agents;
mod doctor_home;
mod doctor_inner;
mod doctor_install;
mod doctor_mistaken;
mod doctor_names;
mod doctor_proxies;
mod doctor_records;
mod doctor_revoked;
mod doctor_sandbox;
mod doctor_skills;
pub(crate) mod enable;
pub(crate) mod eval;
pub(crate) mod explain;
mod explain_skill;
pub(crate) mod export;
pub(crate) mod find;
mod find_remote;
mod find_store;
pub(crate) mod guard;
pub(crate) mod install;
pub(crate) mod key;
pub(crate) mod list;
mod list_installed;
mod list_json;
mod list_watch;
pub(crate) mod login;
pub(crate) mod logout;
pub(crate) mod manage;
pub(crate) mod mcp;
pub(crate) mod new;
pub(crate) mod outdated;
pub(crate) mod owner;
pub(crate) mod prompt;
pub(crate) mod publish;
pub(crate) mod read;
pub(crate) mod registry;
pub(crate) mod remove;
pub(crate) mod run;
mod run_explain;
mod run_told;
pub(crate) mod scan;
pub(crate) mod serve;
pub(crate) mod show;
mod show_security;
pub(crate) mod sign;
pub(crate) mod store;
pub(crate) mod sync;
pub(crate) mod tag;
pub(crate) mod token;
pub(crate) mod trust;
mod trust_skill;
pub(crate) mod update;
pub(crate) mod validate;
pub(crate) mod verify;
pub(crate) mod whoami;
pub(crate) mod why;
pub(crate) mod yank;

use crate::cli::Command;
use crate::context::Context;
use crate::error::{CommandError, Status};

/// What every command returns.
pub(crate) type Outcome = Result<Status, CommandError>;

/// Runs the command that was asked for.
pub(crate) fn run(context: &Context, command: Command) -> Outcome {
    answer(context, command).map_err(|mut error| {
        if let CommandError::Install(failure) = &mut error {
            failure.look_elsewhere(context);
        }
        error
    })
}

fn answer(context: &Context, command: Command) -> Outcome {
    match command {
        Command::List(args) => list::run(context, &args),
        Command::Show(args) => show::run(context, &args),
        Command::Search(args) => find::search(context, &args),
        Command::Match(args) => find::match_task(context, &args),
        Command::Enable(args) => enable::enable(context, &args),
        Command::Disable(args) => enable::disable(context, &args),
        Command::Export(args) => export::run(context, &args),
        Command::Install(args) => install::run(context, &args),
        Command::Remove(args) => remove::run(context, &args),
        Command::Sync(args) => sync::run(context, &args),
        Command::Update(args) => update::run(context, &args),
        Command::Outdated(args) => outdated::run(context, &args),
        Command::Store(args) => store::run(context, &args),
        Command::Why(args) => why::run(context, &args),
        Command::Trust(args) => trust::run(context, &args),
        Command::Audit(args) => audit::run(context, &args),
        Command::Config(args) => config::run(context, &args),
        Command::Key(args) => key::run(context, args),
        Command::Sign(args) => sign::run(context, &args),
        Command::Verify(args) => verify::run(context, &args),
        Command::Guard(args) => guard::run(context, &args),
        Command::Login(args) => login::run(context, &args),
        Command::Logout(args) => logout::run(context, &args),
        Command::Whoami(args) => whoami::run(context, &args),
        Command::Publish(args) => publish::run(context, &args),
        Command::Yank(args) => yank::run(context, &args),
        Command::Deprecate(args) => deprecate::run(context, &args),
        Command::Owner(args) => owner::run(context, &args),
        Command::Tag(args) => tag::run(context, &args),
        Command::Token(args) => token::run(context, &args),
        Command::Registry(args) => registry::run(context, args),
        Command::Eval(args) => eval::run(context, &args),
        Command::New(args) => new::run(context, &args),
        Command::Validate(args) => validate::run(context, &args),
        Command::Scan(args) => scan::run(context, &args),
        Command::Explain(args) => explain::run(context, &args),
        Command::Read(args) => read::run(context, &args),
        Command::Prompt(args) => prompt::run(context, &args),
        Command::Mcp(args) => mcp::run(context, &args),
        Command::Serve(args) => serve::run(context, &args),
        Command::Agent(args) => agent::run(context, &args),
        Command::Chat(args) => chat::run(context, &args),
        Command::Run(args) => run::run(context, &args),
        Command::Doctor(args) => doctor::run(context, &args),
        Command::Completions(args) => completions::run(context, &args),
        Command::Manage(_) => manage::run(context),
    }
}
