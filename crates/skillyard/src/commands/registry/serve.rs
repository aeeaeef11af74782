//! `skillyard registry serve`.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use skillyard_audit::{Event, EventKind};
use skillyard_registry::maintenance::{self, LogSigner};
use skillyard_registry::rate::Rates;
use skillyard_registry::server::{Names, Proxy, ReadAccess};
use skillyard_registry::{Registry, Server, Settings};
use skillyard_server::LogLine;
use skillyard_trust::signature::SigningKey;
use tokio::net::TcpListener;

use super::{Need, Storage, signing};
use crate::commands::registry;
use crate::commands::registry::log_key::NamedLogKey;
use crate::commands::serving::{Ends, LogFormat};
use crate::context::Context;
use crate::error::registry::RegistryFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::printer::Printer;
use crate::text::counted;

/// How long it may take to read all skills before somebody is told.
const SLOW_START_NOTICE_AFTER: Duration = Duration::from_secs(1);

/// Answer to clients until it is stopped
///
/// Tokens travel with requests, so beyond this machine a proxy with TLS belongs before it.
///
/// Examples:
///   skillyard registry serve
///   skillyard registry serve --port 8080 --url https://skills.example.com
///   skillyard registry serve --reads-per-minute 0          behind a proxy that limits by itself
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(
    clippy::doc_markdown,
    rustdoc::bare_urls,
    reason = "the examples are typed as they stand"
)]
pub(super) struct RegistryServeArgs {
    /// The address to listen on
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    host: String,
    /// The port to listen on; 0 takes any that is free
    #[arg(long, default_value_t = 7879)]
    port: u16,
    /// Where clients reach it, if that is elsewhere; with https unless only this machine can. Without it, a registry
    /// that only this machine reaches answers to names of this machine alone
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The key that signs the log of all versions; the same on every node of a cluster
    #[arg(long, value_name = "FILE")]
    log_key: Option<PathBuf>,
    /// Go on with another key than signed the log before, because that one is lost; clients that knew it
    /// refuse the log until they run `skillyard registry forget`
    #[arg(long)]
    replace_log_key: bool,
    /// How often one address may read; 0 is without end
    #[arg(long, value_name = "N", default_value_t = 12_000)]
    reads_per_minute: u32,
    /// How often one address or token may change something; 0 is without end
    #[arg(long, value_name = "N", default_value_t = 300)]
    writes_per_minute: u32,
    /// Let nobody in without a token, not even to read
    #[arg(long)]
    private: bool,
    /// Believe the proxy before it, which says in X-Forwarded-For who asks
    #[arg(long)]
    behind_proxy: bool,
    /// Hold new names that are one letter from a skill with so many downloads
    #[arg(long, value_name = "DOWNLOADS", default_value_t = 100)]
    popular: u64,
    #[command(flatten)]
    storage: Storage,
}

pub(super) async fn run(context: &Context, args: &RegistryServeArgs) -> Outcome {
    let host = match args.host.as_str() {
        "localhost" => "127.0.0.1",
        host => host,
    };
    let host: IpAddr = host
        .parse()
        .map_err(|_| RegistryFailure::Host(args.host.clone()))?;
    let address = SocketAddr::from((host, args.port));
    registry::checked(args.url.as_deref(), address)?;
    // From before anybody is told that it runs.
    let ends = Ends::hear().map_err(RegistryFailure::Start)?;
    let given = NamedLogKey::find(context, args.log_key.as_deref(), &args.storage)?;
    let registry = args.storage.registry(context, Need::Made).await?;
    let signer = maintenance::log_signer(&registry).await;
    let signer = signer.map_err(RegistryFailure::from)?;
    let key = match signer {
        LogSigner::Key(_) if args.replace_log_key => {
            Some(replaced(context, &registry, given).await?)
        }
        signer => given.fitting(context, &signer)?,
    };
    if args.storage.is_bucket_without_key(context) {
        context.printer.warn(
            "AWS_ACCESS_KEY_ID is not set: the cloud that this machine runs in is asked for a key to the archives, and \
             where it has none nothing can be published or fetched",
        );
    }
    let failed = |source| RegistryFailure::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let url = args
        .url
        .clone()
        .unwrap_or_else(|| format!("http://{bound}"));
    let mut settings = Settings::new(&*url);
    settings.rates = Rates {
        reads: NonZeroU32::new(args.reads_per_minute),
        writes: NonZeroU32::new(args.writes_per_minute),
    };
    if args.url.is_none() && bound.ip().is_loopback() {
        settings.names = Names::Loopback;
    }
    if args.private {
        settings.access = ReadAccess::Private;
    }
    if args.behind_proxy {
        settings.proxy = Proxy::Trusted;
    }
    let registry = registry.with_popular(args.popular);
    let reading = tokio::spawn(read_all(registry.clone(), context.printer.clone()));
    let log = context.clone();
    let report = move |what: &str, cause: &str| {
        LogFormat::default().write(&log, &LogLine::Failure { what, cause });
    };
    let server = Server::new(registry, settings).with_report(Arc::new(report));
    let server = signing(server, key);
    if context.printer.is_json() {
        context
            .printer
            .json(&json!({ "url": url, "address": bound.to_string() }))?;
    } else {
        context.printer.data(&format!("{url}\n"))?;
        context.printer.note(&format!(
            "The registry listens on {bound}; stop it with Ctrl-C"
        ));
    }
    let stop = async {
        ends.first().await;
    };
    server
        .serve(listener, stop)
        .await
        .map_err(RegistryFailure::Start)?;
    reading.abort();
    context.printer.note("Stopped");
    Ok(ExitStatus::Success)
}

/// The key that goes on where another one signed, which is forgotten with all that it signed: beside that
/// the log would never be sound again.
async fn replaced(
    context: &Context,
    registry: &Registry,
    given: NamedLogKey,
) -> Result<SigningKey, CommandError> {
    context.ready_to_record()?;
    let key = given.or_made(context)?;
    let forgotten = maintenance::replace_signer(registry, &key).await;
    if forgotten.map_err(RegistryFailure::from)? > 0 {
        let event = Event::new(EventKind::ConfigChanged)
            .trigger("registry")
            .detail("change", "replace-log-key");
        context.record(&event)?;
        context.printer.note(
            "What another key signed of the log is forgotten; who knew it runs `skillyard registry forget`",
        );
    }
    Ok(key)
}

/// Reads all skills for the search before anybody asks, and says so where that takes a while.
async fn read_all(registry: Registry, printer: Printer) {
    let mut snapshot = pin!(registry.search_snapshot());
    // What is wrong with the database is told to whoever searches.
    if let Ok(_quick) = tokio::time::timeout(SLOW_START_NOTICE_AFTER, &mut snapshot).await {
        return;
    }
    printer.note("Reading all skills for the search; searches wait until that is done");
    if let Ok(snapshot) = snapshot.await {
        let (skills, seconds) = (snapshot.len(), snapshot.took().as_secs_f64());
        printer.note(&format!(
            "Search is ready: {} in {seconds:.1} s",
            counted(skills, "skill")
        ));
    }
}
