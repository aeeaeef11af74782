//! What other tools call our commands.

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

#[cfg(test)]
mod tests {
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
