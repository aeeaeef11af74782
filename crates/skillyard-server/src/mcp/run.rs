//! `skill_run` over MCP.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock,
    Tool as McpTool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};
use skillyard_audit::{Event, EventKind, Outcome};

use super::ask::{Action, ConsentQuestion, Consented, asked, can_ask, is_stateless};
use super::caller;
use super::caller::Caller;
use crate::access::Role;
use crate::host::Ran;
use crate::path_redactor::PathRedactor;
use crate::script::{self, NAME, NEEDS_ROLE, RequestedRun, RunDecision, RunRequest};
use crate::server::Server;

/// The tool as MCP describes it.
pub(super) fn tool() -> McpTool {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "The skill's name" },
            "script": { "type": "string", "description": "The script, such as `scripts/fill.py`" },
            "args": { "type": "array", "items": { "type": "string" }, "description": "Its arguments" },
            "stdin": { "type": "string", "description": "What it reads" },
        },
        "required": ["name", "script"],
        "additionalProperties": false,
    });
    let output = json!({
        "type": "object",
        "properties": {
            "exit_code": { "type": "integer" },
            "stdout": { "type": "string" },
            "stderr": { "type": "string" },
            "denied": { "type": "array", "items": { "type": "string" } },
        },
        "required": ["exit_code", "stdout", "stderr"],
    });
    let object = |value: Value| value.as_object().cloned().unwrap_or_default();
    let text = "Runs a script of a skill in a sandbox without your files, and without network but \
                for hosts that the user approved. The user is asked first, unless they trust the \
                skill so far that they need not be.";
    let title = "Run a skill's script";
    let annotations = ToolAnnotations::with_title(title)
        .read_only(false)
        .open_world(false);
    McpTool::new(NAME, text, object(schema))
        .with_title(title)
        .with_annotations(annotations)
        .with_raw_output_schema(Arc::new(object(output)))
}

/// Answers a call.
pub(super) async fn call(
    server: &Arc<Server>,
    request: CallToolRequestParams,
    caller: Caller,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    if caller.holder.role < Role::Run {
        return Ok(refused(NEEDS_ROLE));
    }
    let arguments = request.arguments.clone().unwrap_or_default();
    let acting = server
        .conversation_skills
        .skills(&caller.conversation)
        .into_iter();
    let who = RunRequest {
        role: caller.holder.role,
        token: caller.holder.name.clone(),
        acting: acting.map(|(skill, _)| skill).collect(),
        conversation: Some(caller.conversation.clone()),
        event: caller.event(Event::new(EventKind::ScriptStarted)),
    };
    let (this, of) = (Arc::clone(server), who.clone());
    let judged = blocking(move || script::judged(&this, &of, arguments)).await?;
    let (wanted, beforehand) = match judged {
        Ok(judged) => judged,
        Err(problem) => return Ok(caller::failure(server, &caller, &problem).into()),
    };
    let approval = match &beforehand {
        RunDecision::Run => "policy",
        RunDecision::Ask(reason) => {
            let about = |kind| wanted.about(who.event(kind));
            if !can_ask(&context) {
                return unasked(server, &wanted, reason, &about, &context);
            }
            let question = ConsentQuestion {
                key: wanted.key(),
                message: &wanted.question(reason),
                action: Action::Run,
                subject: &wanted.input.script,
                reason,
                token: &who.token,
                about: &about,
            };
            match asked(server, &request, &question, &context).await? {
                Consented::Yes => "user",
                Consented::No(text) => return Ok(refused(text)),
                Consented::Later(question) => return Ok((*question).into()),
            }
        }
    };
    let (_awaited, work) = match server.background.begin(&caller.holder) {
        Ok(begun) => begun,
        Err(problem) => return Ok(caller::failure(server, &caller, &problem).into()),
    };
    let this = Arc::clone(server);
    let running = blocking(move || {
        let ran = script::run(&this, &wanted, &who, approval, work.stop());
        let redactor = who.redactor(&this);
        match ran {
            Ok(ran) => told(&ran, &redactor).into(),
            Err(error) => refused(redactor.redact(&error.to_string())),
        }
    });
    tokio::select! {
        done = running => done,
        () = context.ct.cancelled() => Ok(refused("it was stopped")),
    }
}

/// Refuses what a client cannot ask its user about.
fn unasked(
    server: &Server,
    wanted: &RequestedRun,
    reason: &str,
    about: &dyn Fn(EventKind) -> Event,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let name = &wanted.skill.record.name;
    let event = about(EventKind::ToolBlocked);
    server.record(&event.ended(Outcome::Denied, "the client cannot ask the user"));
    let text = format!(
        "Denied: {reason}, and this client cannot ask the user. They can approve the scripts \
         of this skill with `skillyard trust {name} --scripts`."
    );
    if !is_stateless(context) {
        return Ok(refused(text));
    }
    // This revision has an error of its own for what a client would have to be able to do.
    let needed = ClientCapabilities::builder().enable_elicitation().build();
    let mut error = ErrorData::missing_required_client_capability(needed);
    error.message = text.into();
    Err(error)
}

fn told(ran: &Ran, redactor: &PathRedactor) -> CallToolResult {
    let value = script::described(ran, redactor);
    let text = vec![ContentBlock::text(value.to_string())];
    let mut result = match ran.code {
        0 => CallToolResult::success(text),
        _ => CallToolResult::error(text),
    };
    result.structured_content = Some(value);
    result
}

fn refused(text: impl Into<String>) -> CallToolResponse {
    caller::failed(text).into()
}

/// Work that waits for files and programs is done elsewhere.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ErrorData> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| ErrorData::internal_error("the server failed at this", None))
}
