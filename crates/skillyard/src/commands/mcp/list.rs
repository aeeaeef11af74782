//! `skillyard mcp list`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Outcome;
use crate::config::mcp::{McpServer, Reach};
use crate::context::Context;
use crate::error::Status;
use crate::redactor::without_userinfo;
use crate::sanitize::visible;

/// List the MCP servers that agents can use; none is started
///
/// Examples:
///   skillyard mcp list
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {}

pub(super) fn run(context: &Context, _args: &Args) -> Outcome {
    let config = context.config()?;
    let mut servers = Vec::new();
    for name in config.mcp_servers() {
        servers.push((config.mcp_server(&name), name));
    }
    if context.printer.is_json() {
        let servers: Vec<Value> = servers
            .iter()
            .map(|(server, name)| match server {
                Ok(Some(server)) => as_json(server),
                Ok(None) => json!({ "name": name }),
                Err(error) => json!({ "name": name, "problem": error.to_string() }),
            })
            .collect();
        context.printer.json(&json!({ "servers": servers }))?;
        return Ok(Status::Yes);
    }
    let mut text = String::new();
    for (server, name) in &servers {
        let said = match server {
            Ok(Some(server)) => described(server),
            Ok(None) => String::new(),
            Err(error) => format!("cannot be used: {error}"),
        };
        let _ = writeln!(text, "{name:<20} {}", visible(&said));
    }
    context.printer.data(&text)?;
    if servers.is_empty() {
        context.printer.note(
            "There are none yet; add one with `skillyard config set mcp.servers.NAME.command PROGRAM`",
        );
    } else {
        context
            .printer
            .note("Try one with `skillyard mcp test NAME`");
    }
    Ok(Status::Yes)
}

/// How a server is reached, without what could be secret.
fn place(server: &McpServer) -> String {
    match &server.reach {
        Reach::Program {
            command, arguments, ..
        } => match arguments.len() {
            0 => command.clone(),
            1 => format!("{command} with 1 argument"),
            count => format!("{command} with {count} arguments"),
        },
        Reach::Address { url, .. } => without_userinfo(url).into_owned(),
    }
}

fn described(server: &McpServer) -> String {
    let asks = match server.approval.as_str() {
        "never" => "calls are not asked about",
        _ => "asks before calls",
    };
    format!("{}; {asks}", place(server))
}

fn as_json(server: &McpServer) -> Value {
    let transport = match server.reach {
        Reach::Program { .. } => "stdio",
        Reach::Address { .. } => "http",
    };
    json!({
        "name": server.name,
        "transport": transport,
        "at": place(server),
        "approval": server.approval.as_str(),
        "skills": server.skills,
        "tools": server.only,
        "timeout": server.timeout.as_secs(),
    })
}
