//! Deciding whether a call may be made, and leading it to its tool.

use serde_json::{Map, Value};
use skillyard_audit::EventKind;
use skillyard_trust::guard::{GuardDecision, GuardInput, GuardRequest, GuardVerdict, check};

use super::{Calls, Ended, lent};
use crate::host::HostError;
use crate::message::ToolCall;
use crate::prompt::Prompt;
use crate::tool::{answer, told_by};

/// Whether a session was given a tool.
pub(crate) fn has(prompt: &Prompt, tool: &str) -> bool {
    prompt.tools.iter().any(|each| each.name == tool)
}

impl Calls<'_> {
    pub(super) fn guarded(
        &mut self,
        call: &ToolCall,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Ended, HostError> {
        let decision = match self.decide(tool, arguments) {
            Ok(decision) => decision,
            // Nobody knows what is denied.
            Err(error) => {
                let content = format!("Denied: {}", error.message);
                return Ok(Ended::denied(content, error.message));
            }
        };
        if decision.verdict == GuardVerdict::Denied {
            let by = decision.skill.as_deref().unwrap_or("the guard");
            let content = format!("Denied by `{by}`: {}", decision.reason);
            let mut ended = Ended::denied(content, &decision.reason);
            ended.event = told_by(ended.event, &decision);
            if let Some(Value::String(command)) = arguments.get("command") {
                ended.event = ended.event.detail("command", command);
            }
            return Ok(ended);
        }
        let mut ended = self.led_on(call, tool, arguments)?;
        if ended.event.kind == EventKind::ToolAllowed {
            ended.event = told_by(ended.event, &decision);
        }
        Ok(ended)
    }

    /// Leads a call that the guard allows to its tool.
    fn led_on(
        &mut self,
        call: &ToolCall,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Ended, HostError> {
        // A model may name any tool; those that its session was not given are not there.
        if !has(&self.session.prompt, tool) {
            return Ok(Ended::failed(self.unknown(tool), EventKind::ToolAllowed));
        }
        if let Some(denied) = self.withheld(tool, arguments) {
            return Ok(denied);
        }
        if let Some(result) = answer(tool, arguments, self.shelf, &self.session.state) {
            return Ok(self.settled(tool, arguments, result));
        }
        if tool == "skill_run" {
            return self.script(call, arguments);
        }
        if tool.starts_with(lent::PREFIX) {
            return self.lent(call, tool, arguments);
        }
        self.on_workspace(call, tool, arguments)
    }

    fn decide(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<GuardDecision, HostError> {
        let request = GuardRequest {
            tool: tool.to_owned(),
            input: GuardInput::Fields(arguments.clone()),
        };
        let denied = self.host.denied()?;
        let world = self.host.surroundings();
        Ok(check(&request, self.active, &denied, world))
    }
}
