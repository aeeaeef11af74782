//! Tools of other servers, offered further: each under the name of its server, and each call under
//! the guard of the skills that were loaded in the conversation, after the user was asked where that
//! is wanted and their client can; the others leave it to the host, as with any tool.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    ProgressNotificationParam, ProgressToken, ResultType, Tool as McpTool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value, json};
use skillyard_agent::mcp_client::{CompletedCall, McpError, OnProgress, ProgressUpdate, Tool};
use skillyard_agent::tool::with_decision;
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_format::mcp_tool_name::PREFIX;
use skillyard_format::package::Digest;
use skillyard_format::text::counted;
use skillyard_format::text::one_line;
use skillyard_trust::guard::{ActiveSkill, GuardDecision, GuardInput, GuardRequest, GuardVerdict};
use tokio::sync::mpsc;

use super::ask::{Action, ConsentQuestion, Consented, asked, can_ask};
use super::caller;
use super::caller::Caller;
use super::run::blocking;
use crate::access::Role;
use crate::server::Server;

/// How many steps of a call wait to be told; more are left out, as the next one says more.
const STEPS: usize = 16;

/// How much of the number of a call is written down; clients choose what it is.
const MAX_NUMBER_LENGTH: usize = 64;

/// How much of the arguments of a call a question shows.
const SHOWN: usize = 8_000;

/// A call of a tool.
#[derive(Clone)]
struct Call {
    /// Its number, by which its client knows it.
    number: String,
    /// The tool, as `mcp__SERVER__TOOL`.
    tool: String,
    arguments: Map<String, Value>,
}

impl Call {
    /// An event about it.
    fn about(&self, caller: &Caller, event: Event) -> Event {
        let input = Digest::of(Value::Object(self.arguments.clone()).to_string().as_bytes());
        let event = caller.event(event).detail("tool", &self.tool);
        let event = event.detail("call", &self.number);
        event.detail("input", input.to_string())
    }

    /// The question for the user.
    fn question(&self, server: &str) -> String {
        let arguments = Value::Object(self.arguments.clone()).to_string();
        let mut text = format!(
            "An agent wants to call `{}` of MCP server `{server}`",
            self.tool
        );
        let shown: String = arguments.chars().take(SHOWN).collect();
        let left = arguments.len() - shown.len();
        let _ = write!(text, " with {}", one_line(&shown));
        if left > 0 {
            let _ = write!(text, " and {}", counted(left, "more byte"));
        }
        text
    }
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
    request: CallToolRequestParams,
    caller: Caller,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    if caller.holder.role < Role::Run {
        return Ok(told("this needs a token with the role `run`"));
    }
    let call = Call {
        number: context
            .id
            .to_string()
            .chars()
            .take(MAX_NUMBER_LENGTH)
            .collect(),
        tool,
        arguments: request.arguments.clone().unwrap_or_default(),
    };
    if let Some(answer) = unallowed(server, &request, &call, &caller, &context).await? {
        return Ok(answer);
    }
    let (_awaited, work) = match server.background.begin(&caller.holder) {
        Ok(begun) => begun,
        Err(problem) => return Ok(caller::failure(server, &caller, &problem).into()),
    };
    let this = Arc::clone(server);
    let (sender, mut steps) = mpsc::channel(STEPS);
    let token = context.meta.get_progress_token();
    let progress = token.is_some().then(|| -> OnProgress {
        Arc::new(move |step| {
            let _ = sender.try_send(step);
        })
    });
    let made = blocking(move || guarded(&this, &call, &caller, progress, work.stop()));
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

/// Asks the user, where that is wanted; what is answered if the call is not made now.
async fn unallowed(
    server: &Arc<Server>,
    request: &CallToolRequestParams,
    call: &Call,
    caller: &Caller,
    context: &RequestContext<RoleServer>,
) -> Result<Option<CallToolResponse>, ErrorData> {
    let upstream = server.upstream.as_ref();
    let Some(name) = upstream.and_then(|upstream| upstream.servers.server_of(&call.tool)) else {
        return Ok(None);
    };
    if !server.host.asks_before(name) || !can_ask(context) {
        return Ok(None);
    }
    // Nobody is asked about what is denied whatever they say.
    let (this, of, who) = (Arc::clone(server), call.clone(), caller.clone());
    if let Err(denied) = blocking(move || judged(&this, &of, &who).map(drop)).await? {
        return Ok(Some((*denied).into()));
    }
    let token = &caller.holder.name;
    let key = json!([token, caller.conversation, call.tool, call.arguments]);
    let question = ConsentQuestion {
        key: Digest::of(key.to_string().as_bytes()),
        message: &call.question(name),
        action: Action::Call,
        subject: &request.name,
        reason: &format!("the agent wants to use a tool of MCP server `{name}`"),
        token,
        about: &|kind| call.about(caller, Event::new(kind)),
    };
    Ok(match asked(server, request, &question, context).await? {
        Consented::Yes => None,
        Consented::No(text) => Some(told(&text)),
        Consented::Later(question) => Some((*question).into()),
    })
}

/// How far a call is, under the token of who made it.
fn told_further(token: &ProgressToken, step: ProgressUpdate) -> ProgressNotificationParam {
    let mut told = ProgressNotificationParam::new(token.clone(), step.progress);
    told.total = step.total;
    told.message = step.message;
    told
}

fn told(text: &str) -> CallToolResponse {
    caller::failed(text).into()
}

/// The skills that act in a conversation, each with its digest.
type Loaded = Vec<(ActiveSkill, String)>;

/// What the guard says to a call, with the skills that act; or what is answered where it says no.
fn judged(
    server: &Server,
    call: &Call,
    caller: &Caller,
) -> Result<(GuardDecision, Loaded), Box<CallToolResult>> {
    let acting = server.conversation_skills.skills(&caller.conversation);
    let skills: Vec<ActiveSkill> = acting.iter().map(|(skill, _)| skill.clone()).collect();
    let request = GuardRequest {
        tool: call.tool.clone(),
        input: GuardInput::Fields(call.arguments.clone()),
    };
    // What cannot be decided is decided against.
    let decision = server.host.guard(&skills, &request);
    let decision =
        decision.map_err(|error| Box::new(caller::failure(server, caller, &error.into())))?;
    if decision.verdict != GuardVerdict::Denied {
        return Ok((decision, acting));
    }
    let by = decision.skill.as_deref().unwrap_or("the guard").to_owned();
    let event = Event::new(EventKind::ToolBlocked);
    let event = call.about(
        caller,
        event.ended(Outcome::Denied, decision.reason.clone()),
    );
    server.record(&with_decision(event, &decision));
    let text = format!("Denied by `{by}`: {}", decision.reason);
    Err(Box::new(caller::failed(
        caller.viewer(server).redactor().redact(&text),
    )))
}

fn guarded(
    server: &Server,
    call: &Call,
    caller: &Caller,
    progress: Option<OnProgress>,
    cancel: &AtomicBool,
) -> CallToolResult {
    let failed = |text: String| caller::failed(caller.viewer(server).redactor().redact(&text));
    let about = |event: Event| call.about(caller, event);
    let Call {
        tool, arguments, ..
    } = call;
    let (decision, acting) = match judged(server, call, caller) {
        Ok(judged) => judged,
        Err(denied) => return *denied,
    };
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
    if let Err(problem) = server.begins(&with_decision(begins, &decision)) {
        return failed(problem.detail().to_owned());
    }
    let upstream = server.upstream.as_ref();
    let unknown = || McpError::NoTool(tool.clone());
    let result = upstream.ok_or_else(unknown).and_then(|upstream| {
        let servers = &upstream.servers;
        servers.call_with_progress(tool, arguments, meta, progress, cancel)
    });
    let mut event = with_skills(about(Event::new(EventKind::ToolAllowed)));
    match result {
        Ok(done) => {
            event = event.detail("server", &done.server);
            if done.result.is_error {
                event = event.ended(Outcome::Failed, "the tool says that it failed");
            }
            server.ended(&with_decision(event, &decision));
            passed_on(done)
        }
        Err(error) => {
            let event = event.ended(Outcome::Failed, error.to_string());
            server.ended(&with_decision(event, &decision));
            failed(error.to_string())
        }
    }
}

/// The result as it came, however large a message may be, or its text where it is no result.
fn passed_on(called: CompletedCall) -> CallToolResult {
    let answer = called.result;
    if let Ok(mut result) = serde_json::from_value::<CallToolResult>(answer.raw) {
        // What one server says to its clients is nothing that another passes on.
        result.meta = None;
        result.result_type = Some(ResultType::COMPLETE);
        return result;
    }
    let text = vec![ContentBlock::text(answer.text)];
    if answer.is_error {
        CallToolResult::error(text)
    } else {
        CallToolResult::success(text)
    }
}
