//! What can be asked: commands and global flags.

mod habits;
mod help;

use std::ffi::OsString;

use clap::{Args, ColorChoice, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use habits::understood;
pub(crate) use help::{Detail, command};

use crate::commands;

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
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every command has.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Say less: only data and errors
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,
    /// Say more, such as what is wrong with a skill that is read
    #[arg(short, long, global = true, action = clap::ArgAction::Count, conflicts_with = "quiet", help_heading = "Global options")]
    pub(crate) verbose: u8,
    /// Answer in JSON, errors included
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
    /// When to use colours
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = false,
        help_heading = "Global options"
    )]
    pub(crate) color: ColorChoice,
    /// Set a key of the configuration for this run (may be repeated)
    #[arg(
        long,
        global = true,
        value_name = "KEY=VALUE",
        help_heading = "Global options"
    )]
    pub(crate) config: Vec<String>,
}

impl Global {
    /// What arguments that were not understood say about the output.
    pub(crate) fn guessed(arguments: &[OsString]) -> Self {
        let options = arguments.iter().skip(1).take_while(|each| *each != "--");
        let options: Vec<&str> = options.filter_map(|each| each.to_str()).collect();
        let color = options.iter().enumerate().find_map(|(at, option)| {
            let behind = option.strip_prefix("--color")?;
            let value = match behind.strip_prefix('=') {
                Some(value) => value,
                None if behind.is_empty() => options.get(at + 1)?,
                None => return None,
            };
            value.parse().ok()
        });
        Self {
            quiet: false,
            verbose: 0,
            json: options.contains(&"--json"),
            color: color.unwrap_or(ColorChoice::Auto),
            config: Vec::new(),
        }
    }
}

/// A command and its arguments.
#[derive(Debug, Subcommand)]
// Each command's arguments are made when it is the one that was asked for.
#[command(defer = true)]
pub(crate) enum Command {
    List(commands::list::Args),
    Show(commands::show::Args),
    Read(commands::read::Args),
    Search(commands::find::SearchArgs),
    Match(commands::find::MatchArgs),
    Prompt(commands::prompt::Args),
    Install(commands::install::Args),
    Export(commands::export::Args),
    #[command(visible_alias = "delete", alias = "uninstall")]
    Remove(commands::remove::Args),
    Sync(commands::sync::Args),
    Update(commands::update::Args),
    Outdated(commands::outdated::Args),
    Why(commands::why::Args),
    Store(commands::store::Args),
    Run(commands::run::Args),
    Serve(commands::serve::Args),
    Mcp(commands::mcp::Args),
    Agent(commands::agent::Args),
    Chat(commands::chat::Args),
    Enable(commands::enable::EnableArgs),
    Disable(commands::enable::DisableArgs),
    Trust(commands::trust::Args),
    Guard(commands::guard::Args),
    #[command(visible_alias = "create")]
    New(commands::new::Args),
    Validate(commands::validate::Args),
    Scan(commands::scan::Args),
    Explain(commands::explain::Args),
    Key(commands::key::Args),
    Sign(commands::sign::Args),
    Verify(commands::verify::Args),
    Login(commands::login::Args),
    Logout(commands::logout::Args),
    Whoami(commands::whoami::Args),
    Publish(commands::publish::Args),
    Yank(commands::yank::Args),
    Deprecate(commands::deprecate::Args),
    Owner(commands::owner::Args),
    Tag(commands::tag::Args),
    Token(commands::token::Args),
    Registry(commands::registry::Args),
    Eval(commands::eval::Args),
    Audit(commands::audit::Args),
    Config(commands::config::Args),
    Doctor(commands::doctor::Args),
    Completions(commands::completions::Args),
    #[command(hide = true)]
    Manage(commands::manage::Args),
}

/// Understands the arguments.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let arguments = understood(arguments);
    let name = arguments.get(1).and_then(|word| word.to_str());
    // Groups and examples are for who asks for help or needs it; making them takes as long as
    // all the rest of the command line.
    let quick = name.and_then(only).unwrap_or_else(Cli::command);
    match quick.try_get_matches_from(&*arguments) {
        Ok(mut matches) => return Cli::from_arg_matches_mut(&mut matches),
        Err(error) if error.kind() == clap::error::ErrorKind::DisplayVersion => return Err(error),
        Err(_) => {}
    }
    let detail = match arguments.get(1) {
        Some(word) if word != "-h" => Detail::Lines,
        _ => Detail::Names,
    };
    let mut matches = command(detail).try_get_matches_from(&*arguments)?;
    Cli::from_arg_matches_mut(&mut matches)
}

/// The command line as if it had no other command: each gets its own copy of the global flags, which
/// are many. It understands the same; what is wrong is told by the whole.
fn only(name: &str) -> Option<clap::Command> {
    let mut whole = Cli::command();
    let wanted = std::mem::take(whole.find_subcommand_mut(name)?);
    Some(Global::augment_args(clap::Command::new("skillyard")).subcommand(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_output_is_guessed_from_arguments_that_are_wrong() {
        let guessed = |text: &str| {
            let words: Vec<OsString> = text.split(' ').map(OsString::from).collect();
            let global = Global::guessed(&words);
            (global.json, global.color)
        };
        assert_eq!(guessed("skillyard lst --json"), (true, ColorChoice::Auto));
        assert_eq!(
            guessed("skillyard lst -- --json"),
            (false, ColorChoice::Auto)
        );
        assert_eq!(
            guessed("skillyard --color=never x"),
            (false, ColorChoice::Never)
        );
        assert_eq!(
            guessed("skillyard --color always"),
            (false, ColorChoice::Always)
        );
        assert_eq!(
            guessed("skillyard --colors always --color"),
            (false, ColorChoice::Auto)
        );
    }

    #[test]
    fn a_command_alone_is_understood_as_among_the_others() {
        let whole = Cli::command();
        for command in whole.get_subcommands() {
            for name in [command.get_name()]
                .into_iter()
                .chain(command.get_all_aliases())
            {
                only(name).unwrap().debug_assert();
            }
        }
        assert!(only("lst").is_none() && only("--json").is_none());
        for text in [
            "skillyard list --json -v",
            "skillyard delete pdf --config a.b=c",
            "skillyard --color never config get x",
        ] {
            let words: Vec<OsString> = text.split(' ').map(OsString::from).collect();
            let mut matches = Cli::command().try_get_matches_from(&words).unwrap();
            let among = Cli::from_arg_matches_mut(&mut matches).unwrap();
            let alone = parse(&words).unwrap();
            assert_eq!(format!("{alone:?}"), format!("{among:?}"));
        }
    }
}
