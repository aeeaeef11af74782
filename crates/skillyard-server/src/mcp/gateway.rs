//! Tools of other servers, offered further: each under the name of its server, and each call under
//! the guard of the skills that were loaded in the conversation.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, ProgressNotificationParam, ProgressToken,
    ResultType, Tool as McpTool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value, json};
use skillyard_agent::tool::told_by;
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_format::lent_name::PREFIX;
use skillyard_format::package::Digest;
use skillyard_mcp::{Called, Ending, McpError, Progress, Step, Tool};
use skillyard_trust::guard::{ActiveSkill, GuardInput, GuardRequest, GuardVerdict};
use tokio::sync::mpsc;

use super::caller::Caller;
use super::refusal;
use super::run::blocking;
use crate::access::Role;
use crate::server::Server;

/// How many steps of a call wait to be told; more are left out, as the next one says more.
const STEPS: usize = 16;

/// How much of the number of a call is written down; clients choose what it is.
const LONGEST_NUMBER: usize = 64;

/// A call of a tool.
struct Call {
    /// Its number, by which its client knows it.
    number: String,
    /// The tool, as `mcp__SERVER__TOOL`.
    tool: String,
    arguments: Map<String, Value>,
}

/// The tools of all servers that can be reached soon, under `SERVER__TOOL`.
pub(super) fn list(server: &Server) -> Vec<McpTool> {
    let Some(upstream) = &server.upstream else {
        return Vec::new();
    };
    let lists = upstream.tools();
    lists
        .iter()
        .flat_map(|tools| tools.tools.iter().filter_map(offered).collect::<Vec<_>>())
        .collect()
}

fn offered(tool: &Tool) -> Option<McpTool> {
    let name = tool.name.strip_prefix(PREFIX)?.to_owned();
    let schema = tool.parameters.as_object().cloned()?;
    Some(McpTool::new(name, tool.description.clone(), schema))
}

/// The name by which the guard and the servers know a tool, if it is one of theirs.
pub(super) fn known_as(server: &Server, name: &str) -> Option<String> {
    let full = format!("{PREFIX}{name}");
    let upstream = server.upstream.as_ref()?;
    upstream.servers.server_of(&full)?;
    Some(full)
}

/// Makes a call, unless a skill that acts forbids it.
pub(super) async fn call(
    server: &Arc<Server>,
    tool: String,
    arguments: Map<String, Value>,
    caller: Caller,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    if caller.holder.role < Role::Run {
        return Ok(told("this needs a token with the role `run`"));
    }
    let (_awaited, work) = match server.under_way.begin(&caller.holder) {
        Ok(begun) => begun,
        Err(problem) => return Ok(refusal::result(server, &caller, &problem).into()),
    };
    let this = Arc::clone(server);
    let (sender, mut steps) = mpsc::channel(STEPS);
    let token = context.meta.get_progress_token();
    let progress = token.is_some().then(|| -> Progress {
        Arc::new(move |step| {
            let _ = sender.try_send(step);
        })
    });
    let number = context.id.to_string();
    let made = blocking(move || {
        let call = Call {
            number: number.chars().take(LONGEST_NUMBER).collect(),
            tool,
            arguments,
        };
        guarded(&this, &call, &caller, progress, work.stop())
    });
    let mut made = std::pin::pin!(made);
    loop {
        tokio::select! {
            // What was told before the result is told first.
            biased;
            () = context.ct.cancelled() => return Ok(told("it was stopped")),
            Some(step) = steps.recv() => {
                if let Some(token) = &token {
                    // Who does not hear it gets the result all the same.
                    let _ = context.peer.notify_progress(told_further(token, step)).await;
                }
            }
            made = &mut made => return Ok(made?.into()),
        }
    }
}

/// How far a call is, under the token of who made it.
fn told_further(token: &ProgressToken, step: Step) -> ProgressNotificationParam {
    let mut told = ProgressNotificationParam::new(token.clone(), step.progress);
    told.total = step.total;
    told.message = step.message;
    told
}

fn told(text: &str) -> CallToolResponse {
    refusal::failed(text).into()
}

fn guarded(
    server: &Server,
    call: &Call,
    caller: &Caller,
    progress: Option<Progress>,
    cancel: &AtomicBool,
) -> CallToolResult {
    let Call {
        number,
        tool,
        arguments,
    } = call;
    let failed = |text: String| refusal::failed(caller.viewer(server).veil().over(&text));
    let acting = server.acting.skills(&caller.conversation);
    let skills: Vec<ActiveSkill> = acting.iter().map(|(skill, _)| skill.clone()).collect();
    let request = GuardRequest {
        tool: tool.clone(),
        input: GuardInput::Fields(arguments.clone()),
    };
    let input = Digest::of(Value::Object(arguments.clone()).to_string().as_bytes());
    let about = |event: Event| {
        let event = caller.event(event).detail("tool", tool);
        let event = event.detail("call", number);
        event.detail("input", input.to_string())
    };
    let decision = match server.host.guard(&skills, &request) {
        Ok(decision) => decision,
        // What cannot be decided is decided against.
        Err(error) => return refusal::result(server, caller, &error.into()),
    };
    if decision.verdict == GuardVerdict::Denied {
        let by = decision.skill.as_deref().unwrap_or("the guard").to_owned();
        let event = Event::new(EventKind::ToolBlocked);
        let event = about(event.ended(Outcome::Denied, decision.reason.clone()));
        server.record(&told_by(event, &decision));
        return failed(format!("Denied by `{by}`: {}", decision.reason));
    }
    let skills = acting.iter();
    let named: Vec<String> = skills
        .clone()
        .map(|(skill, digest)| format!("{}@{digest}", skill.name))
        .collect();
    let context = skills.map(|(skill, digest)| json!({ "name": skill.name, "digest": digest }));
    let mut meta = caller.trace.clone();
    meta.insert(
        "dev.skillyard/session".into(),
        caller.conversation.clone().into(),
    );
    meta.insert("dev.skillyard/skills".into(), context.collect());
    let with_skills = |event: Event| match &named[..] {
        [] => event,
        named => event.detail("skills", named.join(" ")),
    };
    // Whoever is killed in the middle says nothing any more.
    let begins = with_skills(about(Event::new(EventKind::ToolStarted)));
    if let Err(problem) = server.begins(&told_by(begins, &decision)) {
        return failed(problem.detail().to_owned());
    }
    let upstream = server.upstream.as_ref();
    let unknown = || McpError::NoTool(tool.clone());
    let result = upstream.ok_or_else(unknown).and_then(|upstream| {
        let servers = &upstream.servers;
        servers.call_watched(tool, arguments, meta, progress, cancel)
    });
    let mut event = with_skills(about(Event::new(EventKind::ToolAllowed)));
    match result {
        Ok(done) => {
            event = event.detail("server", &done.server);
            if done.outcome.ending == Ending::Failed {
                event = event.ended(Outcome::Failed, "the tool says that it failed");
            }
            server.ended(&told_by(event, &decision));
            passed_on(done)
        }
        Err(error) => {
            let event = event.ended(Outcome::Failed, error.to_string());
            server.ended(&told_by(event, &decision));
            failed(error.to_string())
        }
    }
}

/// The result as it came, however large a message may be, or its text where it is no result.
fn passed_on(called: Called) -> CallToolResult {
    let outcome = called.outcome;
    if let Ok(mut result) = serde_json::from_value::<CallToolResult>(outcome.raw) {
        // What one server says to its clients is nothing that another passes on.
        result.meta = None;
        result.result_type = Some(ResultType::COMPLETE);
        return result;
    }
    let text = vec![ContentBlock::text(outcome.text)];
    match outcome.ending {
        Ending::Done => CallToolResult::success(text),
        Ending::Failed => CallToolResult::error(text),
    }
}
