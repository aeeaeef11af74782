//! Lists that deny: `disallowed-tools`, and what a policy forbids.
//!
//! An allowing pattern must be proven to match; a denying one matches already when it might.

use std::path::Path;

use skillyard_format::allowed_tools::AllowedTools;

use super::command;
use super::path::{PathPattern, Place};
use super::pattern::{CommandPattern, base_name};
use super::request::{GuardRequest, Surroundings};
use super::rule::{Refusal, Rule, Scope, paths};
use super::shell::{Access, SimpleCommand, Word};
use super::tool::{self, FileUse, Kind};
use super::web;
use super::wrapper;

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
        Kind::Command => redirected(request, denied)?
            .iter()
            .any(|path| touches(path)),
        kind if kind != denied => return None,
        _ => paths(request).is_none_or(|paths| paths.iter().any(|path| touches(path))),
    };
    found.then(|| "the file is denied, or cannot be told".into())
}

/// The files that redirections of a command open in the way that is denied.
fn redirected(request: &GuardRequest, denied: Kind) -> Option<Vec<String>> {
    let access = match denied {
        Kind::File(FileUse::Write) => Access::Write,
        _ => Access::Read,
    };
    // A command that cannot be read is for the patterns of commands to judge.
    let commands = command::commands(&request.input).ok()?;
    let redirections = commands.iter().flat_map(|command| &command.redirections);
    let targets = redirections
        .filter(|redirection| redirection.access == access)
        // An empty path counts as one that cannot be told.
        .map(|redirection| redirection.target.literal().unwrap_or_default().to_owned());
    Some(targets.collect())
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
            .any(|pattern| may_start(command, pattern) && !command.words.is_empty())
    };
    found
        .iter()
        .any(is_denied)
        .then(|| "it is denied, or may start what is denied".into())
}

fn may_start(command: &SimpleCommand, pattern: &CommandPattern) -> bool {
    if pattern.may_mean(&command.words) {
        return true;
    }
    let Some(program) = command.program() else {
        return true;
    };
    if !wrapper::starts_others(program) {
        return false;
    }
    let denied = base_name(pattern.program_name());
    let arguments = &command.words[1..];
    let names_it = |word: &Word| match word.literal() {
        Some(text) => text
            .split(|c: char| !c.is_alphanumeric() && !"_.-+".contains(c))
            .any(|part| part == denied),
        None => true,
    };
    let reads_input = wrapper::is_shell(program)
        && !arguments
            .iter()
            .any(|word| word.literal().is_some_and(|text| !text.starts_with('-')));
    reads_input || arguments.iter().any(names_it)
}
