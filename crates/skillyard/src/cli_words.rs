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
}
