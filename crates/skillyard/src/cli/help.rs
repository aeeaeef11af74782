//! The help of the whole program: commands in groups, examples at the end.

use std::fmt::Write as _;

use clap::CommandFactory as _;

use super::Cli;

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
pub(crate) enum HelpDetail {
    /// The names, so that all fits on a screen.
    Names,
    /// A line each.
    Lines,
}

/// The whole command line, with its commands in groups.
pub(crate) fn command(detail: HelpDetail) -> clap::Command {
    let mut command = Cli::command();
    command.build();
    let command = command.mut_subcommands(with_examples);
    let heading = *command.get_styles().get_header();
    let more = match detail {
        HelpDetail::Names => ", and `skillyard --help` for what each does",
        HelpDetail::Lines => "",
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

fn grouped(command: &clap::Command, style: anstyle::Style, detail: HelpDetail) -> String {
    let mut text = String::new();
    for (heading, names) in GROUPS {
        let _ = writeln!(text, "{style}{heading}:{style:#}");
        if detail == HelpDetail::Names {
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
        command(HelpDetail::Lines).debug_assert();
    }

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let root = command(HelpDetail::Lines);
        let mut commands: Vec<&str> = root
            .get_subcommands()
            .filter(|each| !each.is_hide_set())
            .map(clap::Command::get_name)
            .collect();
        grouped.sort_unstable();
        commands.sort_unstable();
        assert_eq!(grouped, commands);
    }
}
