//! A skill as pages and programs see it.

use std::cell::OnceCell;
use std::path::Path;

use serde::Serialize;
use skillyard_catalog::CatalogSkill;
use skillyard_catalog::prompt::prompt_tokens;
use utoipa::ToSchema;

use crate::access::Role;
use crate::chat::{ChatEvent, Conversation};
use crate::path_redactor::PathRedactor;
use crate::server::Server;

/// A skill in a list.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct SkillSummary {
    /// Its name.
    pub(crate) name: String,
    /// What it does and when to use it.
    pub(crate) description: String,
    /// The kind of source it came from.
    pub(crate) source: String,
    /// `enabled`, `disabled`, `unavailable`, `untrusted`, `held-back`, `altered` or `revoked`.
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
    pub(crate) fn of(skill: &CatalogSkill, viewer: &Viewer<'_>) -> Self {
        let record = &skill.record;
        Self {
            name: record.name.clone(),
            description: record.description.clone(),
            source: skill.kind.as_str().to_owned(),
            status: skill.status.as_str().to_owned(),
            reason: viewer.told(skill.status.reason()),
            path: viewer.path(&record.folder),
            tokens: prompt_tokens(record),
            problems: record.problems.len(),
            user_invocable: record.user_invocable,
            model_invocable: record.model_invocable,
        }
    }
}

/// Who looks, which decides about paths.
pub(crate) struct Viewer<'a> {
    role: Role,
    server: &'a Server,
    /// Made when the first text needs it: many answers name no path.
    redactor: OnceCell<PathRedactor>,
}

impl<'a> Viewer<'a> {
    /// A viewer with this role.
    pub(crate) fn new(role: Role, server: &'a Server) -> Self {
        Self {
            role,
            server,
            redactor: OnceCell::new(),
        }
    }

    /// A path, for admins only.
    pub(crate) fn path(&self, path: &Path) -> Option<String> {
        (self.role == Role::Admin).then(|| self.tilde(path))
    }

    /// What lies over texts that may name paths of this machine.
    pub(crate) fn redactor(&self) -> &PathRedactor {
        self.redactor.get_or_init(|| match self.role {
            Role::Admin => PathRedactor::default(),
            _ => self.server.path_redactor(),
        })
    }

    /// A text that may name such paths, if there is one.
    pub(crate) fn told(&self, text: Option<String>) -> Option<String> {
        text.map(|text| self.redactor().redact(&text))
    }

    /// What happened in a session, as they see it; texts are whole, as far as they have come.
    pub(crate) fn events(&self, conversation: &Conversation) -> Vec<ChatEvent> {
        let redactor = self.redactor();
        let told = conversation.since(None, |text| redactor.stable_length(text));
        told.into_iter()
            .map(|(_, event)| event.redacted(redactor))
            .collect()
    }

    fn tilde(&self, path: &Path) -> String {
        let home = self.server.host.home();
        match home.and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }
}
