//! Lists that deny: `disallowed-tools`, and what a policy forbids.
//!
//! An allowing pattern must be proven to match; a denying one matches already when it might.

use std::path::Path;

use skillyard_format::allowed_tools::AllowedTools;

use super::command;
use super::harmless;
use super::opened;
use super::path::{PathPattern, Place};
use super::pattern::{CommandPattern, base_name};
use super::request::{GuardRequest, Surroundings};
use super::rule::{Refusal, Rule, Scope, paths};
use super::shell::{self, Access, SimpleCommand, Word};
use super::subscript;
use super::tool::{self, FileUse, Kind};
use super::web;
use super::wrapper;

/// How deep shells in shells are looked into.
const MAX_DEPTH: usize = 4;

/// Why a list denies a call, if it does.
pub(super) fn denies(
    tools: &AllowedTools,
    folder: Option<&Path>,
    request: &GuardRequest,
    world: &dyn Surroundings,
) -> Option<Refusal> {
    if tools.unbalanced {
        let reason = "the list of denied tools has a parenthesis without its partner";
        return Some(Refusal::new(reason));
    }
    tools.patterns.iter().find_map(|pattern| {
        let rule = Rule::new(pattern, folder);
        let reason = rule.reason_against(request, world)?;
        Some(Refusal::by(pattern, reason))
    })
}

impl Rule {
    fn reason_against(&self, request: &GuardRequest, world: &dyn Surroundings) -> Option<String> {
        let kind = tool::kind(&request.tool);
        if let (Scope::Files(pattern), Kind::File(FileUse::Write | FileUse::Read) | Kind::Command) =
            (&self.scope, kind)
        {
            return files(pattern, tool::kind(&self.pattern.tool), request, world);
        }
        let denied = tool::kind(&self.pattern.tool);
        if let (Scope::All, Kind::File(_), Kind::Command) = (&self.scope, denied, kind) {
            return match redirected(request, denied) {
                Ok(opens) if opens.is_empty() => None,
                Ok(_) => Some("it opens a file as the denied tool would".into()),
                Err(problem) => Some(may_open(&problem)),
            };
        }
        // `Read(*)` is about files, as `Read(**)` is.
        let is_about_files = matches!(denied, Kind::File(_)) && self.pattern.argument.is_some();
        if matches!(self.scope, Scope::All) && is_about_files && kind == denied {
            return Some("every file is denied".into());
        }
        if !is_named(&self.pattern.tool, &request.tool) {
            return None;
        }
        match &self.scope {
            Scope::All => Some("the tool is denied".into()),
            Scope::Nothing => Some("the tool is denied by a pattern that is not understood".into()),
            Scope::Commands(patterns) => commands(patterns, request),
            Scope::Domain(domain) => {
                let addresses = request.input.texts(&["url"]);
                let is_other = |address: &&str| {
                    web::host(address).is_some_and(|host| {
                        !web::domain_matches(domain, &host)
                            && !web::domain_matches(&format!("*.{domain}"), &host)
                    })
                };
                let all_others = addresses.is_some_and(|all| all.iter().all(is_other));
                (!all_others).then(|| "the address is denied, or cannot be understood".into())
            }
            Scope::Text(text) => {
                let input = serde_json::to_string(text).unwrap_or_default();
                let holds = match &request.input {
                    super::GuardInput::Text(given) => given.contains(text.as_str()),
                    super::GuardInput::Fields(fields) => fields
                        .values()
                        .any(|value| value.to_string().contains(input.trim_matches('"'))),
                };
                holds.then(|| "the input is denied".into())
            }
            Scope::Files(_) => None,
        }
    }
}

/// Names are compared without case: `bash` must not slip past `Bash`.
fn is_named(pattern: &str, tool: &str) -> bool {
    tool::is_named(pattern, tool)
        || tool::is_named(&pattern.to_ascii_lowercase(), &tool.to_ascii_lowercase())
}

/// Whether a call touches a file that a pattern denies, in the way it denies.
fn files(
    pattern: &PathPattern,
    denied: Kind,
    request: &GuardRequest,
    world: &dyn Surroundings,
) -> Option<String> {
    let touches = |path: &str| match Place::of(path, world) {
        Some(place) => pattern.denies(&place, world),
        None => true,
    };
    let found = match tool::kind(&request.tool) {
        Kind::Command => match redirected(request, denied) {
            Ok(paths) => paths.iter().any(|path| touches(path)),
            Err(problem) => return Some(may_open(&problem)),
        },
        kind if kind != denied => return None,
        _ => paths(request).is_none_or(|paths| paths.iter().any(|path| touches(path))),
    };
    found.then(|| "the file is denied, or cannot be told".into())
}

/// The files that redirections of a command open in the way that is denied, or why that cannot be
/// told.
fn redirected(request: &GuardRequest, denied: Kind) -> Result<Vec<String>, String> {
    let access = match denied {
        Kind::File(FileUse::Write) => Access::Write,
        _ => Access::Read,
    };
    opened::by(&request.input, access)
}

fn may_open(problem: &str) -> String {
    format!("it may open a file that is denied: {problem}")
}

/// Whether a command could be one that is denied.
fn commands(patterns: &[CommandPattern], request: &GuardRequest) -> Option<String> {
    let found = match command::commands(&request.input) {
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
    if subscript::may_run(program, arguments) {
        return true;
    }
    if wrapper::starts_others(program) {
        return names_it(program, arguments, pattern);
    }
    // Whoever is not known to take words as data may start a program that they name.
    let mut behind = (1..command.words.len()).map(|at| &command.words[at..]);
    !harmless::takes_data(&command.words)
        && behind.any(|words| may_be_started(words, pattern, depth + 1))
}

/// Whether a program that starts others may be given the denied one, however that is written.
fn names_it(program: &str, arguments: &[Word], pattern: &CommandPattern) -> bool {
    let denied = base_name(pattern.program_name());
    arguments.iter().any(|word| match word.literal() {
        Some(text) => {
            // Some read quotes once more, as `env -S` does.
            let bare = text.replace(['"', '\'', '\\'], "");
            let value = wrapper::command_in_option(program, &bare);
            names(text, denied) || names(&bare, denied) || value.is_some_and(|it| names(it, denied))
        }
        None => true,
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
    let commands = shell::read(text).unwrap_or_default();
    commands
        .iter()
        .any(|command| may_be_started(&command.words, pattern, depth + 1))
}

/// Whether a text has the name of a program in it, or that of a shell, which may be given anything.
fn names(text: &str, denied: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && !"_.-+".contains(c))
        .any(|part| part == denied || wrapper::is_shell(part))
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
