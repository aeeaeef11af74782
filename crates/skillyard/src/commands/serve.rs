//! `skillyard serve`.

use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use skillyard_server::{Access, Server, Settings, Tokens, bind};

use super::Outcome;
use crate::context::Context;
use crate::error::serve::ServeFailure;
use crate::error::{CommandError, Status};
use crate::serving::{Machine, Offer, OfferFlags};

/// Permissions for the group and for others.
const OTHERS: u32 = 0o077;

/// Serve web pages, an API and MCP over the skills that are here
///
/// On this machine nobody is asked for anything. An address that other machines can reach needs
/// tokens: a file with a role (`read`, `chat`, `run` or `admin`) and a token a line.
///
/// Examples:
///   skillyard serve                                         on 127.0.0.1:7878
///   skillyard serve --port 0                                any free port
///   skillyard serve --host 0.0.0.0 --token-file tokens.txt  for other machines too
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,
    /// The port to listen on; 0 takes any that is free
    #[arg(long, default_value_t = 7878)]
    port: u16,
    /// A file with tokens and their roles
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    offer: OfferFlags,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let start = Instant::now();
    let access = match &args.token_file {
        Some(file) => Access::Tokens(tokens(file)?),
        None => Access::Loopback,
    };
    let address = SocketAddr::new(args.host, args.port);
    let bound = bind(address, &access).map_err(ServeFailure::Serve)?;
    let settings = Settings {
        access,
        version: env!("CARGO_PKG_VERSION"),
        chat: None,
    };
    let offer = Offer::new(context, &args.offer)?;
    let machine = Arc::new(Machine::new(context, offer)?);
    // Kept until after the runtime: what it holds may not end inside of one.
    let server = Server::new(machine.clone(), settings).map_err(ServeFailure::Host)?;
    let watch = server.watch().map_err(CommandError::Watch)?;
    announce(context, &server, bound.address, start)?;
    let outcome = runtime()?.block_on(async {
        let end = async {
            ended().await;
            context
                .printer
                .note("Ending; answers under way are finished first");
        };
        bound.serve(Arc::clone(&server), end).await
    });
    drop(watch);
    drop(server);
    drop(machine);
    outcome.map_err(ServeFailure::Serve)?;
    Ok(Status::Yes)
}

/// What was found, and where to look.
fn announce(
    context: &Context,
    server: &Server,
    address: SocketAddr,
    start: Instant,
) -> Result<(), CommandError> {
    let stock = server.shelf().stock();
    let catalog = &stock.catalog;
    let enabled = catalog.enabled().count();
    let url = format!("http://{address}");
    if context.printer.is_json() {
        return Ok(context.printer.compact_json(&json!({
            "url": url,
            "skills": catalog.skills.len(),
            "enabled": enabled,
            "shadowed": catalog.shadowed.len(),
            "skipped": catalog.skipped.len(),
        }))?);
    }
    context.printer.data(&format!("{url}\n"))?;
    let printer = &context.printer;
    printer.note(&format!(
        "Serving {} skills, {enabled} of them ready to use, after {} ms; end with Ctrl-C",
        catalog.skills.len(),
        start.elapsed().as_millis(),
    ));
    if !catalog.skipped.is_empty() {
        let count = catalog.skipped.len();
        printer.note(&format!("{count} passed over; {url}/admin says why"));
    }
    Ok(())
}

fn tokens(file: &Path) -> Result<Tokens, CommandError> {
    let unread = |source| CommandError::Read {
        path: file.to_owned(),
        source,
    };
    let mode = fs::metadata(file).map_err(unread)?.mode() & 0o777;
    if mode & OTHERS != 0 {
        let path = file.to_owned();
        return Err(ServeFailure::Readable { path, mode }.into());
    }
    let text = fs::read_to_string(file).map_err(unread)?;
    let unusable = |source| ServeFailure::Tokens {
        path: file.to_owned(),
        source,
    };
    Ok(Tokens::parse(&text).map_err(unusable)?)
}

/// The threads that answer; nothing before this command needs any.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    Ok(builder.enable_all().build()?)
}

/// Waits for the user, or whoever started us, to end the command.
async fn ended() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        let _ = tokio::signal::ctrl_c().await;
        return;
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}
