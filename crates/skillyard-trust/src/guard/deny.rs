//! Lists that deny: `disallowed-tools`, and what a policy forbids.
//!
//! An allowing pattern must be proven to match; a denying one matches already when it might.

use std::borrow::Cow;
use std::path::Path;

use serde_json::Value;
use skillyard_format::allowed_tools::{AllowedTools, ToolPattern};
use skillyard_format::name::normalise;

use crate::guard::options::socat::program_of_address;
use crate::guard::path::{FilePath, PathPattern};
use crate::guard::pattern::{CommandPattern, base_name};
use crate::guard::request::{ActiveSkill, GuardEnvironment, GuardInput, GuardRequest};
use crate::guard::rule::{Refusal, RuleScope, ToolRule};
use crate::guard::shell::{self, FileAccess, SimpleCommand, Word};
use crate::guard::skill::ScriptCommands;
use crate::guard::tool::{self, FileUse, ToolKind, may_match_tool};
use crate::guard::{command, deferred_exec, opened_files, programs, wrapper};
use crate::wildcard;

/// A call in every form in which a list may deny it.
pub(super) struct DeniedCall<'a> {
    /// The call, with the usual name of its tool.
    request: Cow<'a, GuardRequest>,
    /// The commands that would run the same script.
    runs: ScriptCommands,
}

impl<'a> DeniedCall<'a> {
    /// The call that is asked about while these skills are active.
    pub(super) fn of(request: &'a GuardRequest, skills: &[ActiveSkill]) -> Self {
        let usual = tool::usual(&request.tool);
        let mut call = Cow::Borrowed(request);
        if usual != request.tool {
            usual.clone_into(&mut call.to_mut().tool);
        }
        Self {
            request: call,
            runs: ScriptCommands::of_call(request, skills),
        }
    }
}

/// Why a list denies a call, if it does.
pub(super) fn denies(
    tools: &AllowedTools,
    folder: Option<&Path>,
    call: &DeniedCall<'_>,
    world: &dyn GuardEnvironment,
) -> Option<Refusal> {
    if tools.unbalanced {
        let reason = "the list of denied tools has a parenthesis without its partner";
        return Some(Refusal::new(reason));
    }
    tools.patterns.iter().find_map(|pattern| {
        let rule = ToolRule::denying(pattern, folder);
        let reason = rule.reason_against(&call.request, world);
        let reason = reason.or_else(|| rule.reason_against_script(&call.runs))?;
        Some(Refusal::by(pattern, reason))
    })
}

impl ToolRule {
    /// Understands one pattern of a list that denies.
    pub(super) fn denying(pattern: &ToolPattern, folder: Option<&Path>) -> Self {
        let tool = tool::usual(&pattern.tool);
        let scope = match (pattern.argument.as_deref(), tool::kind(tool)) {
            (Some(text), ToolKind::Command) if text != "*" => {
                CommandPattern::denied(text, folder).map_or(RuleScope::Nothing, RuleScope::Commands)
            }
            (Some(text), ToolKind::File(_)) if is_filled_in(text) => RuleScope::Nothing,
            (Some(text), ToolKind::Address) if text != "*" => {
                let domain = text
                    .strip_prefix("domain:")
                    .map(|name| name.trim_matches('.'));
                let is_host = |c: char| c.is_ascii_alphanumeric() || "-._*".contains(c);
                match domain {
                    Some(name) if !name.is_empty() && name.chars().all(is_host) => {
                        RuleScope::Domain(name.to_ascii_lowercase())
                    }
                    _ => RuleScope::Nothing,
                }
            }
            _ => RuleScope::of(tool, pattern.argument.as_deref(), folder),
        };
        Self {
            pattern: pattern.clone(),
            scope,
        }
    }

    fn reason_against(
        &self,
        request: &GuardRequest,
        world: &dyn GuardEnvironment,
    ) -> Option<String> {
        let mut denied = tool::kinds(&self.pattern.tool).into_iter();
        if let RuleScope::Files(pattern) = &self.scope {
            return denied.find_map(|denied| touches_file(pattern, denied, request, world));
        }
        if may_match_tool(&self.pattern.tool, &request.tool) {
            return self.reason_by_name(request);
        }
        let mut denied = denied.filter(|kind| matches!(kind, ToolKind::File(_)));
        match tool::kind(&request.tool) {
            ToolKind::Command => denied.find_map(|denied| opens_any_file(&request.input, denied)),
            // `Read(*)` is about files, as `Read(**)` is.
            kind if self.pattern.argument.is_some() && denied.any(|denied| denied == kind) => {
                Some("every file is denied".into())
            }
            _ => None,
        }
    }

    /// Why the rule denies a call of the tool that it names.
    fn reason_by_name(&self, request: &GuardRequest) -> Option<String> {
        match &self.scope {
            RuleScope::All => Some("the tool is denied".into()),
            // What files are meant is not known for a tool of another kind.
            RuleScope::Nothing | RuleScope::Files(_) => {
                Some("the tool is denied by a pattern that is not understood".into())
            }
            RuleScope::Commands(patterns) => denied_commands(patterns, &request.input),
            RuleScope::Domain(domain) => {
                let addresses = request.input.texts(&["url"]);
                let is_other = |address: &&str| {
                    tool::host(address).is_some_and(|host| {
                        !wildcard::matches(domain, &host)
                            && !wildcard::matches(&format!("*.{domain}"), &host)
                    })
                };
                let all_others = addresses.is_some_and(|all| all.iter().all(is_other));
                (!all_others).then(|| "the address is denied, or cannot be understood".into())
            }
            RuleScope::Text(text) => {
                holds(&request.input, text).then(|| "the input is denied".into())
            }
        }
    }

    /// Why the rule denies a script, which runs as a command does.
    fn reason_against_script(&self, runs: &ScriptCommands) -> Option<String> {
        let is_meant = tool::kinds(&self.pattern.tool).contains(&ToolKind::Command);
        if runs.itself.is_empty() || !is_meant {
            return None;
        }
        let is_denied = match &self.scope {
            RuleScope::Commands(patterns) => denied_script(patterns, runs),
            _ => true,
        };
        is_denied.then(|| "a script runs as a command does, which is denied".into())
    }
}

/// Whether a path begins with a variable, which is not expanded.
fn is_filled_in(path: &str) -> bool {
    let name = path.strip_prefix('$');
    let is_variable = name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
    is_variable || path.contains("${") || path.starts_with('~') && !path.starts_with("~/")
}

/// Whether a text, with `*` for anything, stands anywhere in an input, in any spelling.
fn holds(input: &GuardInput, text: &str) -> bool {
    let plain = |text: &str| normalise(text).to_lowercase();
    let text = text.trim_end_matches(['*', ':', ' ']);
    let wanted = format!("*{}*", plain(text));
    let quoted = serde_json::to_string(text).unwrap_or_default();
    let quoted = format!("*{}*", plain(quoted.trim_matches('"')));
    match input {
        GuardInput::Text(given) => wildcard::matches(&wanted, &plain(given)),
        GuardInput::Fields(fields) => fields
            .values()
            .any(|value| wildcard::matches(&quoted, &plain(&value.to_string()))),
    }
}

/// How deep shells in shells are looked into.
const MAX_SHELL_DEPTH: usize = 4;

/// Whether a command could be one that is denied.
pub(super) fn denied_commands(patterns: &[CommandPattern], input: &GuardInput) -> Option<String> {
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
pub(super) fn denied_script(patterns: &[CommandPattern], runs: &ScriptCommands) -> bool {
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
    if wrapper::runs_text(program) || depth > MAX_SHELL_DEPTH {
        return true;
    }
    let arguments = &command.words[1..];
    if wrapper::is_shell(program) {
        return may_run(arguments, pattern, depth);
    }
    if deferred_exec::may_run_subscript(program, arguments)
        || deferred_exec::reads_commands(&command.words)
    {
        return true;
    }
    if wrapper::starts_others(program) {
        return deferred_exec::reads_commands_behind(program, arguments)
            || names_it(program, arguments, pattern)
            || base_name(program) == "socat" && has_address(arguments, pattern, depth);
    }
    let mut told = arguments.iter().filter_map(Word::literal);
    let is_told = programs::has_commands(program) || programs::has_starting_option(&command.words);
    if is_told && told.any(|text| names(text, pattern)) {
        return true;
    }
    // A program that is not known to treat words as data may start a program that they name.
    let mut behind = (1..command.words.len()).map(|at| &command.words[at..]);
    !programs::takes_data(&command.words)
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
        .filter_map(|word| program_of_address(word.literal()?));
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
    if text.contains("://") || depth > MAX_SHELL_DEPTH {
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

/// What tools for files are given besides paths, without case and `_`.
#[rustfmt::skip]
const DATA_FIELDS: &[&str] = &[
    "cellid", "celltype", "content", "contents", "description", "editmode", "exclude", "glob",
    "ignore", "include", "newsource", "newstr", "newstring", "newtext", "oldstr", "oldstring",
    "oldtext", "outputmode", "pattern", "text", "type",
];
/// How the names of words end that are paths and nothing else.
const PATH_ENDINGS: [&str; 6] = ["path", "paths", "file", "files", "filename", "uri"];

/// Why a call accesses a denied file, if it does.
pub(super) fn touches_file(
    pattern: &PathPattern,
    denied: ToolKind,
    request: &GuardRequest,
    world: &dyn GuardEnvironment,
) -> Option<String> {
    let touches = |path: &str| {
        let path = path.trim();
        let path = path.strip_prefix("file://").unwrap_or(path);
        FilePath::of(path, world).is_none_or(|place| pattern.denies(&place, world))
    };
    let found = match tool::kind(&request.tool) {
        ToolKind::Command => match redirected(&request.input, denied) {
            Ok(paths) => paths.iter().any(|path| touches(path)),
            Err(problem) => return Some(may_open(&problem)),
        },
        kind if kind != denied => return None,
        _ => paths(request).is_none_or(|paths| paths.iter().any(|path| touches(path))),
    };
    found.then(|| "the file is denied, or cannot be told".into())
}

/// Why a command opens any file with the denied access, if it does.
pub(super) fn opens_any_file(input: &GuardInput, denied: ToolKind) -> Option<String> {
    match redirected(input, denied) {
        Ok(opens) if opens.is_empty() => None,
        Ok(_) => Some("it opens a file as the denied tool would".into()),
        Err(problem) => Some(may_open(&problem)),
    }
}

/// The files that redirections of a command open with the denied access, or why they are
/// told.
fn redirected(input: &GuardInput, denied: ToolKind) -> Result<Vec<String>, String> {
    let access = match denied {
        ToolKind::File(FileUse::Write) => FileAccess::Write,
        _ => FileAccess::Read,
    };
    opened_files::opened_by(input, access)
}

fn may_open(problem: &str) -> String {
    format!("it may open a file that is denied: {problem}")
}

/// The paths that a call may name; `None` if unknown.
fn paths(request: &GuardRequest) -> Option<Vec<&str>> {
    let searches = tool::searches(&request.tool);
    let fields = match &request.input {
        GuardInput::Text(text) => return Some(vec![text]),
        GuardInput::Fields(fields) => fields,
    };
    if command::runs_elsewhere(&request.input) {
        return None;
    }
    let mut words = PathWords::default();
    for (key, value) in fields {
        words.take(key, value)?;
    }
    // What is looked for may name a place too.
    let pattern = fields.get("pattern").and_then(Value::as_str);
    let leaves = |text: &str| text.starts_with(['/', '~']) || text.contains("..");
    if request.tool == "Glob" && pattern.is_none_or(leaves) {
        return None;
    }
    if searches && !words.has_path {
        words.found.push(".");
    }
    (!words.found.is_empty()).then_some(words.found)
}

/// The words of a call that may be paths.
#[derive(Default)]
struct PathWords<'a> {
    found: Vec<&'a str>,
    has_path: bool,
}

impl<'a> PathWords<'a> {
    /// Adds the value of a field; `None` if it is an unknown path.
    fn take(&mut self, key: &str, value: &'a Value) -> Option<()> {
        let key = key.to_ascii_lowercase().replace(['_', '-'], "");
        if DATA_FIELDS.contains(&key.as_str()) {
            return Some(());
        }
        let is_path = PATH_ENDINGS.iter().any(|end| key.ends_with(end));
        self.has_path |= is_path;
        match value {
            Value::String(text) => {
                // Only a path is one with a line break in it.
                if is_path || !text.contains(char::is_control) {
                    self.found.push(text);
                }
                Some(())
            }
            Value::Array(all) => all.iter().try_for_each(|each| self.take(&key, each)),
            Value::Object(fields) => {
                let mut fields = fields.iter();
                fields.try_for_each(|(key, each)| self.take(key, each))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => (!is_path).then_some(()),
        }
    }
}
