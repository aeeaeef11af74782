//! The sessions of `skillyard chat`: as a list, and to choose from.

use std::fmt::Write as _;

use serde_json::json;
use skillyard_agent::TurnError;
use skillyard_agent::session::{ImportedSessions, SessionStore, SessionSummary};

use crate::agent;
use crate::context::Context;
use crate::error::agent::AgentFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::question::{self, Item};
use crate::text::counted;
use crate::text::sanitize::visible;

/// Most sessions of the list on a terminal, where the first ones would be gone from sight.
const LISTED: usize = 100;
/// Most sessions to choose from.
const OFFERED: usize = 20;

/// Lists them, the last used first.
pub(crate) fn list(context: &Context) -> Outcome {
    let store = agent::store_to_read(context)?;
    let mut list = store.list(usize::MAX).map_err(TurnError::from)?;
    if context.printer.is_json() {
        context.printer.json(&json!({ "sessions": list }))?;
        return Ok(ExitStatus::Success);
    }
    let shown = if context.printer.is_terminal() {
        LISTED
    } else {
        usize::MAX
    };
    let older = list.split_off(list.len().min(shown)).len();
    let agent = |each: &SessionSummary| each.agent.clone().unwrap_or_else(|| "-".into());
    let agents = list.iter().map(|each| agent(each).chars().count()).max();
    let agents = agents.unwrap_or_default();
    let mut text = String::new();
    for each in &list {
        let _ = writeln!(
            text,
            "{}  {}  {:<agents$}  {}",
            each.id,
            when(each),
            agent(each),
            about(each)
        );
    }
    context.printer.data(&visible(&text))?;
    if older > 0 {
        let note = format!(
            "{older} older ones are not shown; see all with `skillyard chat --sessions | less`"
        );
        context.printer.note(&note);
    }
    if list.is_empty() {
        context
            .printer
            .note("There are no sessions yet; begin one with `skillyard chat`");
    }
    Ok(ExitStatus::Success)
}

/// Deletes one.
pub(crate) fn delete(context: &Context, name: &str) -> Outcome {
    let id = agent::store(context)?.delete(name);
    let id = id.map_err(TurnError::from)?;
    if context.printer.is_json() {
        context.printer.json(&json!({ "deleted": id }))?;
    } else {
        context.printer.data(&format!(" - {id}\n"))?;
    }
    Ok(ExitStatus::Success)
}

/// Copies those of the file into the database that machines share.
pub(crate) fn copy(context: &Context) -> Outcome {
    let (shared, own) = agent::shared_and_own(context)?;
    let taken = match own {
        Some(own) => shared.import_from(&own).map_err(TurnError::from)?,
        None => ImportedSessions::default(),
    };
    let printer = &context.printer;
    if printer.is_json() {
        printer.json(&taken)?;
    } else {
        let (copied, known) = (taken.copied, taken.known);
        printer.data(&format!(
            "Copied {}, {known} were there already\n",
            counted(copied, "session")
        ))?;
        for id in &taken.in_use {
            printer.note(&format!("{id} is in use; copy it when it is done"));
        }
        for id in &taken.damaged {
            printer.note(&format!("{id} cannot be understood, and was left out"));
        }
    }
    let is_whole = taken.in_use.is_empty() && taken.damaged.is_empty();
    Ok(if is_whole {
        ExitStatus::Success
    } else {
        ExitStatus::Negative
    })
}

/// Lets the user choose one.
pub(crate) fn pick(context: &Context, store: &SessionStore) -> Result<String, CommandError> {
    if !context.printer.can_ask() {
        return Err(AgentFailure::NoSession.into());
    }
    let list = store.list(OFFERED).map_err(TurnError::from)?;
    if list.is_empty() {
        return Err(AgentFailure::NoSessions.into());
    }
    let items: Vec<Item> = list
        .iter()
        .map(|each| Item {
            label: about(each),
            about: when(each),
        })
        .collect();
    let chosen = question::one(&context.printer, "Which session?", &items);
    let chosen = chosen.map_err(CommandError::unanswered)?;
    Ok(list[chosen].id.clone())
}

fn when(session: &SessionSummary) -> String {
    let text = session.updated.get(..16).unwrap_or_default();
    text.replace('T', " ")
}

fn about(session: &SessionSummary) -> String {
    let count = session.messages;
    let word = if count == 1 { "message " } else { "messages" };
    format!("{count:>3} {word}  {}", session.title)
}
