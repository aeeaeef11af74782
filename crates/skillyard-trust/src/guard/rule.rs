//! The rules of one skill: its `allowed-tools`, ready to be asked.

use std::path::Path;

use skillyard_format::allowed_tools::{AllowedTools, ToolPattern};

use crate::guard::command::{self, Grants};
use crate::guard::path::{FilePath, PathPattern};
use crate::guard::pattern::CommandPattern;
use crate::guard::request::{
    ActiveSkill, GuardDecision, GuardEnvironment, GuardInput, GuardRequest, GuardVerdict, ToolList,
};
use crate::guard::tool::{self, ToolKind};

/// Why a call is not allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The pattern that came closest, or that denies.
    pub(super) pattern: Option<String>,
    /// Why, in a sentence.
    pub(super) reason: String,
}

impl Refusal {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self {
            pattern: None,
            reason: reason.into(),
        }
    }

    pub(super) fn by(pattern: &impl ToString, reason: impl Into<String>) -> Self {
        Self {
            pattern: Some(pattern.to_string()),
            reason: reason.into(),
        }
    }
}

/// A call that is allowed, by these patterns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Allowance {
    patterns: Vec<String>,
    reason: String,
    caution: Option<&'static str>,
}

impl Allowance {
    pub(super) fn decision(self, skill: &str, request: &GuardRequest) -> GuardDecision {
        GuardDecision {
            verdict: GuardVerdict::Allowed,
            skill: Some(skill.to_owned()),
            pattern: Some(self.patterns.join(" ")),
            reason: self.reason,
            caution: self
                .caution
                .or_else(|| tool::caution(&request.tool))
                .map(str::to_owned),
        }
    }
}

/// One pattern of a list, understood.
#[derive(Debug, Clone)]
pub(super) struct ToolRule {
    pub(super) pattern: ToolPattern,
    pub(super) scope: RuleScope,
}

/// What a rule covers of its tool.
#[derive(Debug, Clone)]
pub(super) enum RuleScope {
    /// Every input.
    All,
    /// Commands.
    Commands(Vec<CommandPattern>),
    /// Files.
    Files(Box<PathPattern>),
    /// Hosts.
    Domain(String),
    /// This one input.
    Text(String),
    /// Nothing: the pattern is not understood.
    Nothing,
}

impl ToolRule {
    /// Understands one pattern of a list that allows.
    pub(super) fn new(pattern: &ToolPattern, folder: Option<&Path>) -> Self {
        Self {
            pattern: pattern.clone(),
            scope: RuleScope::of(&pattern.tool, pattern.argument.as_deref(), folder),
        }
    }
}

impl RuleScope {
    /// What an argument means to a tool.
    pub(super) fn of(tool: &str, argument: Option<&str>, folder: Option<&Path>) -> Self {
        match (argument, tool::kind(tool)) {
            (Some(_), _) if tool.contains('*') => Self::Nothing,
            (None | Some("*"), _) => Self::All,
            (Some(text), ToolKind::Command) => match CommandPattern::all(text, folder) {
                commands if commands.is_empty() => Self::Nothing,
                commands => Self::Commands(commands),
            },
            (Some(text), ToolKind::File(_)) => PathPattern::new(text)
                .map_or(Self::Nothing, |pattern| Self::Files(Box::new(pattern))),
            (Some(text), ToolKind::Address) => match text.strip_prefix("domain:") {
                Some(domain) if !domain.is_empty() => Self::Domain(domain.to_owned()),
                _ => Self::Nothing,
            },
            (Some(""), ToolKind::Other) => Self::Nothing,
            (Some(text), ToolKind::Other) => Self::Text(text.to_owned()),
        }
    }
}

/// The rules of a list.
#[derive(Debug, Clone)]
pub(super) enum Rules {
    /// The list cannot be read or is empty, and allows nothing.
    Unreadable(&'static str),
    /// The list.
    Known(Vec<ToolRule>),
}

impl Rules {
    /// Understands what a skill declares.
    pub(super) fn of(skill: &ActiveSkill) -> Self {
        match &skill.allowed {
            ToolList::Absent => Self::Known(Vec::new()),
            ToolList::Unreadable => Self::Unreadable("its `allowed-tools` cannot be read"),
            ToolList::Declared(AllowedTools {
                unbalanced: true, ..
            }) => Self::Unreadable("its `allowed-tools` has a parenthesis without its partner"),
            ToolList::Declared(tools) if tools.patterns.is_empty() => {
                Self::Unreadable("its `allowed-tools` names no tool, so it allows none")
            }
            ToolList::Declared(tools) => {
                let folder = skill.folder.as_deref();
                let rules = tools.patterns.iter();
                Self::Known(
                    rules
                        .map(|pattern| ToolRule::new(pattern, folder))
                        .collect(),
                )
            }
        }
    }

    /// Whether the rules allow a call.
    pub(super) fn allow(
        &self,
        request: &GuardRequest,
        world: &dyn GuardEnvironment,
    ) -> Result<Allowance, Refusal> {
        let rules = match self {
            Self::Unreadable(reason) => return Err(Refusal::new(*reason)),
            Self::Known(rules) => rules,
        };
        let own: Vec<&ToolRule> = rules
            .iter()
            .filter(|rule| tool::is_named(&rule.pattern.tool, &request.tool))
            .collect();
        if own.is_empty() {
            return Err(Refusal::new(format!(
                "`{}` is not in its `allowed-tools`",
                request.tool
            )));
        }
        if let Some(rule) = own.iter().find(|rule| matches!(rule.scope, RuleScope::All)) {
            let is_shell = tool::kind(&request.tool) == ToolKind::Command;
            return Ok(Allowance {
                patterns: vec![rule.pattern.to_string()],
                reason: format!("`{}` allows every input", rule.pattern),
                caution: is_shell.then_some("the list allows every command"),
            });
        }
        if tool::kind(&request.tool) == ToolKind::Command {
            let grants = Grants { rules, own: &own };
            let patterns = command::allow(&request.input, &grants, world)?;
            let reason = "every command in it matches".to_owned();
            return Ok(Allowance {
                patterns,
                reason,
                caution: None,
            });
        }
        let found = own.iter().find(|rule| rule.covers(request, world));
        match found {
            Some(rule) => Ok(Allowance {
                patterns: vec![rule.pattern.to_string()],
                reason: "the input matches".into(),
                caution: None,
            }),
            None => Err(Refusal::by(
                &list(&own),
                "the input does not match, or cannot be understood",
            )),
        }
    }
}

/// The patterns of rules, as the standard writes a list.
pub(super) fn list(rules: &[&ToolRule]) -> String {
    let patterns: Vec<String> = rules.iter().map(|rule| rule.pattern.to_string()).collect();
    patterns.join(" ")
}

/// The names under which tools get a path.
pub(super) const PATH_KEYS: [&str; 3] = ["file_path", "path", "notebook_path"];

impl ToolRule {
    fn covers(&self, request: &GuardRequest, world: &dyn GuardEnvironment) -> bool {
        match &self.scope {
            RuleScope::All => true,
            RuleScope::Nothing | RuleScope::Commands(_) => false,
            RuleScope::Files(pattern) => paths(request).is_some_and(|paths| {
                let searches = tool::searches(&request.tool);
                let covers = |place: FilePath| {
                    pattern.allows(&place, world)
                        || (searches && pattern.allows_below(&place, world))
                };
                paths
                    .iter()
                    .all(|path| FilePath::of(path, world).is_some_and(covers))
            }),
            RuleScope::Domain(domain) => request.input.texts(&["url"]).is_some_and(|addresses| {
                addresses.iter().all(|address| {
                    tool::host(address).is_some_and(|host| tool::domain_matches(domain, &host))
                })
            }),
            RuleScope::Text(text) => {
                let keys = ["skill", "command", "subagent_type", "agent"];
                let inputs = request.input.texts(&keys);
                inputs.is_some_and(|inputs| inputs.iter().all(|input| input == text))
            }
        }
    }
}

/// The paths that a call names; `None` if unknown.
pub(super) fn paths(request: &GuardRequest) -> Option<Vec<&str>> {
    if tool::searches(&request.tool)
        && let GuardInput::Fields(fields) = &request.input
    {
        // What is looked for may name a place too.
        let pattern = fields.get("pattern").and_then(serde_json::Value::as_str);
        let leaves = |text: &str| text.starts_with(['/', '~']) || text.contains("..");
        if request.tool == "Glob" && pattern.is_none_or(leaves) {
            return None;
        }
        if request.input.values(&PATH_KEYS).is_empty() {
            return Some(vec!["."]);
        }
    }
    request.input.texts(&PATH_KEYS)
}
