//! `skillyard store`.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;
use skillyard_install::lockfile::Lockfile;
use skillyard_install::scope::Scope;
use skillyard_install::store::{Store, StoreError, Unreachable};

use crate::agent;
use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{ExitStatus, Outcome};
use crate::scope;
use crate::text::{counted, elapsed};

/// Look after the store of installed bytes
///
/// Examples:
///   skillyard store verify         hash everything again
///   skillyard store verify --fix   remove what is damaged; it is fetched again when needed
///   skillyard store gc             remove what no project and no session uses any more
///   skillyard store gc --gone      also what only links of projects lead to that are gone
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Hash everything in the store again
    ///
    /// Examples:
    ///   skillyard store verify
    ///   skillyard store verify --fix   remove what is damaged
    #[command(verbatim_doc_comment)]
    Verify {
        /// Remove what is damaged
        #[arg(long)]
        fix: bool,
    },
    /// Remove what no lock file uses any more, and no session that could be made again
    ///
    /// Examples:
    ///   skillyard store gc
    ///   skillyard store gc --gone      also what projects used that are gone
    #[command(verbatim_doc_comment)]
    Gc {
        /// Also remove what links lead to of projects that are not where they were: moved, deleted,
        /// or on a disk that is not mounted; and forget those that cannot be reached
        #[arg(long)]
        gone: bool,
    },
    /// Print where the store is
    ///
    /// Examples:
    ///   skillyard store path
    ///   du -sh "$(skillyard store path)"
    #[command(verbatim_doc_comment)]
    Path,
}

pub(crate) fn run(context: &Context, args: &StoreArgs) -> Outcome {
    let store = scope::store(context);
    match args.what {
        What::Verify { fix } => verify(context, &store, fix),
        What::Gc { gone } => collect(context, &store, gone),
        What::Path => {
            let (printer, path) = (&context.printer, store.root().display());
            if printer.is_json() {
                printer.json(&json!({ "path": path.to_string() }))?;
            } else {
                printer.data(&format!("{path}\n"))?;
            }
            Ok(ExitStatus::Success)
        }
    }
}

fn verify(context: &Context, store: &Store, fix: bool) -> Outcome {
    let start = Instant::now();
    let found = if fix { store.mend() } else { store.verify() };
    let (sound, bad) = found.map_err(InstallFailure::from)?;
    // What somebody edited through a link is theirs, and stays.
    let (edited, bad): (Vec<_>, Vec<_>) = bad
        .into_iter()
        .partition(|(_, error)| matches!(error, StoreError::Edited { .. } | StoreError::Tree(_)));
    let printer = &context.printer;
    if printer.is_json() {
        let damaged = bad
            .iter()
            .map(|(digest, error)| json!({ "digest": digest, "reason": error.to_string() }));
        let edited = edited.iter().map(|(digest, error)| {
            let path = store.folder(*digest);
            json!({ "digest": digest, "path": path.to_string_lossy(), "reason": error.to_string() })
        });
        printer.json(&json!({
            "sound": sound,
            "damaged": damaged.collect::<Vec<_>>(),
            "edited": edited.collect::<Vec<_>>(),
            "removed": fix && !bad.is_empty(),
        }))?;
    } else {
        for (digest, error) in &bad {
            printer.people(&format!(" ✗ {digest}: {error}"));
        }
        for (_, error) in &edited {
            printer.people(&format!(" ! {error}, and stays"));
        }
        let done = if fix { "removed" } else { "damaged" };
        printer.note(&format!(
            "{sound} sound, {} {done}{}, in {}",
            bad.len(),
            told_edited(edited.len()),
            elapsed(start.elapsed())
        ));
    }
    Ok(if edited.is_empty() && (bad.is_empty() || fix) {
        ExitStatus::Success
    } else {
        ExitStatus::Negative
    })
}

/// How many were edited, where there are any.
fn told_edited(count: usize) -> String {
    match count {
        0 => String::new(),
        count => format!(", {count} edited"),
    }
}

fn collect(context: &Context, store: &Store, gone: bool) -> Outcome {
    let start = Instant::now();
    // What an interrupted change is about to need is in no lock yet.
    if let Some((journal, source)) = scope::recover(context).into_iter().next() {
        return Err(InstallFailure::Unfinished { journal, source }.into());
    }
    // Where they cannot be asked, nothing is removed.
    let mut wanted = agent::named_by_sessions(context)?;
    let here = locks_here(context)?;
    let locked = here.iter().flat_map(|(_, lock)| lock.skills());
    wanted.extend(locked.map(|entry| entry.digest));
    let links = store.links(&context.environment.skillyard_home);
    let mut links = links.map_err(InstallFailure::from)?;
    let mut unreachable = Unreachable::Keep;
    if gone {
        links.astray.clear();
        unreachable = Unreachable::Forget;
    }
    let collected = store.collect(&wanted, &links, unreachable);
    let collected = collected.map_err(InstallFailure::from)?;
    for (file, _) in &here {
        store.remember(file).map_err(InstallFailure::from)?;
    }
    let of_servers = agent::remove_mcp_leftovers(context)?;
    let printer = &context.printer;
    if printer.is_json() {
        printer.json(&json!({
            "removed": collected.removed,
            "kept": collected.kept,
            "bytes": collected.bytes,
            "of_servers": of_servers,
            "edited": shown(&collected.edited),
            "linked": shown(&collected.astray),
            "unreachable": shown(&collected.unreachable),
        }))?;
    } else {
        for folder in &collected.edited {
            printer.people(&format!(
                " ! `{}` was edited through a link, and stays; no project uses it any more",
                folder.display()
            ));
        }
        for folder in &collected.astray {
            printer.people(&format!(
                " ! `{}` stays: links of a project that is not where it was may lead to it",
                folder.display()
            ));
        }
        for lock in &collected.unreachable {
            printer.people(&format!(
                " ! `{}` cannot be reached, and what was put into its project stays",
                lock.display()
            ));
        }
        if !collected.unreachable.is_empty() {
            printer.note("`skillyard store gc --gone` forgets projects that cannot be reached");
        }
        if !collected.astray.is_empty() {
            printer.note(
                "Run `skillyard sync` in a project that was moved; where it is gone, `skillyard store gc --gone` removes them",
            );
        }
        if of_servers > 0 {
            printer.note(&format!(
                "Removed {} of MCP servers that are no longer configured",
                counted(of_servers, "skill")
            ));
        }
        printer.note(&format!(
            "Removed {} of {} ({}) in {}",
            collected.removed,
            counted(collected.removed + collected.kept, "skill"),
            counted(collected.bytes, "byte"),
            elapsed(start.elapsed())
        ));
    }
    Ok(ExitStatus::Success)
}

/// The locks around the current folder that name something. The store knows projects by where they
/// were, and whoever stands in one that was moved wants to keep it, and all that it lies in.
fn locks_here(context: &Context) -> Result<Vec<(PathBuf, Lockfile)>, InstallFailure> {
    let environment = &context.environment;
    let around = environment.current_dir.ancestors();
    let around = around.map(|root| Scope::project(root, &environment.skillyard_home));
    let scopes = scope::deciding(context).into_iter().chain(around);
    let files: BTreeSet<PathBuf> = scopes.map(|scope| scope.lock_file()).collect();
    let mut locks = Vec::new();
    for lock_file in files {
        match Lockfile::read(&lock_file) {
            Ok(lock) if lock.skills().is_empty() => (),
            Ok(lock) => locks.push((lock_file, lock)),
            Err(source) => return Err(StoreError::Lock { lock_file, source }.into()),
        }
    }
    Ok(locks)
}

/// Folders for programs.
fn shown(folders: &[PathBuf]) -> Vec<Cow<'_, str>> {
    folders.iter().map(|path| path.to_string_lossy()).collect()
}
