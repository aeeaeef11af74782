//! The talk of `skillyard chat`: turn after turn, until the input ends.

use std::sync::atomic::Ordering;

use serde_json::json;
use skillyard_agent::session::Session;
use skillyard_agent::{Runtime, TurnError};

use super::Outcome;
use crate::agent::{Output, Terminal};
use crate::context::Context;
use crate::error::{CommandError, Status};
use crate::sanitize::visible;
use crate::terminal::{Line, Lines};

/// What can be said that is not for the model.
const COMMANDS: &[(&str, &str)] = &[
    ("help", "Says what can be said here"),
    (
        "skills",
        "Lists the skills; those that are active have a mark",
    ),
    ("release", "Lets a skill go: /release NAME"),
    ("exit", "Ends the talk, as Ctrl-D does"),
];

/// Talks until the input ends.
pub(super) fn converse(
    runtime: &mut Runtime,
    session: &mut Session,
    mut lines: Lines,
    front: &mut Terminal<'_>,
) -> Outcome {
    let context = front.context;
    context.printer.note(&format!(
        "Session {} with {} and {} skills. `/name` uses one, `/help` says more.",
        session.id,
        visible(&session.prompt.settings.model),
        runtime.shelf.all().len()
    ));
    lines.complete(names(runtime));
    loop {
        let line = match lines.next()? {
            Line::Said(line) => line,
            Line::TakenBack => continue,
            Line::End => break,
        };
        match line.trim() {
            "" => {}
            "/exit" | "/quit" => break,
            "/help" => help(context),
            "/skills" => list_skills(runtime, session, context),
            line => match line.strip_prefix("/release ") {
                Some(name) => release(runtime, session, name.trim(), context)?,
                None => say(runtime, session, line, front)?,
            },
        }
    }
    context.printer.note(&format!(
        "Go on with `skillyard chat --resume {}`",
        session.id
    ));
    Ok(Status::Yes)
}

/// What can be completed, and what it is for.
fn names(runtime: &Runtime) -> Vec<(String, String)> {
    let skills = runtime.shelf.all().iter();
    let skills = skills
        .map(|each| &each.skill.record)
        .filter(|record| record.user_invocable)
        .map(|record| {
            let about = visible(&record.description).into_owned();
            (record.name.to_string(), about)
        });
    let commands = COMMANDS.iter();
    let commands = commands.map(|(name, about)| ((*name).to_owned(), (*about).to_owned()));
    let mut names: Vec<(String, String)> = skills.chain(commands).collect();
    names.sort();
    names
}

/// One turn. One that failed does not end the talk.
fn say(
    runtime: &mut Runtime,
    session: &mut Session,
    line: &str,
    front: &mut Terminal<'_>,
) -> Result<(), CommandError> {
    front.cancel.store(false, Ordering::Relaxed);
    match runtime.turn(session, line, front) {
        Ok(_) => Ok(()),
        Err(error @ (TurnError::Skill(_) | TurnError::Provider(_))) => {
            let text = visible(&error.to_string()).into_owned();
            front.context.printer.error(&text, &[], None);
            if front.output == Output::StreamJson {
                let value = json!({ "type": "error", "message": text });
                front.context.printer.compact_json(&value)?;
            }
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

fn release(
    runtime: &mut Runtime,
    session: &mut Session,
    name: &str,
    context: &Context,
) -> Result<(), CommandError> {
    let released = runtime.release(session, name)?;
    let word = if released { "Released" } else { "Not active:" };
    context.printer.note(&format!("{word} {}", visible(name)));
    Ok(())
}

fn help(context: &Context) {
    let printer = &context.printer;
    printer.people("/NAME words    use a skill, with whatever stands behind it; Tab completes");
    printer.people("$NAME          the same, anywhere in the text");
    for (name, about) in COMMANDS {
        printer.people(&format!("/{name:<13} {about}"));
    }
    printer.people("Ctrl-C         stops the turn, not the session");
}

fn list_skills(runtime: &Runtime, session: &Session, context: &Context) {
    for each in runtime.shelf.all() {
        let name = &each.skill.record.name;
        let active = session
            .state
            .activated
            .iter()
            .any(|skill| skill.name == **name);
        let mark = if active { '*' } else { ' ' };
        let line = format!(" {mark} /{name}  {}", each.skill.record.description);
        let line: String = line.chars().take(context.printer.width()).collect();
        context.printer.people(&visible(&line));
    }
}
