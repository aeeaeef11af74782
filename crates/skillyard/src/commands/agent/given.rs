//! The skills that an agent is given: by name, by pattern, or by where they come from.

use std::time::Instant;

use skillyard_agent::TurnError;
use skillyard_agent::agent::{Definition, GivenError};
use skillyard_agent::shelf::Shelf;

use super::all_skills;
use crate::commands::install;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::agent::AgentFailure;
use crate::install::chronicle::Answer;
use crate::install::pick::Pick;
use crate::install::place::{Place, ScopeName};
use crate::install::report::report;
use crate::install::review;
use crate::permission::Permissions;
use crate::redactor::without_userinfo;

/// Gives an agent the skills that words name, as they are now. One that is named by where it comes
/// from, such as `alias:name` or `owner/repo/path`, is installed for the user first, with the usual
/// questions; `yes` answers them.
pub(super) fn give(
    context: &Context,
    definition: &mut Definition,
    words: &[String],
    yes: bool,
) -> Result<(), CommandError> {
    let shelf = all_skills(context)?;
    let mut names = Vec::new();
    let mut fetched = Vec::new();
    for word in words.iter().map(|word| word.trim()) {
        if shelf.find(word).is_ok() || !is_reference(word) {
            names.push(word.to_owned());
        } else {
            for name in installed(context, word, yes).map_err(|failure| about(word, failure))? {
                fetched.push((name.clone(), word.to_owned()));
                names.push(name);
            }
        }
    }
    let shelf = if fetched.is_empty() {
        shelf
    } else {
        all_skills(context)?
    };
    definition
        .give(&shelf, &names)
        .map_err(|error| match error {
            GivenError::Skill(error) => CommandError::from(TurnError::from(error)),
            GivenError::Pattern(error) => AgentFailure::Given(error).into(),
        })?;
    refer(context, definition, &shelf, &fetched)
}

/// Keeps with each skill where it came from: as the user said it, or as the lock does.
fn refer(
    context: &Context,
    definition: &mut Definition,
    shelf: &Shelf,
    fetched: &[(String, String)],
) -> Result<(), CommandError> {
    let permissions = Permissions::load(context)?;
    for pin in &mut definition.skills {
        // A path that is relative to this folder says nothing elsewhere; the lock has all of it.
        let said = fetched
            .iter()
            .find(|(name, word)| *name == pin.name && !word.starts_with(['.', '~']));
        let said = said.map(|(_, word)| word.clone()).or_else(|| {
            let folder = &shelf.find(&pin.name).ok()?.skill.record.folder;
            permissions.reference(folder)
        });
        if let Some(said) = said.filter(|_| pin.reference.is_none()) {
            pin.reference = Some(without_userinfo(&said).into_owned());
        }
    }
    Ok(())
}

/// Whether a word cannot be a name, so that it must be a place.
fn is_reference(word: &str) -> bool {
    word.contains(['/', ':', '@']) || word.starts_with(['.', '~'])
}

/// The failure of an installation that somebody asked for in fewer words than `install` knows.
fn about(word: &str, failure: CommandError) -> CommandError {
    match failure {
        CommandError::Install(_) => AgentFailure::NotFetched {
            reference: word.to_owned(),
            failure: Box::new(failure),
        }
        .into(),
        other => other,
    }
}

/// Installs what a reference names, unless it is there, and says what it is called.
fn installed(context: &Context, word: &str, yes: bool) -> Result<Vec<String>, CommandError> {
    let start = Instant::now();
    let args = install::Args::of(word, &[], Some(ScopeName::User));
    let place = Place::find(context, args.scope())?;
    let prepared = install::prepare(context, &args, &place, &Pick::Ask)?;
    if !prepared.preview.is_empty() {
        let checked = prepared.check(context, &[])?;
        review::confirm(context, &checked, &prepared.preview, yes)?;
        let plan = prepared.carry_out(context, &place, &checked, Answer::given(yes))?;
        // With JSON the answer is the agent.
        if !context.printer.is_json() {
            report(context, &place, &plan, Some(start), false)?;
        }
    }
    Ok(prepared.asked())
}
