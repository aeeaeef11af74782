//! `skillyard agent import`.

use std::fs;
use std::io::{self, Read as _};
use std::path::PathBuf;

use serde::Deserialize;
use skillyard_agent::agent::{AgentStore, Definition, Drift};
use skillyard_audit::EventKind;
use skillyard_format::text::BOM;

use super::{Outcome, changed};
use crate::agent::keep_locked;
use crate::agent::settings::{all_skills, missing, store};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::agent::AgentFailure;
use crate::text::sanitize::visible;

/// Longest file that is read.
const MAX_IMPORT_BYTES: u64 = 1 << 20;

/// Make an agent from what `agent export` printed
///
/// The skills are not part of it: it says which it had, by name and digest, and you are told of
/// those that are not here or not the same, and where they can be had. What does not fit its hash
/// is refused.
///
/// Examples:
///   skillyard agent import helper.json
///   skillyard agent export helper | ssh there skillyard agent import -
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct AgentImportArgs {
    /// The file; `-` reads it from stdin
    file: PathBuf,
    /// Give it another name
    #[arg(long)]
    name: Option<String>,
}

/// What `agent export` prints, as far as it is needed.
#[derive(Debug, Deserialize)]
struct Exported {
    name: String,
    hash: Option<String>,
    definition: Definition,
}

pub(super) fn run(context: &Context, args: &AgentImportArgs) -> Outcome {
    let text = read(args).map_err(|source| CommandError::Read {
        path: args.file.clone(),
        source,
    })?;
    let exported: Exported =
        serde_json::from_str(&text).map_err(|source| AgentFailure::NotExported {
            file: args.file.clone(),
            source,
        })?;
    let hash = AgentStore::hash(&exported.definition).map_err(AgentFailure::from)?;
    if exported.hash.is_some_and(|said| said != hash) {
        return Err(AgentFailure::OtherHash(args.file.clone()).into());
    }
    let definition = &exported.definition;
    keep_locked(
        context,
        &definition.model,
        definition.router_model.as_deref(),
        definition.strategy,
    )?;
    let name = args.name.as_ref().unwrap_or(&exported.name);
    let kept = store(context).create(name, &exported.definition);
    let kept = kept.map_err(AgentFailure::from)?;
    let shelf = all_skills(context)?;
    for (pin, drift) in kept.definition.drift(&shelf) {
        let text = match drift {
            Drift::Same => continue,
            Drift::Changed { .. } => "is not the same as where the agent comes from".into(),
            Drift::Missing => missing(&shelf, &pin.name, pin.reference.as_deref()),
        };
        let text = format!("warning: skill `{}` {text}", pin.name);
        context.printer.note(&visible(&text));
    }
    changed(context, &kept, None, EventKind::AgentCreated)
}

fn read(args: &AgentImportArgs) -> io::Result<String> {
    let mut text = String::new();
    if args.file.as_os_str() == "-" {
        io::stdin()
            .lock()
            .take(MAX_IMPORT_BYTES)
            .read_to_string(&mut text)?;
    } else {
        let file = fs::File::open(&args.file)?;
        file.take(MAX_IMPORT_BYTES).read_to_string(&mut text)?;
    }
    // Some editors put a mark before it.
    Ok(text.trim_start_matches(BOM).to_owned())
}
