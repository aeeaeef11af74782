//! `skillyard mcp`: serves by itself, and has a verb for each thing about servers of others.

mod setup;
mod test;

use std::fmt::Write as _;
use std::future::pending;
use std::sync::Arc;

use clap::Subcommand;
use serde_json::{Value, json};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::low_level::emulate_default_handler;
use skillyard_agent::mcp_client::end_all;
use skillyard_server::{Access, Proxy, Server, Settings, serve_stdio};
use tokio::signal::unix::{SignalKind, signal};

use super::serve::{reloads, runtime};
use crate::commands::serving::{McpOffer, OfferFlags, ServerHost};
use crate::config::mcp::{McpEndpoint, McpServer};
use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome, ServeFailure};
use crate::redactor::without_userinfo;
use crate::text::sanitize::visible;

/// Offer the skills that are here to an agent over MCP
///
/// It speaks on standard input and output. Agents start it themselves; `--setup` prints how to
/// tell them. `skillyard serve` has the same at `/mcp`. `list` and `test` are about the other
/// direction: MCP servers whose tools and skills agents of Skillyard use.
///
/// Examples:
///   skillyard mcp --setup claude-code     the line that adds it to Claude Code
///   skillyard mcp                         what the agent then runs
///   skillyard mcp --gateway --allow-run   with tools of other servers, and scripts
///   skillyard mcp test files              what a server of the configuration offers
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct McpArgs {
    /// Print how a client is told, and end
    #[arg(long, value_name = "CLIENT", value_enum)]
    setup: Option<setup::Client>,
    #[command(flatten)]
    offer: OfferFlags,
    #[command(subcommand)]
    verb: Option<McpCommand>,
}

#[derive(Debug, Subcommand)]
enum McpCommand {
    List(McpListArgs),
    Test(test::McpTestArgs),
}

pub(crate) fn run(context: &Context, args: &McpArgs) -> Outcome {
    match &args.verb {
        Some(McpCommand::List(args)) => return run_list(context, args),
        Some(McpCommand::Test(args)) => return test::run(context, args),
        None => {}
    }
    if let Some(client) = args.setup {
        return setup::run(context, client, &args.offer);
    }
    let settings = Settings {
        access: Access::Loopback,
        version: env!("CARGO_PKG_VERSION"),
        agents: None,
        registry: None,
        proxy: Proxy::None,
    };
    let offer = McpOffer::new(context, &args.offer)?;
    let machine = Arc::new(ServerHost::new(context, offer)?);
    // Kept until after the runtime: what it holds may not end inside of one.
    let server = Server::new(machine.clone(), settings).map_err(ServeFailure::Host)?;
    let watch = server.watch().map_err(CommandError::Watch)?;
    let outcome = runtime()?.block_on(async {
        let again = tokio::spawn(reloads(context.clone(), server.clone()));
        let outcome = tokio::select! {
            outcome = serve_stdio(server.clone()) => outcome,
            signal = termination() => {
                end_all();
                let _ = emulate_default_handler(signal);
                Ok(())
            }
        };
        again.abort();
        outcome
    });
    drop(watch);
    drop(server);
    drop(machine);
    outcome.map_err(ServeFailure::Mcp)?;
    Ok(ExitStatus::Success)
}

/// Waits for a signal that ends this process: MCP servers that ignore the end of their input must be ended first.
async fn termination() -> i32 {
    let wait = |kind| async move {
        match signal(kind) {
            Ok(mut signal) => signal.recv().await,
            Err(_) => pending().await,
        }
    };
    tokio::select! {
        _ = wait(SignalKind::terminate()) => SIGTERM,
        _ = wait(SignalKind::interrupt()) => SIGINT,
    }
}

/// List the MCP servers that agents can use; none is started
///
/// Examples:
///   skillyard mcp list
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct McpListArgs {}

fn run_list(context: &Context, _args: &McpListArgs) -> Outcome {
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
        return Ok(ExitStatus::Success);
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
    Ok(ExitStatus::Success)
}

/// How a server is reached, without what could be secret.
fn place(server: &McpServer) -> String {
    match &server.reach {
        McpEndpoint::Program {
            command, arguments, ..
        } => match arguments.len() {
            0 => command.clone(),
            1 => format!("{command} with 1 argument"),
            count => format!("{command} with {count} arguments"),
        },
        McpEndpoint::Address { url, .. } => without_userinfo(url).into_owned(),
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
        McpEndpoint::Program { .. } => "stdio",
        McpEndpoint::Address { .. } => "http",
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
