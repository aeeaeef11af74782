//! `POST /api/v1/guard/check`: the tool guard for other runtimes.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use skillyard_agent::tool::decision_event;
use skillyard_catalog::CatalogSkill;
use skillyard_format::{Document, Skill};
use skillyard_trust::guard::{ActiveSkill, GuardDecision, GuardInput, GuardRequest, GuardVerdict};
use utoipa::ToSchema;

use super::input::{Caller, JsonBody};
use super::openapi::{Missing, NotJson, Senseless};
use crate::contents::Contents;
use crate::problem::Problem;
use crate::server::Server;
use crate::web::elsewhere;

/// How many skills may be active.
const MAX_SKILLS: usize = 64;

/// A tool call that a model wants to make.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuardQuestion {
    /// The skills that are active.
    skills: Vec<String>,
    /// The tool, such as `Bash`.
    tool: String,
    /// What it is called with: a text, or named values.
    input: Value,
}

/// Whether it may be made.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GuardAnswer {
    /// `allowed` or `denied`.
    verdict: String,
    /// The skill that decided, or `policy:NAME`.
    skill: Option<String>,
    /// The patterns that decided.
    pattern: Option<String>,
    /// Why.
    reason: String,
    /// What the runtime should still ask the user about.
    caution: Option<String>,
}

/// Decide whether a tool may be called while skills are active
#[utoipa::path(post, path = "/api/v1/guard/check", tag = "guard", request_body = GuardQuestion,
    responses((status = 200, body = GuardAnswer),
        Senseless, Missing, NotJson))]
pub(super) async fn check(
    State(server): State<Arc<Server>>,
    caller: Caller,
    JsonBody(question): JsonBody<GuardQuestion>,
) -> Result<Json<GuardAnswer>, Problem> {
    if question.skills.len() > MAX_SKILLS {
        return Err(Problem::bad("more than 64 skills cannot be active"));
    }
    let input = match question.input {
        Value::String(text) => GuardInput::Text(text),
        Value::Object(fields) => GuardInput::Fields(fields),
        _ => return Err(Problem::bad("`input` is a text or an object")),
    };
    let request = GuardRequest {
        tool: question.tool,
        input,
    };
    let decided = elsewhere(move || {
        let snapshot = server.catalog.snapshot();
        let mut found = Vec::with_capacity(question.skills.len());
        for name in &question.skills {
            found.push(snapshot.meant(name)?);
        }
        let withheld = found.iter().find(|skill| skill.status.is_refused());
        let decision = if let Some(skill) = withheld {
            let reason = skill.status.reason().unwrap_or_default();
            GuardDecision::withheld(&skill.record.name, &reason)
        } else {
            let skills: Result<Vec<ActiveSkill>, Problem> = found.into_iter().map(active).collect();
            server.host.guard(&skills?, &request)?
        };
        // A runtime that gets an answer may act on it, so it is written down first.
        server.record(&caller.holder.signed(decision_event(&request, &decision)));
        let viewer = caller.viewer(&server);
        Ok::<_, Problem>(GuardAnswer {
            verdict: match decision.verdict {
                GuardVerdict::Allowed => "allowed".into(),
                GuardVerdict::Denied => "denied".into(),
            },
            skill: decision.skill,
            pattern: decision.pattern,
            reason: viewer.redactor().redact(&decision.reason),
            caution: viewer.told(decision.caution),
        })
    });
    Ok(Json(decided.await??))
}

/// Reads a skill again: its list may have changed since the catalog was read.
fn active(found: &CatalogSkill) -> Result<ActiveSkill, Problem> {
    let text = Contents::open(found)?.skill_file()?;
    let document = Document::parse(text.as_bytes());
    let skill = Skill::from_document(&document, Some(&found.record.name))
        .ok_or_else(|| Problem::bad(format!("skill `{}` cannot be read", found.record.name)))?;
    let folder = found.record.folder.canonicalize().ok();
    Ok(ActiveSkill::of(&skill, folder.as_deref()))
}
