//! `POST /api/v1/tools/skill_run`: a script of a skill, in the sandbox, as over MCP.
//!
//! Where the user has to be asked, the answer is the question and a word; who asked them, and got a
//! yes, calls again with the word as `consent`. It counts once, and for exactly this call.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::http::StatusCode;
use serde_json::{Map, Value};
use skillyard_agent::message::CallOutcome;
use skillyard_agent::trace_context::TraceParent;
use skillyard_audit::{Event, EventKind};

use super::input::Caller;
use crate::access::Role;
use crate::problem::Problem;
use crate::script::{self, Asked, Beforehand, NAME, NEEDS_ROLE, Wanted};
use crate::server::Server;
use crate::telemetry::CallTrace;
use crate::tool::Answer;
use crate::web::elsewhere;

/// What is said where nobody may.
const NOT_OFFERED: &str =
    "scripts are not run here: start the server with `--allow-run`, or set `mcp.run = true`";

/// Runs a script, or asks.
pub(super) async fn run(
    server: Arc<Server>,
    caller: Caller,
    mut input: Map<String, Value>,
    parent: Option<TraceParent>,
) -> Result<Answer, Problem> {
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
    let who = Asked {
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
    who: &Asked,
    input: Map<String, Value>,
    consent: Option<&str>,
    cancel: &AtomicBool,
) -> Result<Answer, Problem> {
    let (wanted, beforehand) = script::judged(server, who, input)?;
    let approval = match beforehand {
        Beforehand::Run => "policy",
        Beforehand::Ask(reason) => {
            agreed(server, who, &wanted, &reason, consent)?;
            "user"
        }
    };
    let ran = script::run(server, &wanted, who, approval, cancel)?;
    let value = script::described(&ran, &who.redactor(server));
    Ok(Answer::new(value.to_string(), Some(value)))
}

/// Whether the user has said yes to exactly this; else the question.
fn agreed(
    server: &Server,
    who: &Asked,
    wanted: &Wanted,
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
