//! What is asked and what is answered.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use skillyard_format::Skill;
use skillyard_format::allowed_tools::AllowedTools;

/// A tool call that a model wants to make.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct GuardRequest {
    /// The tool, such as `Bash`.
    pub tool: String,
    /// What it is called with.
    pub input: GuardInput,
}

impl GuardRequest {
    /// A call with one text, such as the command of `Bash`.
    pub fn text(tool: &str, input: &str) -> Self {
        Self {
            tool: tool.to_owned(),
            input: GuardInput::Text(input.to_owned()),
        }
    }
}

/// What a tool is called with.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum GuardInput {
    /// One text: a command, a path or an address.
    Text(String),
    /// Named values, as models send them.
    Fields(Map<String, Value>),
}

impl GuardInput {
    /// The text, or every one of the named values that is there.
    pub(super) fn values(&self, keys: &[&str]) -> Vec<&Value> {
        match self {
            Self::Text(_) => Vec::new(),
            Self::Fields(fields) => keys.iter().filter_map(|key| fields.get(*key)).collect(),
        }
    }

    /// The texts under `keys`; `None` when there are none, or one is not text.
    pub(super) fn texts(&self, keys: &[&str]) -> Option<Vec<&str>> {
        if let Self::Text(text) = self {
            return Some(vec![text]);
        }
        let texts: Option<Vec<&str>> = self.values(keys).into_iter().map(Value::as_str).collect();
        texts.filter(|texts| !texts.is_empty())
    }
}

/// A skill that is active, as far as the guard needs it.
#[derive(Debug, Clone)]
pub struct ActiveSkill {
    /// Its name.
    pub name: String,
    /// Its folder, which patterns may name as `${CLAUDE_SKILL_DIR}`.
    pub folder: Option<PathBuf>,
    /// Its `allowed-tools`.
    pub allowed: ToolList,
    /// Its `disallowed-tools`.
    pub disallowed: ToolList,
}

/// A list of tools as a skill declares it.
#[derive(Debug, Clone, Default)]
pub enum ToolList {
    /// There is none.
    #[default]
    Absent,
    /// There is one, but it cannot be read: it allows nothing, or denies everything.
    Unreadable,
    /// There is one, perhaps without patterns.
    Declared(AllowedTools),
}

impl ToolList {
    /// Reads a list from text, as it stands in a skill.
    pub fn parse(text: &str) -> Self {
        Self::Declared(AllowedTools::parse(text))
    }

    fn of(declared: bool, list: Option<AllowedTools>) -> Self {
        match (declared, list) {
            (false, _) => Self::Absent,
            (true, None) => Self::Unreadable,
            (true, Some(list)) => Self::Declared(list),
        }
    }
}

impl ActiveSkill {
    /// What `skill` declares.
    pub fn of(skill: &Skill, folder: Option<&Path>) -> Self {
        let declares = |key: &str| skill.frontmatter.get(key).is_some();
        Self {
            name: skill.name.clone(),
            folder: folder.map(Path::to_owned),
            // One without a tool in it is empty, which is not the same as unreadable.
            allowed: match skill.frontmatter.get("allowed-tools") {
                None => ToolList::Absent,
                Some(entry) => ToolList::of(true, AllowedTools::from_node(&entry.value)),
            },
            disallowed: ToolList::of(declares("disallowed-tools"), skill.disallowed_tools()),
        }
    }
}

/// Tools that a policy denies, whatever skills allow.
#[derive(Debug, Clone)]
pub struct DenyLayer {
    /// Whose policy it is, such as `org` or `user`.
    pub name: String,
    /// What it denies.
    pub tools: AllowedTools,
}

/// Whether a call may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GuardVerdict {
    /// It may.
    Allowed,
    /// It may not.
    Denied,
}

/// The answer, with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GuardDecision {
    /// Whether the call may be made.
    pub verdict: GuardVerdict,
    /// The skill that decided, or `policy:NAME` for a policy.
    pub skill: Option<String>,
    /// The patterns that decided, as the standard writes a list.
    pub pattern: Option<String>,
    /// Why, in a sentence.
    pub reason: String,
    /// What the runtime should still ask the user about.
    pub caution: Option<String>,
}

impl GuardDecision {
    /// The answer to every call while a skill is active that must not be used.
    pub fn withheld(skill: &str, reason: &str) -> Self {
        Self {
            verdict: GuardVerdict::Denied,
            skill: Some(skill.to_owned()),
            pattern: None,
            reason: format!("the skill may not be used: {reason}"),
            caution: None,
        }
    }
}

/// What the guard must know of the machine; it never looks itself.
pub trait GuardEnvironment {
    /// The folder that the tools work in, absolute.
    fn workspace(&self) -> &Path;
    /// The user's home directory.
    fn home(&self) -> Option<&Path>;
    /// `path` with links resolved as far as it exists; `None` when that fails.
    fn canonical(&self, path: &Path) -> Option<PathBuf>;
    /// Where the program of a bare name lies, with links resolved.
    fn program(&self, name: &str) -> Option<PathBuf>;
}
