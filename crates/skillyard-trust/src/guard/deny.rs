//! Lists that deny: `disallowed-tools`, and what a policy forbids.
//!
//! An allowing pattern must be proven to match; a denying one matches already when it might.

use std::borrow::Cow;
use std::path::Path;

use skillyard_format::allowed_tools::{AllowedTools, ToolPattern};
use skillyard_format::name::normalise;

use super::denied_command::{commands, script};
use super::denied_file::{any_file, files};
use super::meant::may_name;
use super::pattern::CommandPattern;
use super::request::{ActiveSkill, GuardInput, GuardRequest, Surroundings};
use super::rule::{Refusal, Rule, Scope};
use super::skill::Runs;
use super::tool::{self, Kind};
use super::web;
use crate::wildcard;

/// A call in every form in which a list may deny it.
pub(super) struct Call<'a> {
    /// The call, with the usual name of its tool.
    request: Cow<'a, GuardRequest>,
    /// The commands that would run the same script.
    runs: Runs,
}

impl<'a> Call<'a> {
    /// The call that is asked about while these skills are active.
    pub(super) fn of(request: &'a GuardRequest, skills: &[ActiveSkill]) -> Self {
        let usual = tool::usual(&request.tool);
        let mut call = Cow::Borrowed(request);
        if usual != request.tool {
            usual.clone_into(&mut call.to_mut().tool);
        }
        Self {
            request: call,
            runs: Runs::of_call(request, skills),
        }
    }
}

/// Why a list denies a call, if it does.
pub(super) fn denies(
    tools: &AllowedTools,
    folder: Option<&Path>,
    call: &Call<'_>,
    world: &dyn Surroundings,
) -> Option<Refusal> {
    if tools.unbalanced {
        let reason = "the list of denied tools has a parenthesis without its partner";
        return Some(Refusal::new(reason));
    }
    tools.patterns.iter().find_map(|pattern| {
        let rule = Rule::denying(pattern, folder);
        let reason = rule.reason_against(&call.request, world);
        let reason = reason.or_else(|| rule.reason_against_script(&call.runs))?;
        Some(Refusal::by(pattern, reason))
    })
}

impl Rule {
    /// Understands one pattern of a list that denies.
    pub(super) fn denying(pattern: &ToolPattern, folder: Option<&Path>) -> Self {
        let tool = tool::usual(&pattern.tool);
        let scope = match (pattern.argument.as_deref(), tool::kind(tool)) {
            (Some(text), Kind::Command) if text != "*" => {
                CommandPattern::denied(text, folder).map_or(Scope::Nothing, Scope::Commands)
            }
            (Some(text), Kind::File(_)) if is_filled_in(text) => Scope::Nothing,
            (Some(text), Kind::Address) if text != "*" => {
                let domain = text
                    .strip_prefix("domain:")
                    .map(|name| name.trim_matches('.'));
                let is_host = |c: char| c.is_ascii_alphanumeric() || "-._*".contains(c);
                match domain {
                    Some(name) if !name.is_empty() && name.chars().all(is_host) => {
                        Scope::Domain(name.to_ascii_lowercase())
                    }
                    _ => Scope::Nothing,
                }
            }
            _ => Scope::of(tool, pattern.argument.as_deref(), folder),
        };
        Self {
            pattern: pattern.clone(),
            scope,
        }
    }

    fn reason_against(&self, request: &GuardRequest, world: &dyn Surroundings) -> Option<String> {
        let mut denied = tool::kinds(&self.pattern.tool).into_iter();
        if let Scope::Files(pattern) = &self.scope {
            return denied.find_map(|denied| files(pattern, denied, request, world));
        }
        if may_name(&self.pattern.tool, &request.tool) {
            return self.reason_by_name(request);
        }
        let mut denied = denied.filter(|kind| matches!(kind, Kind::File(_)));
        match tool::kind(&request.tool) {
            Kind::Command => denied.find_map(|denied| any_file(&request.input, denied)),
            // `Read(*)` is about files, as `Read(**)` is.
            kind if self.pattern.argument.is_some() && denied.any(|denied| denied == kind) => {
                Some("every file is denied".into())
            }
            _ => None,
        }
    }

    /// The same for a tool that the pattern names.
    fn reason_by_name(&self, request: &GuardRequest) -> Option<String> {
        match &self.scope {
            Scope::All => Some("the tool is denied".into()),
            // What files are meant is not known for a tool of another kind.
            Scope::Nothing | Scope::Files(_) => {
                Some("the tool is denied by a pattern that is not understood".into())
            }
            Scope::Commands(patterns) => commands(patterns, &request.input),
            Scope::Domain(domain) => {
                let addresses = request.input.texts(&["url"]);
                let is_other = |address: &&str| {
                    web::host(address).is_some_and(|host| {
                        !wildcard::matches(domain, &host)
                            && !wildcard::matches(&format!("*.{domain}"), &host)
                    })
                };
                let all_others = addresses.is_some_and(|all| all.iter().all(is_other));
                (!all_others).then(|| "the address is denied, or cannot be understood".into())
            }
            Scope::Text(text) => holds(&request.input, text).then(|| "the input is denied".into()),
        }
    }

    /// The same for a script, which runs as a command does.
    fn reason_against_script(&self, runs: &Runs) -> Option<String> {
        let is_meant = tool::kinds(&self.pattern.tool).contains(&Kind::Command);
        if runs.itself.is_empty() || !is_meant {
            return None;
        }
        let is_denied = match &self.scope {
            Scope::Commands(patterns) => script(patterns, runs),
            _ => true,
        };
        is_denied.then(|| "a script runs as a command does, which is denied".into())
    }
}

/// Whether a path begins with a variable, which nobody fills in.
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
