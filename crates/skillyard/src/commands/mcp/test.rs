//! `skillyard mcp test`.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use skillyard_agent::mcp_client::{McpError, Protocol, ServerState, Skills};

use super::Outcome;
use crate::config::mcp::{Approval, McpEndpoint, McpServer};
use crate::context::Context;
use crate::error::mcp::McpFailure;
use crate::error::{CommandError, ExitStatus};
use crate::mcp::Lenders;
use crate::text::counted;
use crate::text::sanitize::visible;

/// Reach an MCP server, and show what it offers
///
/// Its tools are listed as agents would call them, with those that cannot be used and why. So are
/// the skills it publishes; `--verify` reads every file of them and compares it with its digest.
///
/// Examples:
///   skillyard mcp test files
///   skillyard mcp test http://127.0.0.1:8000/mcp --verify
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, reason = "these are examples for a terminal")]
pub(super) struct McpTestArgs {
    /// A server of the configuration, or an address
    server: String,
    /// Read every file of its skills and compare the digests
    #[arg(long)]
    verify: bool,
}

pub(super) fn run(context: &Context, args: &McpTestArgs) -> Outcome {
    let start = Instant::now();
    let lenders = lenders(context, &args.server)?;
    let cancel = AtomicBool::new(false);
    let name = lenders.servers.names().next().unwrap_or_default();
    let failed = |source| McpFailure::Server {
        name: args.server.clone(),
        source,
    };
    let state = lenders.servers.state(name, &cancel).map_err(failed)?;
    let skills = lenders.servers.skills(name, &cancel).map_err(failed)?;
    let checked: Vec<Option<Result<usize, McpError>>> = skills
        .skills
        .iter()
        .map(|skill| {
            let fetched = args.verify.then(|| lenders.servers.fetch(skill, &cancel));
            fetched.map(|fetched| fetched.map(|files| files.len()))
        })
        .collect();
    let is_true = checked.iter().flatten().all(Result::is_ok);
    if context.printer.is_json() {
        context
            .printer
            .json(&as_json(name, &state, &skills, &checked))?;
    } else {
        context
            .printer
            .data(&visible(&told(&state, &skills, &checked)))?;
        context.printer.note(&format!(
            "{} and {} in {} ms",
            counted(state.tools.tools.len(), "tool"),
            counted(skills.skills.len(), "skill"),
            start.elapsed().as_millis()
        ));
    }
    Ok(if is_true {
        ExitStatus::Success
    } else {
        ExitStatus::Negative
    })
}

fn lenders(context: &Context, server: &str) -> Result<Lenders, CommandError> {
    if !server.contains("://") {
        return Lenders::named(context, &[server.to_owned()]);
    }
    let configured = McpServer {
        name: "server".into(),
        reach: McpEndpoint::Address {
            url: server.to_owned(),
            headers: Vec::new(),
        },
        only: None,
        approval: Approval::Ask,
        skills: true,
        timeout: Duration::from_mins(1),
    };
    Lenders::of(context, vec![configured])
}

type Checked = Option<Result<usize, McpError>>;

fn told(state: &ServerState, skills: &Skills, checked: &[Checked]) -> String {
    let info = &state.info;
    let mut text = format!(
        "{} {}, protocol {}\n",
        info.name, info.version, info.revision
    );
    for tool in &state.tools.tools {
        let said = tool.raw.get("description").and_then(Value::as_str);
        let said = skillyard_format::text::one_line(said.unwrap_or_default());
        let said: String = said.chars().take(80).collect();
        let _ = writeln!(text, "  tool   {}  {said}", tool.name);
    }
    for reason in &state.tools.rejected {
        let _ = writeln!(text, "  unused {reason}");
    }
    for (skill, checked) in skills.skills.iter().zip(checked) {
        let files = counted(skill.manifest.files.len(), "file");
        let said = match checked {
            None => files,
            Some(Ok(count)) => format!("{}, all as listed", counted(*count, "file")),
            Some(Err(error)) => error.to_string(),
        };
        let _ = writeln!(text, "  skill  {}  {said}", skill.qualified_name());
    }
    for rejected in &skills.rejected {
        let _ = writeln!(text, "  unused {}: {}", rejected.uri, rejected.reason);
    }
    text
}

fn as_json(name: &str, state: &ServerState, skills: &Skills, checked: &[Checked]) -> Value {
    let info = &state.info;
    let tools = state.tools.tools.iter().map(|tool| {
        json!({ "name": tool.name, "own_name": tool.own_name, "parameters": tool.parameters })
    });
    let published = skills.skills.iter().zip(checked).map(|(skill, checked)| {
        json!({
            "name": skill.qualified_name(),
            "uri": skill.uri,
            "files": skill.manifest.files.len(),
            "verified": checked.as_ref().map(Result::is_ok),
            "problem": checked.as_ref().and_then(|checked| checked.as_ref().err().map(ToString::to_string)),
        })
    });
    let rejected = skills.rejected.iter();
    let rejected = rejected.map(|each| json!({ "uri": each.uri, "reason": each.reason }));
    json!({
        "name": name,
        "server": { "name": info.name, "version": info.version },
        "protocol": info.revision,
        "stateless": info.protocol == Protocol::Modern,
        "tools": tools.collect::<Vec<_>>(),
        "rejected_tools": state.tools.rejected,
        "skills": published.collect::<Vec<_>>(),
        "rejected_skills": rejected.collect::<Vec<_>>(),
    })
}
