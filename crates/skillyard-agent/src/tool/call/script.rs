//! A call that runs a script of a skill.

use serde_json::{Map, Value};
use skillyard_audit::{Event, EventKind, Outcome};

use super::{Calls, Ended};
use crate::front_end::{Action, Answer};
use crate::host::{HostError, Permission, ScriptRun};
use crate::message::{CallOutcome, ToolCall};
use crate::session::Grant;
use crate::tool::Known;
use crate::tool::skill::{optional, wanted};
use crate::tool::workspace::told;

impl Calls<'_> {
    pub(super) fn script(
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
        let loaded = Known::digest(&self.session.state, &skill);
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
}
