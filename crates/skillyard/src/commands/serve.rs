//! `skillyard serve`.

use std::net::{AddrParseError, IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use skillyard_server::{Access, MountedRegistry, Proxy, Readers, Server, Settings, bind};
use tokio::signal::unix::{SignalKind, signal};

use crate::agent::Desk;
use crate::commands::serving;
use crate::commands::serving::{Ends, Impatience, LogFormat, McpOffer, OfferFlags, ServerHost};
use crate::config::Config;
use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome, ServeFailure};
use crate::text::counted;

/// How long is waited for what was told to stop, once all answers were given.
const LAST_WAIT: Duration = Duration::from_secs(5);
/// What becomes of what is under way.
const ENDING: &str = "Ending: turns and scripts are stopped, other answers have a few seconds to finish; \
     a second Ctrl-C ends at once";

/// Serve web pages, an API and MCP over the skills that are here
///
/// On this machine nobody is asked for anything. An address that other machines can reach needs
/// tokens: a file with a role (`read`, `chat`, `run` or `admin`) and a token a line. SIGHUP reads
/// the configuration and the tokens again.
///
/// Examples:
///   skillyard serve                                         on 127.0.0.1:7878
///   skillyard serve --port 0                                any free port
///   skillyard serve --host 0.0.0.0 --token-file tokens.txt  for other machines too
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct ServeArgs {
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = listened)]
    host: IpAddr,
    /// The port to listen on; 0 takes any that is free
    #[arg(long, default_value_t = 7878)]
    port: u16,
    /// A file with tokens and their roles
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Serve this machine's registry below `/registry`, too
    #[arg(long)]
    registry: bool,
    /// Let everybody read that registry, also where everything else needs a token
    #[arg(long)]
    public_registry: bool,
    /// Believe the proxy before it, which says in X-Forwarded-For who asks
    #[arg(long, requires = "token_file")]
    behind_proxy: bool,
    /// What is written to stderr while it serves [default: `server.log_format`]
    #[arg(long, value_name = "FORMAT", value_enum)]
    log_format: Option<LogFormat>,
    #[command(flatten)]
    offer: OfferFlags,
}

/// An address to listen on, or the name that this machine has for itself.
fn listened(text: &str) -> Result<IpAddr, AddrParseError> {
    match text {
        "localhost" => Ok(Ipv4Addr::LOCALHOST.into()),
        text => text.parse(),
    }
}

pub(crate) fn run(context: &Context, args: &ServeArgs) -> Outcome {
    let start = Instant::now();
    let access = match &args.token_file {
        Some(file) => Access::Tokens(serving::tokens(file)?),
        None => Access::Loopback,
    };
    let address = SocketAddr::new(args.host, args.port);
    let bound = bind(address, &access).map_err(ServeFailure::Serve)?;
    let config = context.config()?;
    args.keep_locked(&config)?;
    let log = config.text("server.log_format");
    let log = args.log_format.or(log.as_deref().map(LogFormat::of));
    let proxy = if args.behind_proxy {
        Proxy::Trusted
    } else {
        Proxy::None
    };
    let threads = runtime()?;
    let registry = if args.registry || config.serves_registry() {
        let url = format!("http://{}/registry", bound.address);
        let is_public = args.public_registry || config.is_on("server.public_registry");
        let readers = match &access {
            Access::Tokens(_) if !is_public => Readers::Known,
            _ => Readers::Everybody,
        };
        let registry = super::registry::server(context, &url, readers, proxy);
        Some((threads.block_on(registry)?, readers))
    } else {
        None
    };
    let settings = Settings {
        access,
        version: env!("CARGO_PKG_VERSION"),
        agents: Some(Arc::new(Desk::open(context)?)),
        registry: registry
            .as_ref()
            .map(|(registry, readers)| MountedRegistry {
                router: registry.router(),
                readers: *readers,
            }),
        proxy,
    };
    let offer = McpOffer::new(context, &args.offer)?;
    let machine = ServerHost::new(context, offer)?;
    let machine = machine.with(log.unwrap_or_default(), args.token_file.clone());
    // Kept until after the runtime: what it holds may not end inside of one.
    let machine = Arc::new(machine);
    let server = Server::new(machine.clone(), settings).map_err(ServeFailure::Host)?;
    let watch = server.watch().map_err(CommandError::Watch)?;
    // From before anybody is told where we are, who may send a signal then.
    let (ends, reloads) = {
        let _within = threads.enter();
        let reloads = reloads(context.clone(), Arc::clone(&server));
        (Ends::hear()?, reloads)
    };
    let impatience = Impatience::hear(context.printer.heard());
    let mut first = None;
    announce(context, &server, bound.address, start)?;
    let outcome = threads.block_on(async {
        let again = tokio::spawn(reloads);
        let end = async {
            let signal = ends.first().await;
            first = Some(signal);
            context.printer.note(ENDING);
            server.close();
            tokio::spawn(impatience.clone().allow_soon(signal));
        };
        let outcome = bound.serve(Arc::clone(&server), end).await;
        again.abort();
        if let Some((registry, _)) = &registry {
            registry.settle().await;
        }
        outcome
    });
    impatience.allow(first);
    // What was told to stop ends here; what does not hear it in time, such as a server that something
    // is fetched from, ends with us.
    threads.shutdown_timeout(LAST_WAIT);
    drop(watch);
    drop(server);
    drop(machine);
    let _ended = context.printer.heard().unfinished().end();
    outcome.map_err(ServeFailure::Serve)?;
    Ok(ExitStatus::Success)
}

impl ServeArgs {
    /// Refuses flags that stand for keys which the organisation locked.
    fn keep_locked(&self, config: &Config) -> Result<(), CommandError> {
        if self.registry {
            config.keep_locked("server.registry", "`--registry`", "true")?;
        }
        if self.public_registry {
            config.keep_locked("server.public_registry", "`--public-registry`", "true")?;
        }
        match &self.log_format {
            Some(format) => {
                config.keep_locked("server.log_format", "`--log-format`", format.as_str())
            }
            None => Ok(()),
        }
    }
}

/// What was found, and where to look.
fn announce(
    context: &Context,
    server: &Server,
    address: SocketAddr,
    start: Instant,
) -> Result<(), CommandError> {
    let snapshot = server.catalog().snapshot();
    let catalog = &snapshot.catalog;
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
        "Serving {}, {enabled} of them ready to use, after {} ms; end with Ctrl-C",
        counted(catalog.skills.len(), "skill"),
        start.elapsed().as_millis(),
    ));
    if !catalog.skipped.is_empty() {
        let count = catalog.skipped.len();
        printer.note(&format!("{count} passed over; {url}/admin says why"));
    }
    Ok(())
}

/// The threads that answer; nothing before this command needs any.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    Ok(builder.enable_all().build()?)
}

/// Reads everything again whenever somebody asks for it with SIGHUP, which ends nobody from the
/// call on.
pub(super) fn reloads(
    context: Context,
    server: Arc<Server>,
) -> impl Future<Output = ()> + Send + 'static {
    let hangups = signal(SignalKind::hangup());
    async move {
        let Ok(mut hangups) = hangups else {
            return;
        };
        while hangups.recv().await.is_some() {
            let server = Arc::clone(&server);
            let reloaded = tokio::task::spawn_blocking(move || server.reload()).await;
            match reloaded {
                Ok(Ok(true)) => context.printer.note("Reloaded; skills changed"),
                Ok(Ok(false)) => context.printer.note("Reloaded; the skills are the same"),
                Ok(Err(error)) => {
                    let cause = ServeFailure::Host(error);
                    let text = CommandError::from(cause).with_causes();
                    context.printer.error("nothing was reloaded", &[text], None);
                }
                Err(_) => {}
            }
        }
    }
}
