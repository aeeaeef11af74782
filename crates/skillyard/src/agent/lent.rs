//! Tools of MCP servers in a session: told of, weighed and called.

use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value, json};
use skillyard_agent::host::{HostError, Lent, LentCall, Permission};
use skillyard_agent::mcp_client::mark_untrusted;
use skillyard_agent::message::CallOutcome;
use skillyard_agent::tool_spec::ToolSpec;

use crate::config::mcp::Approval;
use crate::context::Context;
use crate::mcp::Lenders;
use crate::sanitize::visible;

/// What a server is told of who calls it.
const SESSION: &str = "dev.skillyard/session";
const SKILLS: &str = "dev.skillyard/skills";

/// The tools of all servers, which were started before.
pub(super) fn tools(context: &Context, lenders: &Lenders) -> Vec<ToolSpec> {
    let mut specs = Vec::new();
    for lent in &lenders.lent {
        specs.extend(lent.tools.tools.iter().map(|tool| ToolSpec {
            name: tool.name.clone(),
            description: tool.description.clone(),
            parameters: tool.parameters.clone(),
        }));
        for reason in &lent.tools.rejected {
            let line = format!("MCP server `{}`: {}", lent.server, visible(reason));
            context.printer.detail(&line);
        }
    }
    specs
}

/// Whether the user is asked before a tool is called.
pub(super) fn permission(lenders: &Lenders, tool: &str) -> Permission {
    match lenders.of_tool(tool) {
        Some(server) if server.approval == Approval::Never => Permission::Run,
        Some(server) => Permission::Ask {
            reason: format!(
                "the model wants to use a tool of MCP server `{}`",
                server.name
            ),
        },
        None => Permission::Blocked {
            reason: format!("no MCP server of this session lends `{tool}`"),
        },
    }
}

/// Calls a tool; the server learns of the session and its skills.
pub(super) fn call(
    lenders: &Lenders,
    call: &LentCall<'_>,
    cancel: &AtomicBool,
) -> Result<Lent, HostError> {
    let skills = call.skills.iter();
    let skills = skills.map(|each| json!({ "name": each.name, "digest": each.digest }));
    let mut meta = Map::new();
    meta.insert(SESSION.into(), call.session.into());
    meta.insert(SKILLS.into(), Value::Array(skills.collect()));
    let called = lenders
        .servers
        .call(call.tool, call.arguments, meta, cancel);
    let called = called.map_err(|error| HostError::new(error.to_string()))?;
    Ok(Lent {
        content: mark_untrusted(&called.server, &called.tool, &called.result.text),
        outcome: if called.result.is_error {
            CallOutcome::Failed
        } else {
            CallOutcome::Ok
        },
        server: called.server,
        own_name: called.tool,
    })
}
