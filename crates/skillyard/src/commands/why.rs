//! `skillyard why`.

use std::fmt::Write as _;

use serde_json::json;
use skillyard_install::lockfile::Lockfile;

use super::Outcome;
use crate::context::Context;
use crate::error::Status;
use crate::error::install::InstallFailure;
use crate::install::place::{Place, ScopeArgs};
use crate::sanitize::visible;

/// Say why a skill is installed
///
/// Examples:
///   skillyard why csv-tools
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The skill's name
    name: String,
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    let place = Place::find(context, &args.scope)?;
    let lock = place.lock()?;
    let entry = lock
        .get(&args.name)
        .ok_or_else(|| InstallFailure::not_installed(&lock, &args.name))?;
    let chains = chains(&lock, &args.name);
    if context.printer.is_json() {
        context.printer.json(&json!({
            "name": entry.name,
            "asked_for": !entry.dependency,
            "source": entry.source,
            "required_by": chains,
        }))?;
        return Ok(Status::Yes);
    }
    let mut text = String::new();
    if !entry.dependency {
        let whom = match place.scope.manifest_file() {
            Some(_) => "skills.toml asks for it",
            None => "you installed it",
        };
        let _ = writeln!(text, "{whom}: {}", visible(&entry.source));
    }
    for chain in chains {
        let chain: Vec<String> = chain
            .iter()
            .map(|name| visible(name).into_owned())
            .collect();
        let _ = writeln!(text, "{}", chain.join(" → "));
    }
    if text.is_empty() {
        text.push_str("nothing needs it any more; `skillyard sync` removes it\n");
    }
    context.printer.data(&text)?;
    Ok(Status::Yes)
}

/// The ways from skills that were asked for to this one.
fn chains(lock: &Lockfile, name: &str) -> Vec<Vec<String>> {
    let mut chains = Vec::new();
    for root in lock
        .skills()
        .iter()
        .filter(|entry| !entry.dependency && entry.name != name)
    {
        let mut path = vec![root.name.clone()];
        follow(lock, name, &mut path, &mut chains);
    }
    chains
}

fn follow(lock: &Lockfile, name: &str, path: &mut Vec<String>, chains: &mut Vec<Vec<String>>) {
    let Some(entry) = path.last().and_then(|last| lock.get(last)) else {
        return;
    };
    for next in &entry.requires {
        // A lock could be edited into a circle.
        if path.contains(next) {
            continue;
        }
        path.push(next.clone());
        if next == name {
            chains.push(path.clone());
        } else {
            follow(lock, name, path, chains);
        }
        path.pop();
    }
}
