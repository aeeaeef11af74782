//! `skillyard why`.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;

use serde_json::json;
use skillyard_install::lockfile::{Locked, Lockfile};
use skillyard_install::manifest::Manifest;

use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{ExitStatus, Outcome};
use crate::scope::{ScopeArgs, ScopeContext};
use crate::text::sanitize::visible;

/// Say why a skill is installed
///
/// Examples:
///   skillyard why csv-tools
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct WhyArgs {
    /// The skill's name
    name: String,
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(crate) fn run(context: &Context, args: &WhyArgs) -> Outcome {
    let place = ScopeContext::find(context, &args.scope)?;
    let lock = place.lock()?;
    let entry = lock
        .get(&args.name)
        .ok_or_else(|| InstallFailure::not_installed(&lock, &args.name))?;
    let manifest = place.manifest()?.filter(|_| place.has_manifest());
    let manifest = manifest.as_ref();
    let is_asked_for = is_asked_for(entry, manifest);
    // The range is what holds a version.
    let wanted = manifest.and_then(|manifest| manifest.get(&args.name));
    let wanted = wanted.map_or_else(|| entry.reference(), str::to_owned);
    let Reasons { chains, more } = reasons(&lock, manifest, &args.name);
    if context.printer.is_json() {
        context.printer.json(&json!({
            "name": entry.name,
            "asked_for": is_asked_for,
            "source": entry.source,
            "reference": wanted,
            "required_by": chains,
            "more": more,
        }))?;
        return Ok(ExitStatus::Success);
    }
    let mut text = String::new();
    if is_asked_for {
        let whom = match place.scope.manifest_file() {
            Some(_) => "skills.toml asks for it",
            None => "you installed it",
        };
        let _ = writeln!(text, "{whom}: {}", visible(&wanted));
    }
    for chain in chains {
        let chain: Vec<String> = chain
            .iter()
            .map(|name| visible(name).into_owned())
            .collect();
        let _ = writeln!(text, "{}", chain.join(" → "));
    }
    if more {
        text.push_str("…\n");
    }
    if text.is_empty() && !entry.dependency {
        let _ = writeln!(
            text,
            "skills.toml does not ask for it any more; `skillyard sync{}` removes it, unless others come to need it",
            args.scope.typed()
        );
    } else if text.is_empty() {
        let _ = writeln!(
            text,
            "nothing needs it any more; `skillyard sync{}` removes it",
            args.scope.typed()
        );
    }
    context.printer.data(&text)?;
    Ok(ExitStatus::Success)
}

/// Whether a skill is there for its own sake: what is wanted says so where there is a file of it, as
/// `sync` goes by it, else the lock.
fn is_asked_for(entry: &Locked, manifest: Option<&Manifest>) -> bool {
    match manifest {
        Some(manifest) => manifest.get(&entry.name).is_some(),
        None => !entry.dependency,
    }
}

/// Most chains that are told.
const MAX_CHAINS: usize = 100;

/// Who needs a skill.
struct Reasons {
    /// From a skill that was asked for to this one.
    chains: Vec<Vec<String>>,
    /// Whether there are others.
    more: bool,
}

/// For each skill that names this one, the shortest way there from each that was asked for.
///
/// All ways would be too many: a lock comes with a checkout, and a few skills that need each other
/// crosswise have millions of them.
fn reasons(lock: &Lockfile, manifest: Option<&Manifest>, name: &str) -> Reasons {
    let mut needed_by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for entry in lock.skills() {
        for next in entry.needs() {
            needed_by.entry(next).or_default().push(&entry.name);
        }
    }
    let is_asked_for = |at: &str| {
        let entry = lock.get(at);
        entry.is_some_and(|entry| is_asked_for(entry, manifest))
    };
    let is_root = |at: &str| at != name && is_asked_for(at);
    let names = lock.skills().iter().map(|entry| entry.name.as_str());
    // A circle that nobody asked for is no reason.
    let wanted = walk(names.filter(|at| is_root(at)), name, |at| {
        lock.get(at).into_iter().flat_map(Locked::needs)
    });
    let mut chains = Vec::new();
    let by = needed_by.get(name).into_iter().flatten().copied();
    for by in by.filter(|by| wanted.contains_key(by)) {
        let back = walk([by].into_iter(), name, |at| {
            needed_by.get(at).into_iter().flatten().copied()
        });
        for root in back.keys().filter(|at| is_root(at)) {
            let steps = std::iter::successors(Some(*root), |at| back.get(at).copied().flatten());
            chains.push(steps.chain([name]).map(str::to_owned).collect());
        }
        if chains.len() > MAX_CHAINS {
            break;
        }
    }
    chains.sort_unstable();
    let more = chains.len() > MAX_CHAINS;
    chains.truncate(MAX_CHAINS);
    Reasons { chains, more }
}

/// Everything that can be reached without `avoided`, each with the step before it.
fn walk<'a, I: Iterator<Item = &'a str>>(
    starts: impl Iterator<Item = &'a str>,
    avoided: &str,
    next: impl Fn(&'a str) -> I,
) -> BTreeMap<&'a str, Option<&'a str>> {
    let mut before: BTreeMap<&str, Option<&str>> = starts.map(|at| (at, None)).collect();
    let mut queue: VecDeque<&str> = before.keys().copied().collect();
    while let Some(at) = queue.pop_front() {
        for next in next(at).filter(|next| *next != avoided) {
            before.entry(next).or_insert_with(|| {
                queue.push_back(next);
                Some(at)
            });
        }
    }
    before
}
