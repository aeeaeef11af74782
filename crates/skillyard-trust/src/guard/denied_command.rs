//! Whether a command may start a program that is denied, however it is dressed up.

use super::command;
use super::harmless;
use super::interpreter;
use super::later;
use super::pattern::{CommandPattern, base_name};
use super::request::GuardInput;
use super::shell::{self, SimpleCommand, Word};
use super::skill::Runs;
use super::socat;
use super::subscript;
use super::wrapper;

/// How deep shells in shells are looked into.
const MAX_DEPTH: usize = 4;

/// Whether a command could be one that is denied.
pub(super) fn commands(patterns: &[CommandPattern], input: &GuardInput) -> Option<String> {
    let found = match command::commands(input) {
        Ok(found) => found,
        Err(problem) => return Some(format!("it may be denied: {problem}")),
    };
    let is_denied = |command: &SimpleCommand| {
        patterns
            .iter()
            .any(|pattern| !command.words.is_empty() && may_start(command, pattern, 0))
    };
    found
        .iter()
        .any(is_denied)
        .then(|| "it is denied, or may start what is denied".into())
}

/// Whether a script could be one that is denied, or may start one.
pub(super) fn script(patterns: &[CommandPattern], runs: &Runs) -> bool {
    let literal = |words: &Vec<String>| words.iter().cloned().map(Word::Literal).collect();
    let command = |words| SimpleCommand {
        words: literal(words),
        ..SimpleCommand::default()
    };
    patterns.iter().any(|pattern| {
        let mut started = runs.started.iter().map(command);
        // What the program is given besides the script is for the script.
        let is_started = started.any(|command| pattern.may_mean(&command.words));
        let mut itself = runs.itself.iter().map(command);
        is_started || itself.any(|command| may_start(&command, pattern, 0))
    })
}

fn may_start(command: &SimpleCommand, pattern: &CommandPattern, depth: usize) -> bool {
    if pattern.may_mean(&command.words) {
        return true;
    }
    let Some(program) = command.program() else {
        return true;
    };
    if wrapper::runs_text(program) || depth > MAX_DEPTH {
        return true;
    }
    let arguments = &command.words[1..];
    if wrapper::is_shell(program) {
        return may_run(arguments, pattern, depth);
    }
    if subscript::may_run(program, arguments) || later::runs(&command.words) {
        return true;
    }
    if wrapper::starts_others(program) {
        return later::runs_behind(program, arguments)
            || names_it(program, arguments, pattern)
            || base_name(program) == "socat" && has_address(arguments, pattern, depth);
    }
    let mut told = arguments.iter().filter_map(Word::literal);
    let is_told = interpreter::has_commands(program) || harmless::is_told_to_start(&command.words);
    if is_told && told.any(|text| names(text, pattern)) {
        return true;
    }
    // Whoever is not known to take words as data may start a program that they name.
    let mut behind = (1..command.words.len()).map(|at| &command.words[at..]);
    !harmless::takes_data(&command.words)
        && behind.any(|words| may_be_started(words, pattern, depth + 1))
}

/// Whether a program that starts others may be given the denied one, however that is written.
fn names_it(program: &str, arguments: &[Word], pattern: &CommandPattern) -> bool {
    arguments.iter().any(|word| match word.literal() {
        Some(text) => {
            // Some read quotes once more, as `env -S` does.
            let bare = text.replace(['"', '\'', '\\'], "");
            let value = wrapper::command_in_option(program, &bare);
            names(text, pattern)
                || names(&bare, pattern)
                || value.is_some_and(|it| names(it, pattern))
        }
        None => true,
    })
}

/// Whether an address of `socat` is a program that may start the denied one.
fn has_address(arguments: &[Word], pattern: &CommandPattern, depth: usize) -> bool {
    let mut told = arguments
        .iter()
        .filter_map(|word| socat::told(word.literal()?));
    told.any(|text| {
        let may = |command: &SimpleCommand| may_start(command, pattern, depth + 1);
        text.contains('\\') || shell::read(text).map_or(true, |all| all.iter().any(may))
    })
}

/// Whether words, given to a program that nothing is known of, are a command that is denied: as
/// they stand, as the text of a shell, or as the value of an option.
fn may_be_started(words: &[Word], pattern: &CommandPattern, depth: usize) -> bool {
    let Some((Some(text), arguments)) = words.split_first().map(|(it, rest)| (it.literal(), rest))
    else {
        return false;
    };
    if text.contains("://") || depth > MAX_DEPTH {
        return false;
    }
    if wrapper::is_shell(text) {
        return may_run(arguments, pattern, depth);
    }
    if wrapper::is_program_that_starts_others(text) && names_it(text, arguments, pattern) {
        return true;
    }
    let value = text.split_once('=').filter(|_| text.starts_with('-'));
    let is_value = value.is_some_and(|(_, value)| may_be_text(value, pattern, depth));
    pattern.may_mean(words) || is_value || text.contains(' ') && may_be_text(text, pattern, depth)
}

/// Whether a text begins a denied command as a shell reads it.
fn may_be_text(text: &str, pattern: &CommandPattern, depth: usize) -> bool {
    // Programs with names of their own for commands, such as `gh`, mean the shell by it.
    let text = text.strip_prefix('!').unwrap_or(text);
    let commands = shell::read(text).unwrap_or_default();
    commands
        .iter()
        .any(|command| may_be_started(&command.words, pattern, depth + 1))
}

/// Whether a text has the name of a program in it, or that of a shell, which may be given anything.
fn names(text: &str, pattern: &CommandPattern) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && !"_.-+".contains(c))
        .any(|part| pattern.may_be_program(part) || wrapper::is_shell(part))
        || pattern.may_be_program(text)
}

/// Whether a shell with these arguments may start what is denied: they are read as its text.
fn may_run(arguments: &[Word], pattern: &CommandPattern, depth: usize) -> bool {
    let mut reads_input = true;
    for word in arguments {
        let Some(text) = word.literal() else {
            return true;
        };
        if wrapper::is_input(text) {
            return true;
        }
        if text.starts_with('-') {
            continue;
        }
        reads_input = false;
        let may = |command: &SimpleCommand| may_start(command, pattern, depth + 1);
        if shell::read(text).map_or(true, |commands| commands.iter().any(may)) {
            return true;
        }
    }
    reads_input
}
