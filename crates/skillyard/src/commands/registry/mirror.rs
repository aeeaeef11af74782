//! `skillyard registry mirror`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use skillyard_format::QualifiedName;
use skillyard_install::fetch::DOWNLOAD_LIMIT;
use skillyard_install::fetch::registry::{
    HttpRegistry, Listing, LogEntry, Registry as _, RegistryError,
};
use skillyard_registry::Registry;
use skillyard_registry::mirror::{Entry, Mirror, MirrorError, State, Told};

use super::super::Outcome;
use super::Storage;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::registry::RegistryFailure;
use crate::error::{CommandError, Status};
use crate::install::web::Web;
use crate::remote::Remote;
use crate::report::{counted, elapsed};

/// How many archives are fetched at once.
const AT_ONCE: usize = 8;

/// Copy another registry, or bring a copy up to date
///
/// Every entry of its log is proven against what it signed, and every archive against its entry,
/// before anything is taken in. A mirror that was broken off goes on where it was. It is served
/// with `registry serve`, repeats what the other registry signed, and takes no changes itself.
///
/// Examples:
///   skillyard registry mirror https://skills.example.com --database sqlite:mirror.db --blobs mirror
///   skillyard registry serve --database sqlite:mirror.db --blobs mirror
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[allow(
    clippy::doc_markdown,
    rustdoc::bare_urls,
    reason = "the examples are typed as they stand"
)]
pub(super) struct Args {
    /// Where the other registry is, or an alias of your configuration
    #[arg(value_name = "URL|ALIAS")]
    url: String,
    #[command(flatten)]
    storage: Storage,
}

pub(super) async fn run(context: &Context, args: &Args) -> Outcome {
    let start = Instant::now();
    // Clients that wait belong on a thread that may wait; they cannot even be made elsewhere.
    let remote = tokio::task::block_in_place(|| Web::new(context, &[])?.at(&args.url))?;
    let source = Source(Arc::new(remote));
    let registry = args.storage.registry(context).await?;
    let copied = copy(context, &source, &registry).await;
    registry.database.close().await;
    tokio::task::block_in_place(|| drop(source));
    let copied = copied?;
    if context.printer.is_json() {
        context.printer.json(&json!({
            "entries": copied.entries,
            "new": copied.new,
            "fetched": copied.fetched,
            "changed": copied.changed,
        }))?;
        return Ok(Status::Yes);
    }
    context.printer.note(&format!(
        "{}, {} of them new, {} fetched, {} brought up to date, in {}",
        counted(copied.entries, "version"),
        copied.new,
        counted(copied.fetched, "archive"),
        counted(copied.changed, "skill"),
        elapsed(start.elapsed())
    ));
    Ok(Status::Yes)
}

/// What was done.
#[derive(Debug, Default)]
struct Copied {
    entries: usize,
    new: usize,
    fetched: usize,
    changed: usize,
}

async fn copy(
    context: &Context,
    source: &Source,
    registry: &Registry,
) -> Result<Copied, CommandError> {
    let failed = RegistryFailure::from;
    let url = source.0.address();
    let mut mirror = Mirror::open(registry, &url).await.map_err(failed)?;
    let have = mirror.size().await.map_err(failed)?;
    let signed = source
        .ask(|remote, asked| asked.checkpoint(&remote.http))
        .await?;
    let size = usize::try_from(signed.checkpoint.size).unwrap_or(usize::MAX);
    let new = entries(source, have, size).await?;
    mirror.check(&signed, &new).await.map_err(failed)?;
    let mut copied = Copied {
        entries: size,
        new: new.len(),
        ..Copied::default()
    };
    let mut listings = HashMap::new();
    for some in new.chunks(AT_ONCE * 4) {
        copied.fetched += fetch(source, &mirror, some).await?;
        for entry in some {
            let listing = listing(source, &mut listings, &entry.name).await?;
            let line = listing
                .versions
                .iter()
                .find(|each| each.version == entry.version);
            let told = Told {
                published: line.and_then(|line| line.published.as_deref()?.parse().ok()),
                publisher: line.and_then(|line| line.publisher.clone()),
            };
            mirror.add(entry, &told).await.map_err(failed)?;
        }
        context.printer.detail(&format!(
            "{} of {size}",
            mirror.size().await.map_err(failed)?
        ));
    }
    // What was published is in; now what became of it.
    let mut sequence = mirror.sequence();
    loop {
        let since = sequence;
        let changes = source
            .ask(move |remote, asked| asked.changes(&remote.http, since))
            .await?;
        let Some(last) = changes.iter().map(|each| each.sequence).max() else {
            break;
        };
        for change in &changes {
            let Ok(name) = change.name.parse::<QualifiedName>() else {
                continue;
            };
            let state = state(source, &name).await?;
            mirror.refresh(&name, &state).await.map_err(failed)?;
            copied.changed += 1;
        }
        sequence = sequence.max(last);
    }
    mirror.finish(&signed, sequence).await.map_err(failed)?;
    Ok(copied)
}

/// A question that is on its way.
type Asked<T> = tokio::task::JoinHandle<Result<T, RegistryError>>;

/// The other registry, asked from threads that may wait.
struct Source(Arc<Remote>);

impl Source {
    fn begin<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Remote, &HttpRegistry) -> Result<T, RegistryError> + Send + 'static,
    ) -> Asked<T> {
        let remote = Arc::clone(&self.0);
        tokio::task::spawn_blocking(move || question(&remote, &remote.registry))
    }

    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Remote, &HttpRegistry) -> Result<T, RegistryError> + Send + 'static,
    ) -> Result<T, CommandError> {
        answer(self.begin(question)).await
    }
}

async fn answer<T>(asked: Asked<T>) -> Result<T, CommandError> {
    let answer = asked.await;
    let answer = answer.map_err(|error| RegistryFailure::Start(error.into()))?;
    Ok(answer.map_err(InstallFailure::from)?)
}

/// The entries of the log from `have` to `size`.
async fn entries(source: &Source, have: usize, size: usize) -> Result<Vec<Entry>, CommandError> {
    let mut all: Vec<Entry> = Vec::new();
    while have + all.len() < size {
        let from = have + all.len();
        let some = source
            .ask(move |remote, asked| asked.log_entries(&remote.http, from))
            .await?;
        if some.is_empty() {
            break;
        }
        for entry in some.into_iter().take(size - from) {
            all.push(read(entry)?);
        }
    }
    Ok(all)
}

fn read(entry: LogEntry) -> Result<Entry, CommandError> {
    let name = entry.name.parse::<QualifiedName>();
    let name = name.map_err(|problem| {
        let problem = format!("an entry has a name that nothing can have: {problem}");
        RegistryFailure::from(MirrorError::Log(problem))
    })?;
    Ok(Entry {
        name,
        version: entry.version,
        digest: entry.digest,
        signer: entry.signer,
    })
}

/// Fetches the archives that are not here yet, several at once; says how many.
async fn fetch(
    source: &Source,
    mirror: &Mirror<'_>,
    entries: &[Entry],
) -> Result<usize, CommandError> {
    let mut seen = HashSet::new();
    let mut missing = Vec::new();
    for entry in entries {
        let is_here = mirror.has(entry.digest).await;
        if !is_here.map_err(RegistryFailure::from)? && seen.insert(entry.digest) {
            missing.push(entry);
        }
    }
    for some in missing.chunks(AT_ONCE) {
        let asked: Vec<Asked<Vec<u8>>> = some
            .iter()
            .map(|entry| {
                let (name, version) = (entry.name.clone(), entry.version.clone());
                source.begin(move |remote, asked| {
                    asked.archive(&remote.http, &name, &version, DOWNLOAD_LIMIT)
                })
            })
            .collect();
        for (entry, asked) in some.iter().zip(asked) {
            let archive = answer(asked).await?;
            let stored = mirror.store(entry, archive.into()).await;
            stored.map_err(RegistryFailure::from)?;
        }
    }
    Ok(missing.len())
}

/// The index of a skill, asked for once.
async fn listing<'a>(
    source: &Source,
    known: &'a mut HashMap<QualifiedName, Listing>,
    name: &QualifiedName,
) -> Result<&'a Listing, CommandError> {
    if !known.contains_key(name) {
        let wanted = name.clone();
        let found = source
            .ask(move |remote, asked| asked.versions(&remote.http, &wanted))
            .await?;
        known.insert(name.clone(), found);
    }
    known.get(name).ok_or(CommandError::Stopped)
}

/// What can change about a skill, as it is now.
async fn state(source: &Source, name: &QualifiedName) -> Result<State, CommandError> {
    let wanted = name.clone();
    let (listing, details) = source
        .ask(move |remote, asked| {
            let listing = asked.versions(&remote.http, &wanted)?;
            Ok((listing, asked.details(&remote.http, &wanted)?))
        })
        .await?;
    let yanked = listing.versions.iter().filter(|each| each.yanked);
    let tags = listing.versions.iter().flat_map(|each| {
        let tags = each.dist_tags.iter();
        tags.map(|tag| (tag.clone(), each.version.clone()))
    });
    Ok(State {
        yanked: yanked
            .map(|each| {
                let reason = each.yank_reason.clone().unwrap_or_default();
                (each.version.clone(), reason)
            })
            .collect(),
        tags: tags.collect(),
        deprecated: details.deprecated,
        owners: details.owners,
    })
}
