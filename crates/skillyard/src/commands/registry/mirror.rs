//! `skillyard registry mirror`.

mod copying;
mod source;
mod taking;

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use super::super::Outcome;
use super::{Need, Storage};
use crate::context::Context;
use crate::error::CommandError;
use crate::install::web::Web;
use crate::report::{counted, elapsed};
use crate::sanitize::{shortened, visible};
use copying::{Copied, copy};
use source::Source;

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
async fn taken_in(context: &Context, args: &Args, source: &Source) -> Result<Copied, CommandError> {
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
