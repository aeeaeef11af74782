//! The talk of `skillyard chat`: turn after turn, until the input ends.

use skillyard_agent::front_end::EndReason;
use skillyard_agent::message::Message;
use skillyard_agent::provider::offline;
use skillyard_agent::session::{Session, SessionError};
use skillyard_agent::shelf::ShelfError;
use skillyard_agent::{Runtime, TurnError};
use skillyard_format::text::{nearest, one_line};

use crate::agent::{Output, Terminal};
use crate::commands::chat;
use crate::commands::list::push_cut;
use crate::context::Context;
use crate::error::agent::AgentFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::script::profile;
use crate::terminal::{InputLine, Lines};
use crate::text::counted;
use crate::text::sanitize::{shortened, visible};

/// What can be said that is not for the model.
const COMMANDS: &[(&str, &str)] = &[
    ("help", "says what can be said here"),
    ("skills", "lists the skills; * marks those that are active"),
    ("release NAME", "lets an active skill go"),
    ("exit", "ends the talk, as Ctrl-D does"),
];

/// Longest part of what was said last that is shown when a session goes on.
const REMINDER: usize = 300;

/// Talks until the input ends. At a terminal whoever talks has seen how each turn ended; through a
/// pipe the worst of them is the status. A talk that a signal ended was stopped, wherever it was.
pub(crate) fn converse(
    runtime: &mut Runtime,
    session: &mut Session,
    mut lines: Lines,
    front: &mut Terminal<'_>,
) -> Outcome {
    let context = front.context;
    welcome(runtime, session, context);
    lines.complete(names(runtime));
    let mut worst = None;
    loop {
        if front.signals.ends() {
            break;
        }
        let line = match front.signals.waiting(|| lines.next())? {
            InputLine::Said(line) => line,
            InputLine::TakenBack => {
                context.printer.note("Ctrl-D or `/exit` ends the talk");
                continue;
            }
            InputLine::TooLong => {
                let error = AgentFailure::LongPrompt.into();
                worse(&mut worst, failed(&error, None, session, front));
                continue;
            }
            InputLine::End => break,
        };
        match line.trim() {
            "" => {}
            "/exit" | "/quit" => break,
            "/help" => help(context),
            "/skills" => list_skills(runtime, session, context),
            line => match line.strip_prefix("/release ") {
                Some(name) => release(runtime, session, name.trim(), context)?,
                None => worse(&mut worst, say(runtime, session, line, front)?),
            },
        }
    }
    // Who asked for an answer as data and said nothing gets a reason instead.
    if session.messages.is_empty() && worst.is_none() && front.output != Output::Text {
        return Err(AgentFailure::NoPrompt.into());
    }
    // Where nothing was said there is nothing to go on with.
    if !session.messages.is_empty() {
        context.printer.note(&format!(
            "Go on with `skillyard chat --resume {}`",
            session.id
        ));
    }
    if front.signals.ends() {
        return Ok(chat::status(EndReason::Cancelled));
    }
    Ok(worst
        .filter(|_| lines.is_piped())
        .unwrap_or(ExitStatus::Success))
}

/// Takes note of how a turn ended.
fn worse(worst: &mut Option<ExitStatus>, status: ExitStatus) {
    if worst.is_none_or(|worst| worst.code() < status.code()) {
        *worst = Some(status);
    }
}

/// What a user should know before they say something.
fn welcome(runtime: &Runtime, session: &Session, context: &Context) {
    let model = &session.prompt.settings.model;
    let skills = counted(runtime.shelf.all().len(), "skill");
    context.printer.note(&format!(
        "Session {} with {} and {skills}. `/name` uses one, `/help` says more.",
        session.id,
        visible(model),
    ));
    let here = &context.environment;
    if let Some(reason) = profile::private(&here.current_dir, here) {
        context.printer.note(&format!(
            "No model can read or change files here: {reason}. Begin in the folder of a project, or name one with `--workspace`."
        ));
    }
    if *model == offline::NAME {
        context.printer.note(
            "`offline` is no model: it shows what one would be given. `--model SERVER/NAME` talks to one.",
        );
    }
    remind(session, context);
}

/// What was said last, and the answer to it.
fn remind(session: &Session, context: &Context) {
    let said = session.messages.iter().rev();
    let said = said
        .filter(|message| matches!(message, Message::User { .. }))
        .map(Message::words)
        .find(|words| !words.is_empty());
    for (mark, words) in [("> ", said.unwrap_or_default()), ("", session.answer())] {
        let words = words.trim();
        if !words.is_empty() {
            let words = shortened(&visible(words), REMINDER).into_owned();
            context.printer.note(&format!("{mark}{words}"));
        }
    }
}

/// What can be completed, and what it is for.
fn names(runtime: &Runtime) -> Vec<(String, String)> {
    let skills = runtime.shelf.all().iter();
    let skills = skills
        .map(|each| &each.skill.record)
        .filter(|record| record.user_invocable)
        .map(|record| {
            let about = visible(&record.description).into_owned();
            (record.name.clone(), about)
        });
    let commands = COMMANDS.iter();
    let commands = commands.map(|(name, about)| (verb(name).to_owned(), (*about).to_owned()));
    let mut names: Vec<(String, String)> = skills.chain(commands).collect();
    names.sort();
    names
}

/// A command without its argument.
fn verb(command: &str) -> &str {
    command.split(' ').next().unwrap_or(command)
}

/// One turn. One that failed does not end the talk.
fn say(
    runtime: &mut Runtime,
    session: &mut Session,
    line: &str,
    front: &mut Terminal<'_>,
) -> Result<ExitStatus, CommandError> {
    front.signals.begin_again();
    front.collected.begin_turn();
    let mut ended = runtime.turn(session, line, front);
    if matches!(ended, Err(TurnError::Session(SessionError::InUse(_))))
        && catch_up(runtime, session, front.context)
    {
        ended = runtime.turn(session, line, front);
    }
    match ended {
        Ok(end) => {
            chat::tell_turn_result(session, &end, front)?;
            Ok(chat::status(end.reason))
        }
        Err(
            error @ (TurnError::Skill(_)
            | TurnError::Provider(_)
            | TurnError::Session(SessionError::InUse(_))),
        ) => {
            let hint = hint(&error);
            Ok(failed(&error.into(), hint, session, front))
        }
        Err(error) => Err(error.into()),
    }
}

/// Takes over what was said elsewhere meanwhile, where nobody is at work on the session any more.
fn catch_up(runtime: &Runtime, session: &mut Session, context: &Context) -> bool {
    let Ok(false) = runtime.store.is_in_use(&session.id) else {
        return false;
    };
    let Ok(now) = runtime.store.load(&session.id) else {
        return false;
    };
    let model = |session: &Session| session.prompt.settings.model.clone();
    if now.messages.len() <= session.messages.len() || model(&now) != model(session) {
        return false;
    }
    *session = now;
    let printer = &context.printer;
    printer.note("This session went on elsewhere. What was said there last:");
    remind(session, context);
    true
}

/// Tells why what was said has no answer; the talk goes on.
fn failed(
    error: &CommandError,
    hint: Option<String>,
    session: &Session,
    front: &Terminal<'_>,
) -> ExitStatus {
    chat::failed(
        front.context,
        front.output,
        chat::kept(session),
        error,
        hint,
    )
}

/// What can be said instead of a name that no skill has.
fn hint(error: &TurnError) -> Option<String> {
    let TurnError::Skill(ShelfError::Unknown { name, .. }) = error else {
        return None;
    };
    let commands = COMMANDS.iter().map(|(command, _)| verb(command));
    Some(match nearest(name, commands) {
        Some(command) => format!("Did you mean `/{command}`?"),
        None => "`/skills` lists the skills".into(),
    })
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
    printer.people("/NAME words    uses a skill, with whatever stands behind it");
    for (name, about) in COMMANDS {
        printer.people(&format!("/{name:<13} {about}"));
    }
    printer.people("$NAME          uses a skill, anywhere in the text");
    printer.people("Tab            completes names of skills and commands");
    printer.people("Ctrl-C         stops the turn, not the session");
}

fn list_skills(runtime: &Runtime, session: &Session, context: &Context) {
    let all = runtime.shelf.all();
    let names = all
        .iter()
        .map(|each| each.skill.record.name.chars().count());
    let widest = names.max().unwrap_or_default();
    let mut text = String::new();
    for each in all {
        let name = &each.skill.record.name;
        let mut activated = session.state.activated.iter();
        let active = activated.any(|skill| skill.name == **name);
        let mark = if active { '*' } else { ' ' };
        let about = match each.skill.status.reason() {
            Some(reason) => format!("({}) {reason}", each.skill.status.as_str()).into(),
            None => one_line(&each.skill.record.description),
        };
        let line = format!(" {mark} /{name:<widest$}  {about}");
        push_cut(&mut text, &visible(&line), context.printer.width());
    }
    context.printer.people(text.trim_end());
}
