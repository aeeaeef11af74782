//! A skill as pages and programs see it.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use skillyard_catalog::CatalogSkill;
use skillyard_format::tokens::estimate;
use utoipa::ToSchema;

use crate::access::Role;
use crate::chat::ChatEvent;

/// A skill in a list.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct SkillSummary {
    /// Its name.
    pub(crate) name: String,
    /// What it does and when to use it.
    pub(crate) description: String,
    /// The kind of source it came from.
    pub(crate) source: String,
    /// `enabled`, `disabled`, `unavailable` or `untrusted`.
    pub(crate) status: String,
    /// Why it cannot be used, if it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// Its folder; only admins see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    /// About how many tokens it costs in every prompt.
    pub(crate) tokens: usize,
    /// How many problems its file has.
    pub(crate) problems: usize,
    /// Whether a user may invoke it by name.
    pub(crate) user_invocable: bool,
    /// Whether a model may choose it.
    pub(crate) model_invocable: bool,
}

impl SkillSummary {
    pub(crate) fn of(skill: &CatalogSkill, viewer: Viewer<'_>) -> Self {
        let record = &skill.record;
        Self {
            name: record.name.to_string(),
            description: record.description.to_string(),
            source: skill.kind.as_str().to_owned(),
            status: skill.status.as_str().to_owned(),
            reason: skill.status.reason(),
            path: viewer.path(&record.folder),
            tokens: estimate(&record.name) + estimate(&record.description),
            problems: record.problems.len(),
            user_invocable: record.user_invocable,
            model_invocable: record.model_invocable,
        }
    }
}

/// Who looks, which decides about paths.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Viewer<'a> {
    pub(crate) role: Role,
    pub(crate) home: Option<&'a Path>,
}

impl Viewer<'_> {
    /// A path as an admin sees it; nobody else does.
    pub(crate) fn path(&self, path: &Path) -> Option<String> {
        (self.role == Role::Admin).then(|| self.tilde(path))
    }

    /// What lies over texts that may name paths of this machine.
    pub(crate) fn veil(&self) -> Veil {
        let home = self.home.filter(|_| self.role != Role::Admin);
        Veil {
            home: home.map(|home| home.display().to_string()),
        }
    }

    /// Events as they see them.
    pub(crate) fn events(&self, events: Vec<ChatEvent>) -> Vec<ChatEvent> {
        let veil = self.veil();
        events.into_iter().map(|event| veil.event(event)).collect()
    }

    /// Any value as they see it.
    pub(crate) fn value(&self, value: Value) -> Value {
        let veil = self.veil();
        let text = veil.over(&value.to_string());
        serde_json::from_str(&text).unwrap_or(value)
    }

    fn tilde(&self, path: &Path) -> String {
        match self.home.and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }
}

/// Hides where the user's home is from whoever need not know.
#[derive(Debug, Clone)]
pub(crate) struct Veil {
    home: Option<String>,
}

impl Veil {
    /// A text, with the home as `~`.
    pub(crate) fn over(&self, text: &str) -> String {
        match &self.home {
            Some(home) if home.len() > 1 => text.replace(home.as_str(), "~"),
            _ => text.to_owned(),
        }
    }

    fn event(&self, mut event: ChatEvent) -> ChatEvent {
        match &mut event {
            ChatEvent::Skill { content: text, .. }
            | ChatEvent::Text { text }
            | ChatEvent::ToolResult { output: text, .. } => *text = self.over(text),
            _ => {}
        }
        event
    }
}
