//! A call that runs a script of a skill.

use serde_json::{Map, Value, json};
use skillyard_audit::{Event, EventKind};
use skillyard_format::package::Digest;

use super::approve::unallowed;
use super::{Calls, Ended, logged};
use crate::front_end::{Action, ApprovalAnswer};
use crate::host::{Executed, HostError, Permission, ScriptRun};
use crate::message::{CallOutcome, ToolCall};
use crate::session::{Grant, Spent};
use crate::tool::render_run;
use crate::tool::skill::{optional, wanted};

impl Calls<'_> {
    pub(super) fn script(
        &mut self,
        call: &ToolCall,
        arguments: &Map<String, Value>,
    ) -> Result<Ended, HostError> {
        let mut run = match self.script_run(call, arguments) {
            Ok(run) => run,
            Err(problem) => return Ok(Ended::failed(problem, EventKind::ScriptExecuted)),
        };
        let wanted = run.clone();
        let about = |event: Event| {
            let event = event
                .skill(&wanted.skill)
                .digest(wanted.digest.to_string())
                .detail("script", &wanted.script)
                .detail("argv", json!(wanted.arguments).to_string());
            match &wanted.stdin {
                None => event,
                Some(stdin) => {
                    event.detail("stdin_digest", Digest::of(stdin.as_bytes()).to_string())
                }
            }
        };
        if let Some(mut denied) = self.spent().or_else(|| self.spent_by(&run.skill)) {
            denied.event = about(denied.event);
            return Ok(denied);
        }
        let grant = Grant::Scripts {
            skill: run.skill.clone(),
            digest: run.digest.to_string(),
        };
        let approval = match self.host.script_permission(&run.skill, &run.digest) {
            Permission::Run => "policy",
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
                    stdin: run.stdin.clone(),
                    unshown: self.host.unshown(&run.skill),
                };
                let answer = self.approved(call, action, reason, grant, &about)?;
                if answer == ApprovalAnswer::Digest {
                    self.host.approve_digest(&run.skill, &run.digest)?;
                }
                if let Some(mut denied) = unallowed(answer, &format!("let `{}` run", run.script)) {
                    denied.event = about(denied.event);
                    return Ok(denied);
                }
                "user"
            }
        };
        run.asked = run.asked.detail("approval", approval);
        self.session.state.runs += 1;
        let more = Spent { tokens: 0, runs: 1 };
        self.spend(&run.skill, more);
        let Executed { ran, event } = self.host.run_script(&run, self.cancel);
        Ok(match ran {
            Ok(ran) => Ended {
                content: render_run(&ran),
                outcome: match ran.code {
                    0 => CallOutcome::Ok,
                    _ => CallOutcome::Failed,
                },
                event,
            },
            Err(error) => Ended {
                content: error.to_string(),
                outcome: CallOutcome::Failed,
                event,
            },
        })
    }

    fn script_run(
        &self,
        call: &ToolCall,
        arguments: &Map<String, Value>,
    ) -> Result<ScriptRun, String> {
        let name = wanted(arguments, "name")?;
        let found = self.shelf.find(name).map_err(|error| error.to_string())?;
        let skill = found.skill.record.name.clone();
        let loaded = self.session.state.active_digest(&skill);
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
            asked: Event::new(EventKind::ScriptStarted)
                .session(&self.session.id)
                .trigger("model")
                .detail("call", logged(&call.id)),
        })
    }
}
