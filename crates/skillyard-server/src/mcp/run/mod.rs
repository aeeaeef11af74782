//! `skill_run`: a script of a skill, in the sandbox, when the user says so.
//!
//! What the user said to Skillyard itself counts first: an approval of exactly these files, or a
//! row of the trust table that never asks, needs no question, and what is blocked is not asked
//! about. Only of the rest the user of the client is asked.

mod ask;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Tool as McpTool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_catalog::CatalogSkill;
use skillyard_format::package::Digest;
use skillyard_trust::guard::{GuardInput, GuardRequest, GuardVerdict, ToolList};

use ask::{Answer, asked};

use super::caller::Caller;
use super::skills::invalid;
use crate::access::Role;
use crate::contents::Contents;
use crate::host::{Ran, Runs, ScriptRun};
use crate::server::Server;
use crate::tool::usable;
use crate::view::Viewer;

/// The tool's name.
pub(super) const NAME: &str = "skill_run";

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    name: String,
    script: String,
    #[serde(default)]
    args: Vec<String>,
    stdin: Option<String>,
}

/// A run that has been understood.
struct Wanted {
    skill: CatalogSkill,
    digest: Digest,
    input: Input,
}

/// What is known before anybody is asked.
enum Beforehand {
    Run,
    Ask(String),
}

/// Whether the tool is offered.
pub(super) fn is_offered(server: &Server) -> bool {
    server.host.runs() == Runs::WithConsent
}

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
    let text = "Runs a script of a skill in a sandbox without network and without your files. The \
                user is asked first, unless they trust the skill so far that they need not be.";
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
    if caller.role < Role::Run {
        return Ok(refused("this needs a token with the role `run`"));
    }
    let arguments = request.arguments.clone().unwrap_or_default();
    let (this, who) = (Arc::clone(server), caller.clone());
    let judged = blocking(move || judged(&this, &who, arguments)).await?;
    let (wanted, beforehand) = match judged {
        Ok(judged) => judged,
        Err(text) => return Ok(refused(text)),
    };
    if let Beforehand::Ask(reason) = &beforehand {
        match asked(server, &request, &wanted, reason, &caller, &context).await? {
            Answer::Yes => {}
            Answer::No(text) => return Ok(refused(text)),
            Answer::Later(question) => return Ok((*question).into()),
        }
    }
    let (this, cancel) = (Arc::clone(server), Arc::new(AtomicBool::new(false)));
    let flag = Arc::clone(&cancel);
    let running = blocking(move || run(&this, &wanted, &caller, &flag));
    tokio::select! {
        ran = running => Ok(ran?.into()),
        () = context.ct.cancelled() => {
            cancel.store(true, Ordering::Relaxed);
            Ok(refused("it was stopped"))
        }
    }
}

/// Understands a call, and says what policy and approvals say.
fn judged(
    server: &Server,
    caller: &Caller,
    arguments: Map<String, Value>,
) -> Result<(Wanted, Beforehand), String> {
    let blocked = |reason: String, skill: Option<String>| {
        let mut event = Event::new(EventKind::ToolBlocked).ended(Outcome::Denied, reason.clone());
        event.skill = skill;
        server.record(&caller.event(event).detail("tool", NAME));
        format!("Denied: {reason}")
    };
    let input = serde_json::from_value(Value::Object(arguments.clone()));
    let input: Input = input.map_err(|error| error.to_string())?;
    let stock = server.stock();
    let skill = usable(&stock, &input.name).map_err(|problem| problem.detail().to_owned())?;
    let contents = Contents::open(skill).map_err(|error| error.to_string())?;
    let digest = contents.digest().ok_or("its files cannot be read")?;
    // Lists of allowed tools do not hold up the runtime's own tools, what is denied does.
    let acting = server.acting.skills(&caller.conversation);
    let skills = acting.into_iter().map(|(mut each, _)| {
        each.allowed = ToolList::Absent;
        each
    });
    let guarded = GuardRequest {
        tool: NAME.to_owned(),
        input: GuardInput::Fields(arguments),
    };
    let decision = server.host.guard(&skills.collect::<Vec<_>>(), &guarded);
    let decision = decision.map_err(|error| error.to_string())?;
    if decision.verdict == GuardVerdict::Denied {
        return Err(blocked(decision.reason, decision.skill));
    }
    let viewer = Viewer {
        role: caller.role,
        server,
    };
    let standing = server.host.standing(skill, Some(&digest));
    let beforehand = match standing.scripts.as_str() {
        "run" => Beforehand::Run,
        "ask" => Beforehand::Ask(viewer.veil().over(&standing.reason)),
        _ => {
            let text = blocked(standing.reason, Some(skill.record.name.to_string()));
            return Err(viewer.veil().over(&text));
        }
    };
    let wanted = Wanted {
        skill: skill.clone(),
        digest,
        input,
    };
    Ok((wanted, beforehand))
}

fn run(server: &Server, wanted: &Wanted, caller: &Caller, cancel: &AtomicBool) -> CallToolResult {
    let input = &wanted.input;
    let ran = server.host.run_script(
        &ScriptRun {
            skill: &wanted.skill,
            digest: wanted.digest,
            script: &input.script,
            arguments: &input.args,
            stdin: input.stdin.as_deref(),
        },
        cancel,
    );
    let event = Event::new(EventKind::ScriptExecuted)
        .skill(wanted.skill.record.name.as_str())
        .source(wanted.skill.kind.as_str())
        .digest(wanted.digest.to_string())
        .detail("script", &input.script)
        .detail("argv", input.args.join(" "));
    let event = caller.event(event);
    match ran {
        Ok(ran) => {
            let event = event
                .detail("exit", ran.code.to_string())
                .detail("sandbox", &ran.backend);
            let event = match ran.code {
                0 => event,
                code => event.ended(Outcome::Failed, format!("it ended with code {code}")),
            };
            server.record(&event);
            told(&ran)
        }
        Err(error) => {
            server.record(&event.ended(Outcome::Failed, error.to_string()));
            CallToolResult::error(vec![ContentBlock::text(error.to_string())])
        }
    }
}

fn told(ran: &Ran) -> CallToolResult {
    let value = json!({
        "exit_code": ran.code,
        "stdout": ran.stdout,
        "stderr": ran.stderr,
        "denied": ran.denials,
    });
    let text = vec![ContentBlock::text(value.to_string())];
    let mut result = match ran.code {
        0 => CallToolResult::success(text),
        _ => CallToolResult::error(text),
    };
    result.structured_content = Some(value);
    result
}

fn refused(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(text.into())]).into()
}

/// Work that waits for files and programs is done elsewhere.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ErrorData> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| invalid("the server failed at this"))
}
