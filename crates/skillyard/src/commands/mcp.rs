//! `skillyard mcp`: serves by itself, and has a verb for each thing about servers of others.

mod list;
mod setup;
mod test;

use std::sync::Arc;

use clap::Subcommand;
use skillyard_server::{Access, Proxy, Server, Settings, serve_stdio};

use super::Outcome;
use super::serve::{reloads, runtime};
use crate::context::Context;
use crate::error::serve::ServeFailure;
use crate::error::{CommandError, Status};
use crate::serving::{Machine, Offer, OfferFlags};

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
pub(crate) struct Args {
    /// Print how a client is told, and end
    #[arg(long, value_name = "CLIENT", value_enum)]
    setup: Option<setup::Client>,
    #[command(flatten)]
    offer: OfferFlags,
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    List(list::Args),
    Test(test::Args),
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    match &args.verb {
        Some(Verb::List(args)) => return list::run(context, args),
        Some(Verb::Test(args)) => return test::run(context, args),
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
    let offer = Offer::new(context, &args.offer)?;
    let machine = Arc::new(Machine::new(context, offer)?);
    // Kept until after the runtime: what it holds may not end inside of one.
    let server = Server::new(machine.clone(), settings).map_err(ServeFailure::Host)?;
    let watch = server.watch().map_err(CommandError::Watch)?;
    let outcome = runtime()?.block_on(async {
        let again = tokio::spawn(reloads(context.clone(), server.clone()));
        let outcome = serve_stdio(server.clone()).await;
        again.abort();
        outcome
    });
    drop(watch);
    drop(server);
    drop(machine);
    outcome.map_err(ServeFailure::Mcp)?;
    Ok(Status::Yes)
}
