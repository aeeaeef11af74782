//! What can be asked: commands, global flags and the grouped help.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt::Write as _;

use clap::{Args, ColorChoice, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

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
    #[command(visible_alias = "delete")]
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
}

/// The headings of `skillyard --help` and the commands below each.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Find and use",
        &[
            "list", "show", "read", "search", "match", "prompt", "run", "chat", "agent",
        ],
    ),
    (
        "Install",
        &[
            "install", "sync", "update", "outdated", "remove", "why", "export", "store",
        ],
    ),
    (
        "Trust",
        &[
            "enable", "disable", "trust", "scan", "guard", "sign", "verify", "key", "audit",
        ],
    ),
    ("Write", &["new", "validate", "explain", "eval"]),
    (
        "Publish",
        &[
            "publish",
            "yank",
            "deprecate",
            "owner",
            "tag",
            "token",
            "login",
            "logout",
            "whoami",
            "registry",
        ],
    ),
    ("Serve", &["serve", "mcp"]),
    ("Set up", &["config", "doctor", "completions"]),
];

/// How much is said about each command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The names, so that all fits on a screen.
    Names,
    /// A line each.
    Lines,
}

/// Understands the arguments.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let arguments = understood(arguments);
    // Groups and examples are for who asks for help or needs it; making them takes as long as
    // all the rest of the command line.
    match Cli::command().try_get_matches_from(&*arguments) {
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

/// The whole command line, with its commands in groups.
pub(crate) fn command(detail: Detail) -> clap::Command {
    let mut command = Cli::command();
    command.build();
    let command = command.mut_subcommands(with_examples);
    let heading = *command.get_styles().get_header();
    let more = match detail {
        Detail::Names => ", and `skillyard --help` for what each does",
        Detail::Lines => "",
    };
    let groups = grouped(&command, heading, detail);
    command.help_template(format!(
        "{{about}}\n\n{{usage-heading}} skillyard <COMMAND> [OPTIONS]\n\n{groups}\
         {heading}Options:{heading:#}\n{{options}}\n\n\
         Run `skillyard COMMAND --help` for a command's options and examples{more}."
    ))
}

/// The examples stand in the long help; the short one gets them too, at its end.
fn with_examples(command: clap::Command) -> clap::Command {
    let help = command.get_long_about().map(ToString::to_string);
    let examples = help.and_then(|help| Some(help[help.find("Examples:")?..].to_owned()));
    let command = command.mut_subcommands(with_examples);
    match examples {
        Some(examples) => command.after_help(examples).after_long_help(""),
        None => command,
    }
}

/// For hands trained on other tools: `skillyard skill <verb>` is `skillyard <verb>`,
/// `skillyard agent chat` is `skillyard chat`, and `skillyard help <verb>` is
/// `skillyard <verb> --help`.
fn understood(arguments: &[OsString]) -> Cow<'_, [OsString]> {
    let first = arguments.get(1).and_then(|word| word.to_str());
    if !matches!(first, Some("skill" | "agent" | "help")) {
        return Cow::Borrowed(arguments);
    }
    let mut arguments = arguments.to_vec();
    let is = |words: &[OsString], at: usize, word: &str| {
        let found: Option<&OsString> = words.get(at);
        found.is_some_and(|each| each == word)
    };
    if is(&arguments, 1, "skill") {
        // There, without a name, these two show everything.
        let alone = arguments.len() == 3;
        if alone && is(&arguments, 2, "show") {
            arguments[2] = "list".into();
        } else if alone && is(&arguments, 2, "manage") {
            arguments.push("--help".into());
        }
        let is_managed = is(&arguments, 2, "manage");
        arguments.drain(1..if is_managed { 3 } else { 2 });
    }
    if is(&arguments, 1, "agent") && is(&arguments, 2, "chat") {
        arguments.remove(1);
    }
    if is(&arguments, 1, "help") {
        arguments.remove(1);
        arguments.push("--help".into());
    }
    Cow::Owned(arguments)
}

fn grouped(command: &clap::Command, style: anstyle::Style, detail: Detail) -> String {
    let mut text = String::new();
    for (heading, names) in GROUPS {
        let _ = writeln!(text, "{style}{heading}:{style:#}");
        if detail == Detail::Names {
            let _ = writeln!(text, "  {}\n", names.join(", "));
            continue;
        }
        for name in *names {
            let about = command
                .find_subcommand(name)
                .and_then(clap::Command::get_about)
                .map(ToString::to_string)
                .unwrap_or_default();
            let _ = writeln!(text, "  {name:<12} {about}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        command(Detail::Lines).debug_assert();
    }

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let root = command(Detail::Lines);
        let mut commands: Vec<&str> = root
            .get_subcommands()
            .filter(|each| !each.is_hide_set())
            .map(clap::Command::get_name)
            .collect();
        grouped.sort_unstable();
        commands.sort_unstable();
        assert_eq!(grouped, commands);
    }

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
    fn words_of_other_tools_are_understood() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        for (typed, meant) in [
            ("skillyard skill validate x", "skillyard validate x"),
            ("skillyard skill manage list", "skillyard list"),
            ("skillyard skill manage", "skillyard --help"),
            ("skillyard skill show", "skillyard list"),
            ("skillyard agent chat x", "skillyard chat x"),
            ("skillyard skill show x", "skillyard show x"),
            ("skillyard skill", "skillyard"),
            ("skillyard validate skill", "skillyard validate skill"),
            ("skillyard help", "skillyard --help"),
            ("skillyard help list", "skillyard list --help"),
            ("skillyard skill help list", "skillyard list --help"),
            ("skillyard read help", "skillyard read help"),
        ] {
            assert_eq!(understood(&words(typed)), words(meant));
        }
    }
}
