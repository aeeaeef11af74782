//! Tools that MCP servers lend: guarded and approved like all others, called by the host.

use serde_json::{Map, Value};
use skillyard_audit::{Event, EventKind, Outcome};
pub(crate) use skillyard_format::mcp_tool_name::PREFIX;

use super::approve::unallowed;
use super::{Calls, Ended};
use crate::front_end::{Action, ApprovalAnswer};
use crate::host::{HostError, LentCall, Permission};
use crate::message::{CallOutcome, ToolCall};
use crate::session::Grant;

impl Calls<'_> {
    /// Calls a tool of a server, if the user lets it.
    pub(super) fn lent(
        &mut self,
        call: &ToolCall,
        tool: &str,
        arguments: &Map<String, Value>,
    ) -> Result<Ended, HostError> {
        if let Some(denied) = self.spent() {
            return Ok(denied);
        }
        let about = |event: Event| event.detail("tool", tool);
        let answer = match self.host.lent_permission(tool) {
            Permission::Run => ApprovalAnswer::Session,
            Permission::Blocked { reason } => {
                return Ok(Ended::denied(format!("Denied: {reason}"), reason));
            }
            Permission::Ask { reason } => {
                let tool = tool.to_owned();
                let grant = Grant::Lent { tool: tool.clone() };
                let arguments = Value::Object(arguments.clone()).to_string();
                let action = Action::Lent { tool, arguments };
                self.approved(call, action, reason, grant, &about)?
            }
        };
        if let Some(denied) = unallowed(answer, &format!("allow this use of `{tool}`")) {
            return Ok(denied);
        }
        let skills = self.session.state.activated.iter();
        let skills: Vec<String> = skills
            .map(|each| format!("{}@{}", each.name, each.digest))
            .collect();
        let with_skills = |event: Event| match &skills[..] {
            [] => event,
            skills => event.detail("skills", skills.join(" ")),
        };
        self.begins(call, tool, with_skills)?;
        self.session.state.runs += 1;
        let lent = self.host.call_lent(
            &LentCall {
                tool,
                arguments,
                session: &self.session.id,
                skills: &self.session.state.activated,
            },
            self.cancel,
        );
        let mut ended = match lent {
            Ok(lent) => {
                let mut ended = Ended::ok(lent.content, EventKind::ToolAllowed);
                ended.outcome = lent.outcome;
                if lent.outcome != CallOutcome::Ok {
                    let reason = "the tool says that it failed";
                    ended.event = ended.event.ended(Outcome::Failed, reason);
                }
                ended.event = ended
                    .event
                    .detail("server", lent.server)
                    .detail("own_name", lent.own_name);
                ended
            }
            Err(error) => Ended::failed(error.to_string(), EventKind::ToolAllowed),
        };
        ended.event = with_skills(ended.event);
        Ok(ended)
    }
}
