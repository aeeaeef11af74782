//! `skillyard registry`: one file a verb.

mod backup;
mod bucket;
mod export_static;
mod forget;
mod gc;
mod log_key;
mod mirror;
mod name;
mod reached;
mod restore;
mod serve;
mod token;
mod verify;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Subcommand;
use skillyard_catalog::private_dir;
use skillyard_registry::{Blobs, Database, Registry, maintenance};
use skillyard_server::{Proxy, Readers};
use skillyard_trust::signature::SigningKey;

use self::log_key::Given;
use super::Outcome;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::registry::RegistryFailure;

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
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Serve(serve::Args),
    Token(token::Args),
    Verify(verify::Args),
    Gc(gc::Args),
    Backup(backup::Args),
    Restore(restore::Args),
    Mirror(mirror::Args),
    ExportStatic(export_static::Args),
    Name(name::Args),
    Forget(forget::Args),
}

pub(crate) fn run(context: &Context, args: Args) -> Outcome {
    // The registry is the one part that works with many at once; nothing before it needs that.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING)
        .build();
    let runtime = runtime.map_err(RegistryFailure::Start)?;
    runtime.block_on(async {
        match args.verb {
            Verb::Serve(args) => serve::run(context, &args).await,
            Verb::Token(args) => token::run(context, args).await,
            Verb::Verify(args) => verify::run(context, &args).await,
            Verb::Gc(args) => gc::run(context, &args).await,
            Verb::Backup(args) => backup::run(context, &args).await,
            Verb::Restore(args) => restore::run(context, &args).await,
            Verb::Mirror(args) => mirror::run(context, &args).await,
            Verb::ExportStatic(args) => export_static::run(context, &args).await,
            Verb::Name(args) => name::run(context, &args).await,
            Verb::Forget(args) => forget::run(context, &args),
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
    let given = Given::find(context, None, &storage)?;
    let registry = storage.registry(context, Need::Made).await?;
    let signer = maintenance::log_signer(&registry).await;
    let key = given.fitting(context, &signer.map_err(RegistryFailure::from)?)?;
    let mut settings = skillyard_registry::Settings::new(url);
    settings.proxy = proxy;
    if readers == Readers::Known {
        settings.access = skillyard_registry::server::Access::Private;
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
enum Place {
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
    fn place(&self) -> Place {
        match self.database {
            None => Place::Home,
            Some(_) => Place::Named,
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
                Blobs::in_bucket(address, &bucket::access(context)?)
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
