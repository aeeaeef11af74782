//! The skills that an agent is given: by name, or by where they come from.

use std::time::Instant;

use skillyard_agent::TurnError;
use skillyard_agent::agent::{Pin, pins};

use super::all_skills;
use crate::commands::install;
use crate::context::Context;
use crate::error::CommandError;
use crate::install::pick::Pick;
use crate::install::place::{Place, ScopeName};
use crate::install::report::report;
use crate::install::review;

/// The skills that words name, as they are now. One that is named by where it comes from, such as
/// `alias:name` or `owner/repo/path`, is installed for the user first, with the usual questions;
/// `yes` answers them.
pub(super) fn skills(
    context: &Context,
    words: &[String],
    yes: bool,
) -> Result<Vec<Pin>, CommandError> {
    let shelf = all_skills(context)?;
    let mut names = Vec::new();
    let mut fetched = false;
    for word in words.iter().map(|word| word.trim()) {
        if shelf.find(word).is_ok() || !is_reference(word) {
            names.push(word.to_owned());
        } else {
            names.extend(installed(context, word, yes)?);
            fetched = true;
        }
    }
    let shelf = if fetched { all_skills(context)? } else { shelf };
    Ok(pins(&shelf, &names).map_err(TurnError::from)?)
}

/// Whether a word cannot be a name, so that it must be a place.
fn is_reference(word: &str) -> bool {
    word.contains(['/', ':', '@']) || word.starts_with(['.', '~'])
}

/// Installs what a reference names, unless it is there, and says what it is called.
fn installed(context: &Context, word: &str, yes: bool) -> Result<Vec<String>, CommandError> {
    let start = Instant::now();
    let args = install::Args::of(word, &[], Some(ScopeName::User));
    let place = Place::find(context, args.scope())?;
    let prepared = install::prepare(context, &args, &place, &Pick::Ask)?;
    if !prepared.preview.is_empty() {
        let checked = prepared.check(context, &[])?;
        review::confirm(context, &checked, yes)?;
        let plan = prepared.carry_out(context, &place, &checked)?;
        // With JSON the answer is the agent.
        if !context.printer.is_json() {
            report(context, &place, &plan, Some(start), false)?;
        }
    }
    Ok(prepared.asked())
}
