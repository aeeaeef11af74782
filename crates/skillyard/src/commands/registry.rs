//! `skillyard registry`: one file a verb.

mod backup;
mod export_static;
mod log_key;
mod mirror;
mod name;
mod serve;
mod token;
mod verify;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Subcommand;
use jiff::SignedDuration;
use secrecy::SecretString;
use serde_json::json;
use skillyard_audit::{Event, EventKind};
use skillyard_catalog::private_dir;
use skillyard_registry::blobs::{S3Access, Ways};
use skillyard_registry::maintenance::{Caution, SoundCopy};
use skillyard_registry::{Blobs, Database, Registry, maintenance};
use skillyard_server::{Proxy, Readers};
use skillyard_trust::signature::SigningKey;
use url::Url;

use crate::commands::registry::log_key::NamedLogKey;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::registry::RegistryFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::web::Web;
use crate::text::counted;
use crate::text::sanitize::visible;

/// Threads for files and archives: each keeps memory of its own, and the processor is the limit anyway.
const BLOCKING: usize = 8;

/// The file of the database in the registry's own folder.
const DATABASE: &str = "registry.db";

/// Run a registry of skills
///
/// Without a database and a store everything is in SKILLYARD_HOME/registry.
///
/// Examples:
///   skillyard registry serve
///   skillyard registry token create --user ada --scope publish --scope yank
///   skillyard registry serve --database postgres://… --blobs s3://skills
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(clippy::doc_markdown, reason = "the examples are typed as they stand")]
pub(crate) struct RegistryArgs {
    #[command(subcommand)]
    verb: RegistryCommand,
}

#[derive(Debug, Subcommand)]
enum RegistryCommand {
    Serve(serve::RegistryServeArgs),
    Token(token::RegistryTokenArgs),
    Verify(verify::RegistryVerifyArgs),
    Gc(RegistryGcArgs),
    Backup(backup::RegistryBackupArgs),
    Restore(RegistryRestoreArgs),
    Mirror(mirror::RegistryMirrorArgs),
    ExportStatic(export_static::RegistryExportStaticArgs),
    Name(name::RegistryNameArgs),
    Forget(RegistryForgetArgs),
}

pub(crate) fn run(context: &Context, args: RegistryArgs) -> Outcome {
    // The registry is the one part that works with many at once; nothing before it needs that.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING)
        .build();
    let runtime = runtime.map_err(RegistryFailure::Start)?;
    runtime.block_on(async {
        match args.verb {
            RegistryCommand::Serve(args) => serve::run(context, &args).await,
            RegistryCommand::Token(args) => token::run(context, args).await,
            RegistryCommand::Verify(args) => verify::run(context, &args).await,
            RegistryCommand::Gc(args) => run_gc(context, &args).await,
            RegistryCommand::Backup(args) => backup::run(context, &args).await,
            RegistryCommand::Restore(args) => run_restore(context, &args).await,
            RegistryCommand::Mirror(args) => mirror::run(context, &args).await,
            RegistryCommand::ExportStatic(args) => export_static::run(context, &args).await,
            RegistryCommand::Name(args) => name::run(context, &args).await,
            RegistryCommand::Forget(args) => run_forget(context, &args),
        }
    })
}

/// This machine's registry, for a server that has other things to serve, too.
pub(crate) async fn server(
    context: &Context,
    url: &str,
    readers: Readers,
    proxy: Proxy,
) -> Result<skillyard_registry::Server, CommandError> {
    let storage = Storage {
        database: None,
        blobs: None,
    };
    let given = NamedLogKey::find(context, None, &storage)?;
    let registry = storage.registry(context, Need::Made).await?;
    let signer = maintenance::log_signer(&registry).await;
    let key = given.fitting(context, &signer.map_err(RegistryFailure::from)?)?;
    let mut settings = skillyard_registry::Settings::new(url);
    settings.proxy = proxy;
    if readers == Readers::Known {
        settings.access = skillyard_registry::server::ReadAccess::Private;
    }
    Ok(signing(
        skillyard_registry::Server::new(registry, settings),
        key,
    ))
}

/// A server that signs its log, unless it has no say in it.
fn signing(
    server: skillyard_registry::Server,
    key: Option<SigningKey>,
) -> skillyard_registry::Server {
    match key {
        Some(key) => server.with_log_key(key),
        None => server,
    }
}

/// Where the registry keeps what it has.
#[derive(Debug, Clone, clap::Args)]
struct Storage {
    /// The database: `sqlite:PATH` or `postgres://…`
    #[arg(long, value_name = "URL", global = true)]
    database: Option<String>,
    /// The archives: a folder or `s3://BUCKET/PREFIX`
    #[arg(long, value_name = "URL", global = true)]
    blobs: Option<String>,
}

/// Which registry it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RegistryDataArgs {
    /// This machine's own.
    Home,
    /// One that was named, whose key may be anywhere.
    Named,
}

/// What becomes of a registry that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// It is made.
    Made,
    /// That is an error: a wrong address is not to look like a registry in which all is well.
    Existing,
}

impl Storage {
    fn place(&self) -> RegistryDataArgs {
        match self.database {
            None => RegistryDataArgs::Home,
            Some(_) => RegistryDataArgs::Named,
        }
    }

    /// Whether the archives are in a bucket for which the environment names no key.
    fn is_bucket_without_key(&self, context: &Context) -> bool {
        let address = self.blobs.as_deref().unwrap_or_default();
        address.starts_with("s3://") && context.environment.s3.key.is_none()
    }

    async fn database(&self, context: &Context, need: Need) -> Result<Database, CommandError> {
        let opened = match (&self.database, need) {
            (Some(address), need) => {
                context.learn_address(address);
                match need {
                    Need::Made => Database::open(address).await,
                    Need::Existing => Database::open_existing(address).await,
                }
            }
            (None, Need::Made) => Database::open_file(&home(context)?.join(DATABASE)).await,
            (None, Need::Existing) => {
                Database::open_existing_file(&folder(context).join(DATABASE)).await
            }
        };
        Ok(opened.map_err(RegistryFailure::from)?)
    }

    fn blobs(&self, context: &Context) -> Result<Blobs, CommandError> {
        let blobs = match &self.blobs {
            Some(address) if address.starts_with("s3://") => {
                Blobs::in_bucket(address, &access(context)?)
            }
            Some(folder) => {
                let folder = folder.strip_prefix("file://").unwrap_or(folder);
                Blobs::in_folder(&context.environment.current_dir.join(folder))
            }
            None => Blobs::in_folder(&home(context)?.join("blobs")),
        };
        Ok(blobs.map_err(RegistryFailure::from)?)
    }

    async fn registry(&self, context: &Context, need: Need) -> Result<Registry, CommandError> {
        let recorder = Arc::new(context.recorder()?);
        let database = self.database(context, need).await?;
        let clock = Arc::new(jiff::Timestamp::now);
        Ok(Registry::new(
            database,
            self.blobs(context)?,
            Some(recorder),
            clock,
        ))
    }
}

/// The folder for a registry on this machine.
fn folder(context: &Context) -> PathBuf {
    context.environment.skillyard_home.join("registry")
}

/// The same, made if need be, for nobody else's eyes.
fn home(context: &Context) -> Result<PathBuf, CommandError> {
    let folder = folder(context);
    let made = || -> std::io::Result<()> {
        private_dir::create(&folder)?;
        let private = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o700);
        std::fs::set_permissions(&folder, private)
    };
    made().map_err(|source| CommandError::Write {
        path: folder.clone(),
        source,
    })?;
    Ok(folder)
}

/// The way to a bucket, through the proxies that are for its servers: which name those have only
/// the store knows, and a region's is another than that of all.
fn access(context: &Context) -> Result<S3Access, CommandError> {
    let environment = &context.environment;
    let access = &environment.s3;
    let routes = environment.proxies.routes().map_err(InstallFailure::from)?;
    let secret = access.secret.as_ref();
    Ok(S3Access {
        key: access.key.clone(),
        secret: secret.map(|each| SecretString::from(each.expose().to_owned())),
        region: access.region.clone(),
        endpoint: access.endpoint.clone(),
        ways: Ways::new(move |server| routes.proxy_for(server).cloned()),
    })
}

/// Remove archives that belong to no version
///
/// A publish that was broken off leaves one behind. It can run while the registry is served.
/// Where most archives would go nothing is removed: they may be another registry's.
///
/// Examples:
///   skillyard registry gc
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct RegistryGcArgs {
    /// Only those that were stored so many minutes ago
    #[arg(long, value_name = "MINUTES", default_value_t = 60)]
    older_than: u32,
    /// Remove them also if that is most of all archives
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    storage: Storage,
}

async fn run_gc(context: &Context, args: &RegistryGcArgs) -> Outcome {
    let registry = args.storage.registry(context, Need::Existing).await?;
    let age = SignedDuration::from_mins(i64::from(args.older_than));
    let time = context
        .now()
        .checked_sub(age)
        .map_err(RegistryFailure::from)?;
    let caution = if args.force {
        Caution::Override
    } else {
        Caution::Refuse
    };
    let removed = maintenance::collect(&registry, time, caution).await;
    let removed = removed.map_err(RegistryFailure::from)?;
    registry.database.close().await;
    if context.printer.is_json() {
        context.printer.json(&json!({ "removed": removed }))?;
    } else {
        context.printer.note(&format!("{removed} removed"));
    }
    Ok(ExitStatus::Success)
}

/// Forget what a registry said before, so that it may start over
///
/// A registry that has lost a version, or whose log is shorter than it was, is refused: somebody may
/// replay the past. Where its operator put an older copy in its place, say so with this. What is
/// installed and what is in the store stay.
///
/// Examples:
///   skillyard registry forget
///   skillyard registry forget https://skills.example.com
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(
    clippy::doc_markdown,
    rustdoc::bare_urls,
    reason = "the examples are typed as they stand"
)]
struct RegistryForgetArgs {
    /// The registry's address or the name of a source; without it the one of the configuration
    registry: Option<String>,
}

fn run_forget(context: &Context, args: &RegistryForgetArgs) -> Outcome {
    context.ready_to_record()?;
    let web = Web::new(context, &[])?;
    let (address, was_known) = web.forget(args.registry.as_deref())?;
    if was_known {
        let event = Event::new(EventKind::ConfigChanged)
            .trigger("registry")
            .detail("change", "forget")
            .detail("registry", &address);
        context.record(&event)?;
    }
    if context.printer.is_json() {
        let answer = json!({ "registry": address, "forgotten": was_known });
        context.printer.json(&answer)?;
    } else if was_known {
        let note = format!("What {} said before is forgotten", visible(&address));
        context.printer.note(&note);
    } else {
        let note = format!("Nothing of {} was remembered", visible(&address));
        context.printer.note(&note);
    }
    Ok(ExitStatus::Success)
}

/// Checks what `--url` says: an address of the web, and one with TLS where others than this
/// machine can reach the registry, because tokens travel with requests.
fn checked(url: Option<&str>, address: SocketAddr) -> Result<(), RegistryFailure> {
    let Some(text) = url else {
        if address.ip().is_loopback() {
            return Ok(());
        }
        return Err(RegistryFailure::Exposed(address));
    };
    let wrong = || RegistryFailure::Url(text.to_owned());
    let url = Url::parse(text).map_err(|_| wrong())?;
    let is_plain = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() || !is_plain {
        return Err(wrong());
    }
    if url.scheme() == "http" && !address.ip().is_loopback() {
        return Err(RegistryFailure::Exposed(address));
    }
    Ok(())
}

/// Make a registry from a copy that `backup` made
///
/// The copy is looked through first. The registry that it goes into has to be empty; it may be of
/// the other kind, which is how a registry moves from SQLite and a folder to PostgreSQL and S3.
///
/// Examples:
///   skillyard registry restore ./registry-copy
///   skillyard registry restore ./registry-copy --database postgres://… --blobs s3://skills
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(clippy::doc_markdown, reason = "the examples are typed as they stand")]
struct RegistryRestoreArgs {
    /// The folder of the copy
    folder: PathBuf,
    #[command(flatten)]
    storage: Storage,
}

async fn run_restore(context: &Context, args: &RegistryRestoreArgs) -> Outcome {
    let folder = context.environment.current_dir.join(&args.folder);
    // Before a registry is made that would look sound without anything in it.
    let copy = SoundCopy::open(&folder).await;
    let copy = copy.map_err(RegistryFailure::from)?;
    let registry = args.storage.registry(context, Need::Made).await?;
    let restored = copy.restore(&registry).await;
    let restored = restored.map_err(RegistryFailure::from)?;
    let signer = maintenance::log_signer(&registry).await;
    let signer = signer.map_err(RegistryFailure::from)?;
    registry.database.close().await;
    let key = log_key::restore(context, &folder, &signer, &args.storage)?;
    if context.printer.is_json() {
        context.printer.json(&json!({
            "versions": restored.versions,
            "archives": restored.archives,
            "made": restored.made.map(|made| made.to_string()),
            "log_key": key.as_str(),
            "kept": key.kept().map(Path::to_string_lossy),
        }))?;
        return Ok(ExitStatus::Success);
    }
    context.printer.note(&format!(
        "Restored {} and {}; {}",
        counted(restored.versions, "version"),
        counted(restored.archives, "archive"),
        key.told()
    ));
    let made = restored.made.map_or_else(
        || "when the copy was made".to_owned(),
        |made| format!("on {}", made.strftime("%Y-%m-%d at %H:%M UTC")),
    );
    context.printer.note(&format!(
        "Tokens, roles and withdrawn versions are as they were {made}: what was revoked or withdrawn since is valid again; \
         look at `skillyard registry token list`"
    ));
    Ok(ExitStatus::Success)
}

#[cfg(test)]
mod reached_tests {
    use super::*;

    #[test]
    fn strangers_need_an_address_with_tls() {
        let check = |url: Option<&str>, address: &str| {
            checked(url, address.parse().unwrap()).map_err(|error| error.to_string())
        };
        let (open, own) = ("0.0.0.0:7879", "127.0.0.1:7879");
        assert!(check(None, own).is_ok() && check(None, open).is_err());
        assert!(check(Some("http://skills.example"), own).is_ok());
        assert!(check(Some("https://skills.example/below/"), open).is_ok());
        assert!(check(Some("http://skills.example"), open).is_err());
        for wrong in [
            "",
            "banana",
            "ftp://x",
            "javascript:alert(1)",
            "//x",
            "https://",
            "https://ann:secret@x.example",
            "https://x.example/?q",
            "https://x.example/#top",
        ] {
            for address in [open, own] {
                let error = check(Some(wrong), address).unwrap_err();
                assert!(error.contains("no address"), "{wrong}: {error}");
            }
        }
    }
}
