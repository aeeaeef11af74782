//! The command line: its commands, and which module runs each of them.

pub(crate) mod completions;
mod help;
pub(crate) mod usage;

use std::borrow::Cow;
use std::ffi::OsString;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

pub(crate) use crate::cli::help::HelpDetail;
pub(crate) use help::command;

use crate::commands;
use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::global_args::GlobalArgs;
use crate::install::other_scopes::look_elsewhere;

/// The package manager, the runtime and the registry for Agent Skills.
#[derive(Debug, Parser)]
#[command(
    name = "skillyard",
    bin_name = "skillyard",
    version,
    arg_required_else_help = true,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// A command and its arguments.
#[derive(Debug, Subcommand)]
// Each command's arguments are made when it is the one that was asked for.
#[command(defer = true)]
pub(crate) enum Command {
    List(commands::list::ListArgs),
    Show(commands::show::ShowArgs),
    Read(commands::read::ReadArgs),
    Search(commands::find::SearchArgs),
    Match(commands::find::MatchArgs),
    Prompt(commands::prompt::PromptArgs),
    Install(commands::install::InstallArgs),
    Export(commands::export::ExportArgs),
    #[command(visible_alias = "delete", alias = "uninstall")]
    Remove(commands::remove::RemoveArgs),
    Sync(commands::sync::SyncArgs),
    Update(commands::update::UpdateArgs),
    Outdated(commands::outdated::OutdatedArgs),
    Why(commands::why::WhyArgs),
    Store(commands::store::StoreArgs),
    Run(commands::run::RunArgs),
    Serve(commands::serve::ServeArgs),
    Mcp(commands::mcp::McpArgs),
    Agent(commands::agent::AgentArgs),
    Chat(commands::chat::ChatArgs),
    Enable(commands::enable::EnableArgs),
    Disable(commands::enable::DisableArgs),
    Trust(commands::trust::TrustArgs),
    Guard(commands::guard::GuardArgs),
    #[command(visible_alias = "create")]
    New(commands::new::NewArgs),
    Validate(commands::validate::ValidateArgs),
    Scan(commands::scan::ScanArgs),
    Explain(commands::explain::ExplainArgs),
    Key(commands::key::KeyArgs),
    Sign(commands::sign::SignArgs),
    Verify(commands::verify::VerifyArgs),
    Login(commands::login::LoginArgs),
    Logout(commands::logout::LogoutArgs),
    Whoami(commands::whoami::WhoamiArgs),
    Publish(commands::publish::PublishArgs),
    Yank(commands::yank::YankArgs),
    Deprecate(commands::deprecate::DeprecateArgs),
    Owner(commands::owner::OwnerArgs),
    Tag(commands::tag::TagArgs),
    Token(commands::token::TokenArgs),
    Registry(commands::registry::RegistryArgs),
    Eval(commands::eval::EvalArgs),
    Audit(commands::audit::AuditArgs),
    Config(commands::config::ConfigArgs),
    Doctor(commands::doctor::DoctorArgs),
    Completions(completions::CompletionsArgs),
    #[command(hide = true)]
    Manage(ManageArgs),
}

/// Parses the arguments.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let arguments = understood(arguments);
    // Groups and examples are built only for help and errors.
    match Cli::command().try_get_matches_from(&*arguments) {
        Ok(mut matches) => return Cli::from_arg_matches_mut(&mut matches),
        Err(error) if error.kind() == clap::error::ErrorKind::DisplayVersion => return Err(error),
        Err(_) => {}
    }
    let detail = match arguments.get(1) {
        Some(word) if word != "-h" => HelpDetail::Lines,
        _ => HelpDetail::Names,
    };
    let mut matches = command(detail).try_get_matches_from(&*arguments)?;
    Cli::from_arg_matches_mut(&mut matches)
}

/// Runs the command that was asked for.
pub(crate) fn run(context: &Context, command: Command) -> Outcome {
    answer(context, command).map_err(|mut error| {
        if let CommandError::Install(failure) = &mut error {
            look_elsewhere(failure, context);
        }
        error
    })
}

fn answer(context: &Context, command: Command) -> Outcome {
    match command {
        Command::List(args) => commands::list::run(context, &args),
        Command::Show(args) => commands::show::run(context, &args),
        Command::Search(args) => commands::find::search(context, &args),
        Command::Match(args) => commands::find::match_task(context, &args),
        Command::Enable(args) => commands::enable::enable(context, &args),
        Command::Disable(args) => commands::enable::disable(context, &args),
        Command::Export(args) => commands::export::run(context, &args),
        Command::Install(args) => commands::install::run(context, &args),
        Command::Remove(args) => commands::remove::run(context, &args),
        Command::Sync(args) => commands::sync::run(context, &args),
        Command::Update(args) => commands::update::run(context, &args),
        Command::Outdated(args) => commands::outdated::run(context, &args),
        Command::Store(args) => commands::store::run(context, &args),
        Command::Why(args) => commands::why::run(context, &args),
        Command::Trust(args) => commands::trust::run(context, &args),
        Command::Audit(args) => commands::audit::run(context, &args),
        Command::Config(args) => commands::config::run(context, &args),
        Command::Key(args) => commands::key::run(context, args),
        Command::Sign(args) => commands::sign::run(context, &args),
        Command::Verify(args) => commands::verify::run(context, &args),
        Command::Guard(args) => commands::guard::run(context, &args),
        Command::Login(args) => commands::login::run(context, &args),
        Command::Logout(args) => commands::logout::run(context, &args),
        Command::Whoami(args) => commands::whoami::run(context, &args),
        Command::Publish(args) => commands::publish::run(context, &args),
        Command::Yank(args) => commands::yank::run(context, &args),
        Command::Deprecate(args) => commands::deprecate::run(context, &args),
        Command::Owner(args) => commands::owner::run(context, &args),
        Command::Tag(args) => commands::tag::run(context, &args),
        Command::Token(args) => commands::token::run(context, &args),
        Command::Registry(args) => commands::registry::run(context, args),
        Command::Eval(args) => commands::eval::run(context, &args),
        Command::New(args) => commands::new::run(context, &args),
        Command::Validate(args) => commands::validate::run(context, &args),
        Command::Scan(args) => commands::scan::run(context, &args),
        Command::Explain(args) => commands::explain::run(context, &args),
        Command::Read(args) => commands::read::run(context, &args),
        Command::Prompt(args) => commands::prompt::run(context, &args),
        Command::Mcp(args) => commands::mcp::run(context, &args),
        Command::Serve(args) => commands::serve::run(context, &args),
        Command::Agent(args) => commands::agent::run(context, &args),
        Command::Chat(args) => commands::chat::run(context, &args),
        Command::Run(args) => commands::run::run(context, &args),
        Command::Doctor(args) => commands::doctor::run(context, &args),
        Command::Completions(args) => completions::run(context, &args),
        Command::Manage(_) => run_manage(context),
    }
}

/// Look after installed skills
///
/// Other tools call it `skill manage ACTION`, which is understood: list, enable, disable, update
/// and remove are commands of their own here.
///
/// Examples:
///   skillyard list --installed       the same as `skillyard skill manage list`
///   skillyard enable pdf-tools
///   skillyard disable pdf-tools
///   skillyard update pdf-tools
///   skillyard remove pdf-tools
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ManageArgs {}

pub(crate) fn run_manage(context: &Context) -> Outcome {
    let mut all = command(HelpDetail::Lines);
    if let Some(own) = all.find_subcommand_mut("manage") {
        context.printer.data(&own.render_long_help().to_string())?;
    }
    Ok(ExitStatus::Success)
}

/// Words of package managers, and the command that does the same here.
const WORDS: &[(&str, &str)] = &[
    ("add", "install"),
    ("cat", "read"),
    ("check", "validate"),
    ("ci", "sync"),
    ("exec", "run"),
    ("hlep", "help"),
    ("info", "show"),
    ("init", "new"),
    ("inspect", "show"),
    ("lint", "validate"),
    ("pack", "export"),
    ("test", "eval"),
    ("unpublish", "yank"),
    ("upgrade", "update"),
    ("view", "show"),
];

/// The command that does what other tools call by a word.
pub(crate) fn command_of(word: &str) -> Option<&'static str> {
    let is_it = |(each, _): &&(&str, &'static str)| *each == word;
    WORDS.iter().find(is_it).map(|(_, command)| *command)
}

/// Options that other commands have for what a command calls otherwise.
const OPTIONS: &[(&str, &str, &str)] = &[
    ("sync", "--dry-run", "--check"),
    ("update", "--check", "--dry-run"),
];

/// The option of a command that does what an option of others does.
pub(crate) fn option_of(command: &str, option: &str) -> Option<&'static str> {
    let is_it = |each: &&(&str, &str, &'static str)| each.0 == command && each.1 == option;
    OPTIONS.iter().find(is_it).map(|each| each.2)
}

/// For hands trained on other tools: `skillyard skill <verb>` is `skillyard <verb>`,
/// `skillyard agent chat` is `skillyard chat`, and `skillyard help <verb>` is
/// `skillyard <verb> --help`. Global options may stand before it.
fn understood(arguments: &[OsString]) -> Cow<'_, [OsString]> {
    let start = 1 + options(arguments.get(1..).unwrap_or_default());
    let first = arguments.get(start).and_then(|word| word.to_str());
    if !matches!(first, Some("skill" | "agent" | "help")) {
        return Cow::Borrowed(arguments);
    }
    let (before, words) = arguments.split_at(start);
    let mut words = words.to_vec();
    let is = |words: &[OsString], at: usize, word: &str| {
        let found: Option<&OsString> = words.get(at);
        found.is_some_and(|each| each == word)
    };
    if is(&words, 0, "skill") {
        // There, without a name, these two show everything.
        let behind = words.get(2..).unwrap_or_default();
        let alone = options(behind) == behind.len();
        let asks = behind
            .last()
            .is_some_and(|word| word == "-h" || word == "--help");
        let is_asked = asks && options(behind) + 1 == behind.len();
        if alone && is(&words, 1, "show") {
            words[1] = "list".into();
        }
        // Alone it shows what it can do.
        let is_managed = is(&words, 1, "manage") && !alone && !is_asked;
        if is_managed && is(&words, 2, "list") {
            // What is managed is what was installed.
            words.push("--installed".into());
        }
        words.drain(..if is_managed { 2 } else { 1 });
    }
    if is(&words, 0, "agent") && is(&words, 1, "chat") {
        words.remove(0);
    }
    if is(&words, 0, "help") {
        words.remove(0);
        words.push("--help".into());
    }
    Cow::Owned([before, &words].concat())
}

/// How many words at the start are global options and their values.
fn options(words: &[OsString]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at).and_then(|word| word.to_str()) {
        at += match word {
            "--color" | "--config" => 2,
            "--json" | "--quiet" | "--verbose" => 1,
            _ if word.starts_with("--color=") || word.starts_with("--config=") => 1,
            _ => match word.strip_prefix('-') {
                Some(letters)
                    if !letters.is_empty() && letters.trim_matches(['q', 'v']).is_empty() =>
                {
                    1
                }
                _ => break,
            },
        };
    }
    at.min(words.len())
}

#[cfg(test)]
mod synonyms_tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn the_words_are_of_no_command_and_what_they_stand_for_is_one() {
        let cli = Cli::command();
        for (word, command) in WORDS {
            assert!(cli.find_subcommand(word).is_none(), "{word}");
            let is_there = *command == "help" || cli.find_subcommand(command).is_some();
            assert!(is_there, "{command}");
        }
    }
    #[test]
    fn an_option_stands_for_one_that_the_command_has() {
        let mut cli = Cli::command();
        // The options of a command are known only once it is needed.
        cli.build();
        for (command, option, meant) in OPTIONS {
            let command = cli.find_subcommand(command).expect("a command");
            let has = |option: &str| {
                let option = option.strip_prefix("--");
                command
                    .get_arguments()
                    .any(|each| each.get_long() == option)
            };
            assert!(!has(option) && has(meant), "{option}");
        }
    }
}

#[cfg(test)]
mod habits_tests {
    use super::*;

    #[test]
    fn words_of_other_tools_are_understood() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        for (typed, meant) in [
            ("skillyard skill validate x", "skillyard validate x"),
            ("skillyard skill manage list", "skillyard list --installed"),
            ("skillyard skill manage", "skillyard manage"),
            ("skillyard skill manage --help", "skillyard manage --help"),
            ("skillyard skill manage update -h", "skillyard update -h"),
            ("skillyard skill manage remove x", "skillyard remove x"),
            ("skillyard skill show", "skillyard list"),
            ("skillyard agent chat x", "skillyard chat x"),
            ("skillyard skill show x", "skillyard show x"),
            ("skillyard skill", "skillyard"),
            ("skillyard validate skill", "skillyard validate skill"),
            ("skillyard help", "skillyard --help"),
            ("skillyard help list", "skillyard list --help"),
            ("skillyard skill help list", "skillyard list --help"),
            ("skillyard read help", "skillyard read help"),
            ("skillyard --json skill list", "skillyard --json list"),
            ("skillyard -qv skill show", "skillyard -qv list"),
            ("skillyard skill show --json", "skillyard list --json"),
            ("skillyard skill show x --json", "skillyard show x --json"),
            (
                "skillyard --color never --config=a=b agent chat x",
                "skillyard --color never --config=a=b chat x",
            ),
            ("skillyard --color skill", "skillyard --color skill"),
            ("skillyard -x skill list", "skillyard -x skill list"),
        ] {
            assert_eq!(understood(&words(typed)), words(meant));
        }
    }
}
