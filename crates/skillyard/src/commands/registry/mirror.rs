//! `skillyard registry mirror`.

mod copying;
mod taking;

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use skillyard_install::fetch::http::HttpError;
use skillyard_install::fetch::registry::{HttpRegistry, RegistryError};

use super::{Need, Storage};
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::registry::RegistryFailure;
use crate::error::{CommandError, Outcome};
use crate::install::remote::Remote;
use crate::install::web::Web;
use crate::text::sanitize::{shortened, visible};
use crate::text::{counted, elapsed};
use copying::{Copied, copy};

/// How much of a version is shown: one that cannot be had may be of any length.
const SHOWN: usize = 64;

/// Copy another registry, or bring a copy up to date
///
/// Every entry of its log is proven against what it signed, and every archive against its entry,
/// before anything is taken in. All of a run is shown at once, at its end; a run that was broken
/// off changes nothing, and the next one goes on where it was. A version that cannot be had is
/// named and asked for again. A mirror is served with `registry serve`, repeats what the other
/// registry signed, and takes no changes itself.
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
pub(super) struct RegistryMirrorArgs {
    /// Where the other registry is, or an alias of your configuration
    #[arg(value_name = "URL|ALIAS")]
    url: String,
    #[command(flatten)]
    storage: Storage,
}

pub(super) async fn run(context: &Context, args: &RegistryMirrorArgs) -> Outcome {
    let start = Instant::now();
    // Clients that wait belong on a thread that may wait; they cannot even be made elsewhere.
    let remote = tokio::task::block_in_place(|| Web::new(context, &[])?.at(&args.url))?;
    let source = MirrorSource(Arc::new(remote));
    let copied = taken_in(context, args, &source).await;
    tokio::task::block_in_place(|| drop(source));
    let copied = copied?;
    if context.printer.is_json() {
        let absent = copied.absent.iter().map(|((name, version), reason)| {
            json!({ "name": name, "version": version, "reason": reason })
        });
        let stale = copied.stale.iter();
        let stale = stale.map(|(name, reason)| json!({ "name": name, "reason": reason }));
        context.printer.json(&json!({
            "entries": copied.entries,
            "new": copied.new,
            "fetched": copied.fetched,
            "changed": copied.changed,
            "set_back": copied.set_back,
            "private": copied.is_private,
            "absent": absent.collect::<Vec<Value>>(),
            "stale": stale.collect::<Vec<Value>>(),
        }))?;
        return Ok(copied.status());
    }
    if copied.set_back {
        context.printer.warn(
            "the changes of the registry end before those of the last run: it was set back to an earlier \
             state, or an answer was wrong; all of its skills were looked at again",
        );
    }
    tell(context, &copied)?;
    if copied.is_private {
        context.printer.warn(
            "the registry lets nobody in without a token, and its copy lets everybody in unless it is served with \
             `skillyard registry serve --private`",
        );
    }
    context.printer.note(&format!(
        "{}, {} of them new, {} fetched, {} brought up to date, in {}",
        counted(copied.entries, "version"),
        copied.new,
        counted(copied.fetched, "archive"),
        counted(copied.changed, "skill"),
        elapsed(start.elapsed())
    ));
    Ok(copied.status())
}

/// Takes in what the other registry has, once it has answered: a mirror of nothing would look like a
/// registry in which all is well.
async fn taken_in(
    context: &Context,
    args: &RegistryMirrorArgs,
    source: &MirrorSource,
) -> Result<Copied, CommandError> {
    source
        .ask(|remote, asked| asked.checkpoint(&remote.http))
        .await?;
    let registry = args.storage.registry(context, Need::Made).await?;
    let copied = copy(context, source, &registry).await;
    registry.database.close().await;
    let mut copied = copied?;
    copied.is_private = source.is_private().await?;
    Ok(copied)
}

/// Names what was left out; the rest is as the other registry has it.
fn tell(context: &Context, copied: &Copied) -> Result<(), CommandError> {
    for ((name, version), reason) in &copied.absent {
        let what = format!("{name}@{}", shortened(version, SHOWN));
        let line = format!(" ✗ {what} is left out: {}", shortened(reason, SHOWN * 4));
        context.printer.data(&format!("{}\n", visible(&line)))?;
    }
    for (name, reason) in &copied.stale {
        let reason = shortened(reason, SHOWN * 4);
        let line = format!(" ✗ {name} stays as it was: {reason}");
        context.printer.data(&format!("{}\n", visible(&line)))?;
    }
    Ok(())
}

/// A question that is on its way.
type PendingQuery<T> = tokio::task::JoinHandle<Result<T, RegistryError>>;

/// What came of asking for one thing of many: it, or why it cannot be had.
type Had<T> = Result<T, String>;

/// The other registry.
struct MirrorSource(Arc<Remote>);

impl MirrorSource {
    /// Sends a question on its way.
    fn begin<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Remote, &HttpRegistry) -> Result<T, RegistryError> + Send + 'static,
    ) -> PendingQuery<T> {
        let remote = Arc::clone(&self.0);
        tokio::task::spawn_blocking(move || question(&remote, &remote.registry))
    }

    /// Asks for what nothing goes on without.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Remote, &HttpRegistry) -> Result<T, RegistryError> + Send + 'static,
    ) -> Result<T, CommandError> {
        let answer = finished(self.begin(question)).await?;
        answer.map_err(|error| match error {
            RegistryError::Unauthorized { registry, .. } if self.is_stranger() => {
                RegistryFailure::Stranger(registry).into()
            }
            error => InstallFailure::from(error).into(),
        })
    }

    /// Whether there is nothing to log in with, and no name to keep it under.
    fn is_stranger(&self) -> bool {
        let asked = &self.0.registry;
        asked.alias.is_none() && asked.headers.is_empty()
    }

    /// Whether it answers to nobody without the token that it is asked with.
    async fn is_private(&self) -> Result<bool, CommandError> {
        if self.0.registry.headers.is_empty() {
            return Ok(false);
        }
        let asked = self.begin(|remote, asked| {
            let mut stranger = asked.clone();
            stranger.headers.clear();
            stranger.checkpoint(&remote.http)
        });
        let answer = finished(asked).await?;
        Ok(matches!(answer, Err(RegistryError::Unauthorized { .. })))
    }

    /// Asks for what the rest can do without.
    async fn try_ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Remote, &HttpRegistry) -> Result<T, RegistryError> + Send + 'static,
    ) -> Result<Had<T>, CommandError> {
        had(self.begin(question)).await
    }
}

/// What came of a question, where only a registry that does not answer at all ends the run.
async fn had<T>(asked: PendingQuery<T>) -> Result<Had<T>, CommandError> {
    match finished(asked).await? {
        Ok(answer) => Ok(Ok(answer)),
        Err(error) if is_final(&error) => Ok(Err(error.to_string())),
        Err(error) => Err(InstallFailure::from(error).into()),
    }
}

async fn finished<T>(asked: PendingQuery<T>) -> Result<Result<T, RegistryError>, CommandError> {
    let answer = asked.await;
    Ok(answer.map_err(|error| RegistryFailure::Start(error.into()))?)
}

/// Whether the registry would say the same of this one thing again, and not of everything.
fn is_final(error: &RegistryError) -> bool {
    match error {
        RegistryError::NotFound { .. }
        | RegistryError::Index { .. }
        | RegistryError::TakenBack { .. }
        | RegistryError::Http(HttpError::TooLarge { .. }) => true,
        RegistryError::Http(HttpError::Status { status, .. }) => {
            (400..500).contains(status) && !matches!(status, 407 | 408 | 421 | 425 | 429)
        }
        _ => false,
    }
}
