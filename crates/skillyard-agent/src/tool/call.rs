//! The way of every call: understood, guarded, approved, made, written down.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde_json::{Map, Value};
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_format::Digest;
use skillyard_trust::guard::{
    ActiveSkill, GuardDecision, GuardInput, GuardRequest, GuardVerdict, ToolList, check,
};

use super::skill::{self, Output, optional, wanted};
use super::spec::canonical;
use super::workspace::{Workspace, told};
use crate::front_end::{Action, Answer, ApprovalRequest, FrontEnd, Trigger, TurnEvent};
use crate::host::{Host, HostError, Permission, ScriptRun};
use crate::message::{CallOutcome, ToolCall, ToolResult};
use crate::session::{Grant, Session};
use crate::shelf::Shelf;

/// Most bytes of the arguments of a call.
pub(crate) const MOST_ARGUMENTS: usize = 256 * 1024;
/// What a result ends with when the same call was made again and again.
pub(crate) const REPEATED: &str =
    "\n[This exact call was made several times. Its result will not change.]";
/// How much of arguments and results is shown.
const PREVIEW: usize = 200;

/// What calls need.
pub(crate) struct Calls<'a> {
    pub(crate) shelf: &'a Shelf,
    pub(crate) host: &'a mut dyn Host,
    pub(crate) session: &'a mut Session,
    pub(crate) active: &'a mut Vec<ActiveSkill>,
    pub(crate) front: &'a mut dyn FrontEnd,
    pub(crate) cancel: &'a AtomicBool,
}

/// How often a call was made in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeats {
    /// Not too often.
    Few,
    /// So often that the model is told.
    Many,
}

/// How a call ended, and what is written down about it.
struct Ended {
    content: String,
    outcome: CallOutcome,
    event: Event,
}

impl Ended {
    fn ok(content: String, kind: EventKind) -> Self {
        Self {
            content,
            outcome: CallOutcome::Ok,
            event: Event::new(kind),
        }
    }

    fn failed(reason: String, kind: EventKind) -> Self {
        Self {
            event: Event::new(kind).ended(Outcome::Failed, reason.clone()),
            content: reason,
            outcome: CallOutcome::Failed,
        }
    }

    fn denied(content: String, reason: impl Into<String>) -> Self {
        Self {
            content,
            outcome: CallOutcome::Denied,
            event: Event::new(EventKind::ToolBlocked).ended(Outcome::Denied, reason),
        }
    }
}

impl Calls<'_> {
    /// Makes a call; whatever goes wrong with it is a result for the model.
    pub(crate) fn make(
        &mut self,
        call: &ToolCall,
        repeats: Repeats,
    ) -> Result<ToolResult, HostError> {
        let tool = canonical(&call.name).to_owned();
        self.front.event(&TurnEvent::ToolCall {
            id: call.id.clone(),
            name: tool.clone(),
            summary: shortened(&call.arguments),
        });
        let start = Instant::now();
        let mut ended = match understood(call) {
            Ok(arguments) => self.guarded(call, &tool, &arguments)?,
            Err(problem) => Ended::failed(problem, EventKind::ToolAllowed),
        };
        if repeats == Repeats::Many {
            ended.content.push_str(REPEATED);
        }
        let event = ended
            .event
            .session(&self.session.id)
            .detail("tool", &tool)
            .detail("call", &call.id)
            .detail("input", Digest::of(call.arguments.as_bytes()).to_string())
            .detail("output", Digest::of(ended.content.as_bytes()).to_string());
        self.host.record(&event)?;
        self.front.event(&TurnEvent::ToolResult {
            id: call.id.clone(),
            name: tool.clone(),
            outcome: ended.outcome,
            preview: shortened(&ended.content),
            milliseconds: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
        });
        Ok(ToolResult {
            id: call.id.clone(),
            name: tool,
            content: ended.content,
            outcome: ended.outcome,
        })
    }

    fn guarded(
        &mut self,
        call: &ToolCall,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Ended, HostError> {
        let decision = self.decide(tool, arguments);
        if decision.verdict == GuardVerdict::Denied {
            let by = decision.skill.as_deref().unwrap_or("the guard");
            let content = format!("Denied by `{by}`: {}", decision.reason);
            let mut ended = Ended::denied(content, decision.reason);
            ended.event.skill = decision.skill;
            if let Some(pattern) = decision.pattern {
                ended.event = ended.event.detail("pattern", pattern);
            }
            if let Some(Value::String(command)) = arguments.get("command") {
                ended.event = ended.event.detail("command", command);
            }
            return Ok(ended);
        }
        if let Some(result) = skill::answer(tool, arguments, self.shelf, &self.session.state) {
            return Ok(self.settled(tool, arguments, result));
        }
        if tool == "skill_run" {
            return self.script(call, arguments);
        }
        self.on_workspace(call, tool, arguments)
    }

    /// Skill tools belong to the runtime: lists of allowed tools do not hold them up, what is
    /// denied does.
    fn decide(&self, tool: &str, arguments: &Map<String, Value>) -> GuardDecision {
        let request = GuardRequest {
            tool: tool.to_owned(),
            input: GuardInput::Fields(arguments.clone()),
        };
        let mut skills = self.active.clone();
        if tool.starts_with("skill_") {
            for skill in &mut skills {
                skill.allowed = ToolList::Absent;
            }
        }
        check(
            &request,
            &skills,
            self.host.denied(),
            self.host.surroundings(),
        )
    }

    /// What a tool that only reads skills gave.
    fn settled(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
        result: Result<Output, String>,
    ) -> Ended {
        let kind = match tool {
            "skill_read" => EventKind::ResourceRead,
            _ => EventKind::ToolAllowed,
        };
        let output = match result {
            Ok(output) => output,
            Err(problem) => return Ended::failed(problem, kind),
        };
        let mut ended = Ended::ok(output.content, kind);
        if let Some(activation) = output.activated {
            ended.event = self.activated(&ended.content, activation, Trigger::Model);
        } else if let Some(Value::String(name)) = arguments.get("name") {
            ended.event.skill = Some(name.clone());
            ended.event.digest = crate::tool::Known::digest(&self.session.state, name);
            if let Some(Value::String(path)) = arguments.get("path") {
                ended.event = ended.event.detail("path", path);
            }
        }
        ended
    }

    /// Makes a skill active, and tells so.
    pub(crate) fn activated(
        &mut self,
        text: &str,
        activation: skill::Activation,
        trigger: Trigger,
    ) -> Event {
        let skill::Activation {
            name,
            digest,
            rendered,
            active,
        } = activation;
        self.session.activate(&name, &digest, &rendered);
        self.active.retain(|each| each.name != active.name);
        self.active.push(active);
        self.front.event(&TurnEvent::SkillActivated {
            name: name.clone(),
            digest: digest.to_string(),
            trigger,
            tokens: skillyard_format::tokens::estimate(text),
        });
        let mut event = Event::new(EventKind::SkillActivated)
            .session(&self.session.id)
            .skill(&name)
            .digest(digest.to_string())
            .trigger(trigger.as_str())
            .detail("rendered", rendered.to_string());
        if let Ok(found) = self.shelf.find(&name) {
            event = event
                .source(found.skill.kind.as_str())
                .origin(&found.origin)
                .tier(&found.tier);
        }
        event
    }

    fn script(
        &mut self,
        call: &ToolCall,
        arguments: &Map<String, Value>,
    ) -> Result<Ended, HostError> {
        let run = match self.script_run(arguments) {
            Ok(run) => run,
            Err(problem) => return Ok(Ended::failed(problem, EventKind::ScriptExecuted)),
        };
        if let Some(denied) = self.spent() {
            return Ok(denied);
        }
        let about = |event: Event| {
            event
                .skill(&run.skill)
                .digest(run.digest.to_string())
                .detail("script", &run.script)
                .detail("argv", run.arguments.join(" "))
        };
        let grant = Grant::Scripts {
            skill: run.skill.clone(),
            digest: run.digest.to_string(),
        };
        let allowed = match self.host.script_permission(&run.skill, &run.digest) {
            Permission::Run => true,
            Permission::Blocked { reason } => {
                let content = format!("Denied: scripts of `{}` may not run: {reason}", run.skill);
                let mut ended = Ended::denied(content, reason);
                ended.event = about(ended.event);
                return Ok(ended);
            }
            Permission::Ask { reason } => {
                let action = Action::Script {
                    skill: run.skill.clone(),
                    digest: run.digest.to_string(),
                    script: run.script.clone(),
                    arguments: run.arguments.clone(),
                };
                let answer = self.approved(call, action, reason, grant, &about)?;
                if answer == Answer::Digest {
                    self.host.approve_digest(&run.skill, &run.digest)?;
                }
                answer != Answer::No
            }
        };
        if !allowed {
            let content = format!("Denied: the user does not let `{}` run", run.script);
            let mut ended = Ended::denied(content, "the user said no");
            ended.event = about(ended.event);
            return Ok(ended);
        }
        self.session.state.runs += 1;
        let mut ended = match self.host.run_script(&run, self.cancel) {
            Ok(ran) => {
                let mut ended = Ended::ok(told(&ran), EventKind::ScriptExecuted);
                if ran.code != 0 {
                    ended.outcome = CallOutcome::Failed;
                    let reason = format!("it ended with code {}", ran.code);
                    ended.event = ended.event.ended(Outcome::Failed, reason);
                }
                ended.event = ended
                    .event
                    .detail("exit", ran.code.to_string())
                    .detail("sandbox", ran.backend);
                ended
            }
            Err(error) => Ended::failed(error.to_string(), EventKind::ScriptExecuted),
        };
        ended.event = about(ended.event);
        Ok(ended)
    }

    fn script_run(&self, arguments: &Map<String, Value>) -> Result<ScriptRun, String> {
        let name = wanted(arguments, "name")?;
        let found = self.shelf.find(name).map_err(|error| error.to_string())?;
        let skill = found.skill.record.name.to_string();
        let loaded = crate::tool::Known::digest(&self.session.state, &skill);
        let Some(digest) = loaded.and_then(|digest| digest.parse().ok()) else {
            return Err(format!(
                "skill `{skill}` is not loaded; call `skill_load` first"
            ));
        };
        let mut words = Vec::new();
        match arguments.get("args") {
            None | Some(Value::Null) => {}
            Some(Value::Array(all)) => {
                for word in all {
                    let word = word.as_str().ok_or("the argument `args` must hold texts")?;
                    words.push(word.to_owned());
                }
            }
            Some(_) => return Err("the argument `args` must be a list".into()),
        }
        Ok(ScriptRun {
            skill,
            digest,
            script: wanted(arguments, "script")?.to_owned(),
            arguments: words,
            stdin: optional(arguments, "stdin")?.map(str::to_owned),
        })
    }

    fn on_workspace(
        &mut self,
        call: &ToolCall,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Ended, HostError> {
        let text = |key| {
            arguments
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let mut before = None;
        let question = match tool {
            "Bash" => {
                let command = text("command").to_owned();
                let grant = Grant::Command {
                    command: command.clone(),
                };
                Some((Action::Command { command }, grant))
            }
            "Write" | "Edit" => {
                let (tool, path) = (tool.to_owned(), text("path").to_owned());
                Some((Action::Change { tool, path }, Grant::Changes))
            }
            _ => None,
        };
        if let Some((action, grant)) = question {
            if let Some(denied) = self.spent() {
                return Ok(denied);
            }
            let reason = format!("the model wants to use `{tool}`");
            let about = |event: Event| {
                let event = event.detail("tool", tool);
                match tool {
                    "Bash" => event.detail("command", text("command")),
                    _ => event.detail("path", text("path")),
                }
            };
            before = self.approved_before(tool, arguments);
            if before.is_none() && self.approved(call, action, reason, grant, &about)? == Answer::No
            {
                let content = format!("Denied: the user does not allow this use of `{tool}`");
                let mut ended = Ended::denied(content, "the user said no");
                ended.event = about(ended.event);
                return Ok(ended);
            }
            self.session.state.runs += 1;
        }
        let folders = self.active.iter().filter_map(|each| each.folder.clone());
        let readable: Vec<PathBuf> = folders.collect();
        let mut workspace = Workspace {
            host: self.host,
            readable,
            cancel: self.cancel,
        };
        Ok(match workspace.call(tool, arguments) {
            Some(Ok(content)) => {
                let mut ended = Ended::ok(content, EventKind::ToolAllowed);
                if tool == "Bash" {
                    ended.event = ended.event.detail("command", text("command"));
                }
                if let Some((skill, digest)) = before {
                    let event = ended.event.skill(skill).digest(digest.to_string());
                    ended.event = event.detail("scope", "digest");
                }
                ended
            }
            Some(Err(problem)) => Ended::failed(problem, EventKind::ToolAllowed),
            None => Ended::failed(self.unknown(tool), EventKind::ToolAllowed),
        })
    }

    /// The active skill that the user approved this use of the tool for, by its bytes.
    fn approved_before(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Option<(String, Digest)> {
        let request = GuardRequest {
            tool: tool.to_owned(),
            input: GuardInput::Fields(arguments.clone()),
        };
        let skills = self.active.clone();
        skills.into_iter().find_map(|skill| {
            let digest = crate::tool::Known::digest(&self.session.state, &skill.name)?;
            let digest: Digest = digest.parse().ok()?;
            let allowed = self.host.approved_tools(&skill.name, &digest);
            // Without a list the guard allows everything; here it means that nothing was approved.
            if !matches!(allowed, ToolList::Declared(_)) {
                return None;
            }
            let approved = ActiveSkill { allowed, ..skill };
            let (denied, world) = (self.host.denied(), self.host.surroundings());
            let decision = check(&request, std::slice::from_ref(&approved), denied, world);
            (decision.verdict == GuardVerdict::Allowed).then_some((approved.name, digest))
        })
    }

    fn unknown(&self, tool: &str) -> String {
        let names = self.session.prompt.tools.iter().map(|tool| &*tool.name);
        let near = skillyard_format::nearest::nearest(tool, names);
        let near = near.map(|name| format!("; did you mean `{name}`?"));
        format!("there is no tool `{tool}`{}", near.unwrap_or_default())
    }

    /// Whether no more may be run in this session.
    fn spent(&self) -> Option<Ended> {
        let limit = self.session.prompt.settings.limits.runs;
        (self.session.state.runs >= limit).then(|| {
            let reason = format!("this session has run {limit} scripts and commands, its limit");
            Ended::denied(format!("Denied: {reason}"), reason.clone())
        })
    }

    /// Asks the user, unless they said so before.
    fn approved(
        &mut self,
        call: &ToolCall,
        action: Action,
        reason: String,
        grant: Grant,
        about: &dyn Fn(Event) -> Event,
    ) -> Result<Answer, HostError> {
        if self.session.state.grants.contains(&grant) {
            return Ok(Answer::Session);
        }
        let session = self.session.id.clone();
        let event = |kind| about(Event::new(kind).session(&session).detail("call", &call.id));
        self.host
            .record(&event(EventKind::ApprovalRequested).reason(&reason))?;
        let request = ApprovalRequest {
            call: call.id.clone(),
            action,
            reason,
        };
        let answer = self.front.approve(&request);
        let ended = match answer {
            Answer::No => {
                event(EventKind::ApprovalDenied).ended(Outcome::Denied, "the user said no")
            }
            Answer::Once => event(EventKind::ApprovalGranted).detail("scope", "once"),
            Answer::Session => event(EventKind::ApprovalGranted).detail("scope", "session"),
            Answer::Digest => event(EventKind::ApprovalGranted).detail("scope", "digest"),
        };
        self.host.record(&ended)?;
        if matches!(answer, Answer::Session | Answer::Digest) {
            self.session.state.grants.push(grant);
        }
        Ok(answer)
    }
}

fn understood(call: &ToolCall) -> Result<Map<String, Value>, String> {
    let text = call.arguments.trim();
    if text.len() > MOST_ARGUMENTS {
        return Err(format!(
            "the arguments have {} bytes, and {MOST_ARGUMENTS} are allowed",
            text.len()
        ));
    }
    if text.is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(_) => Err("the arguments are no JSON object".into()),
        Err(error) => Err(format!("the arguments are no valid JSON: {error}")),
    }
}

fn shortened(text: &str) -> String {
    let line = skillyard_format::render::one_line(text);
    let short: String = line.chars().take(PREVIEW).collect();
    if short.len() < line.len() {
        format!("{short}…")
    } else {
        short
    }
}
