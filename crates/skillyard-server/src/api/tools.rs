//! `POST /api/v1/tools/{name}`: the tools for models, `skill_run` among them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde::Serialize;
use serde_json::{Map, Value};
use skillyard_agent::message::CallOutcome;
use skillyard_agent::trace_context::TraceParent;
use skillyard_audit::{Event, EventKind};
use utoipa::ToSchema;

use super::input::{Caller, JsonBody, PathInput};
use super::openapi::{Altered, Full, Missing, NotJson, Senseless, Unanswered};
use crate::access::Role;
use crate::problem::Problem;
use crate::request_context::{FileAccess, RequestContext};
use crate::script;
use crate::script::{NAME, NEEDS_ROLE, RequestedRun, RunDecision, RunRequest};
use crate::server::Server;
use crate::telemetry::{CallTrace, parent_of};
use crate::tool::{Tool, ToolAnswer};
use crate::web::elsewhere;

/// What a tool gave.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolOutput {
    /// The tool, by its own name.
    tool: String,
    /// For a model.
    content: String,
    /// For a program, where the content is more than text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    structured: Option<Value>,
}

/// Call a tool: `skill_search`, `skill_load`, `skill_read`, `skill_files`, or `skill_run` where
/// scripts may be run and who asks has the role `run`
#[utoipa::path(post, path = "/api/v1/tools/{name}", tag = "tools", params(("name" = String, Path)),
    request_body(content = Object, content_type = "application/json"),
    responses((status = 200, body = ToolOutput),
        Senseless, Altered, Missing, NotJson, Unanswered, Full))]
pub(super) async fn call(
    State(server): State<Arc<Server>>,
    caller: Caller,
    PathInput(name): PathInput<String>,
    headers: HeaderMap,
    JsonBody(input): JsonBody<Map<String, Value>>,
) -> Result<Json<ToolOutput>, Problem> {
    let parent = parent_of(&headers);
    if script::is_named(&name) {
        let answer = run(server, caller, input, parent).await?;
        return Ok(Json(ToolOutput::of(script::NAME, answer)));
    }
    let unknown = || Problem::new(StatusCode::NOT_FOUND, "there is no such tool");
    let tool = Tool::of(&name).ok_or_else(unknown)?;
    let answer = elsewhere(move || {
        let asker = RequestContext {
            trace: parent.as_ref(),
            files: FileAccess::over_http(&server, caller.holder.role),
            ..caller.request_context()
        };
        server.call(tool, input, asker)
    });
    let answer = answer.await??;
    Ok(Json(ToolOutput::of(tool.name(), answer)))
}

impl ToolOutput {
    fn of(tool: &str, answer: ToolAnswer) -> Self {
        Self {
            tool: tool.to_owned(),
            content: answer.text,
            structured: answer.structured,
        }
    }
}

/// The error where scripts are not offered.
const NOT_OFFERED: &str =
    "scripts are not run here: start the server with `--allow-run`, or set `mcp.run = true`";

/// Runs a script, or asks.
pub(super) async fn run(
    server: Arc<Server>,
    caller: Caller,
    mut input: Map<String, Value>,
    parent: Option<TraceParent>,
) -> Result<ToolAnswer, Problem> {
    let forbidden = |text: &str| Problem::new(StatusCode::FORBIDDEN, text);
    if !script::is_offered(&server) {
        return Err(forbidden(NOT_OFFERED));
    }
    if !caller.may(Role::Run) {
        return Err(forbidden(NEEDS_ROLE));
    }
    let consent = match input.remove("consent") {
        None | Some(Value::Null) => None,
        Some(Value::String(consent)) => Some(consent),
        Some(_) => return Err(Problem::bad("`consent` is not text")),
    };
    let event = Event::new(EventKind::ScriptStarted).trigger("api");
    let event = caller.holder.signed(event);
    let who = RunRequest {
        role: caller.holder.role,
        token: caller.holder.name.clone(),
        acting: Vec::new(),
        conversation: Some(caller.holder.name.clone()),
        event: match &parent {
            Some(parent) => event.detail("traceparent", parent.to_string()),
            None => event,
        },
    };
    let (_awaited, work) = server.background.begin(&caller.holder)?;
    let done = elsewhere(move || {
        let watched = CallTrace::begin(&server, NAME, &input, parent.as_ref());
        let answered = answered(&server, &who, input, consent.as_deref(), work.stop());
        let outcome = match &answered {
            Ok(_) => CallOutcome::Ok,
            Err(_) => CallOutcome::Failed,
        };
        watched.end(&server, outcome);
        answered
    });
    done.await?
}

fn answered(
    server: &Server,
    who: &RunRequest,
    input: Map<String, Value>,
    consent: Option<&str>,
    cancel: &AtomicBool,
) -> Result<ToolAnswer, Problem> {
    let (wanted, beforehand) = script::judged(server, who, input)?;
    let approval = match beforehand {
        RunDecision::Run => "policy",
        RunDecision::Ask(reason) => {
            agreed(server, who, &wanted, &reason, consent)?;
            "user"
        }
    };
    let ran = script::run(server, &wanted, who, approval, cancel)?;
    let value = script::described(&ran, &who.redactor(server));
    Ok(ToolAnswer::new(value.to_string(), Some(value)))
}

/// Whether the user has said yes to exactly this; else the question.
fn agreed(
    server: &Server,
    who: &RunRequest,
    wanted: &RequestedRun,
    reason: &str,
    consent: Option<&str>,
) -> Result<(), Problem> {
    let key = wanted.key();
    let about = |kind| wanted.about(who.event(kind));
    if consent.is_some_and(|consent| server.consents.take(consent, key)) {
        server.record(&about(EventKind::ApprovalGranted).detail("scope", "once"));
        return Ok(());
    }
    server.record(&about(EventKind::ApprovalRequested).reason(reason));
    let name = server.consents.ask(&who.token, key).map_err(|error| {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Problem::new(status, error.to_string())
    })?;
    Err(Problem::question(wanted.question(reason), &name))
}
