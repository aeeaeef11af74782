//! What is told of a turn, and of one that came to nothing.

use serde_json::json;
use skillyard_agent::TurnEnd;
use skillyard_agent::front_end::EndReason;
use skillyard_agent::session::Session;

use crate::agent::{Output, Terminal};
use crate::context::Context;
use crate::error::{CommandError, Status, report_as};

/// Tells people, and programs in the format they asked for, why there is no answer.
pub(in crate::commands) fn failed(
    context: &Context,
    output: Output,
    session: Option<String>,
    error: &CommandError,
    better_hint: Option<String>,
) -> Status {
    let printer = &context.printer;
    report_as(context, error, better_hint, |mut error| match output {
        Output::Text => Ok(()),
        Output::Json => printer.json(&json!({ "session": session, "error": error })),
        Output::StreamJson => {
            error["type"] = "error".into();
            error["session"] = session.into();
            printer.compact_json(&error)
        }
    })
}

/// The name of a session in which there is something to go on with.
pub(in crate::commands) fn kept(session: &Session) -> Option<String> {
    (!session.messages.is_empty()).then(|| session.id.clone())
}

/// Yes where there is a whole answer.
pub(in crate::commands) fn status(reason: EndReason) -> Status {
    match reason {
        EndReason::Answered | EndReason::Activated => Status::Yes,
        EndReason::Cancelled => Status::Code(130),
        EndReason::Length
        | EndReason::Refused
        | EndReason::Empty
        | EndReason::StepLimit
        | EndReason::Repetition
        | EndReason::TokenBudget
        | EndReason::LogShare => Status::No,
    }
}

/// Tells programs what came of a turn; people have read it.
pub(in crate::commands) fn tell(
    session: &Session,
    end: &TurnEnd,
    front: &mut Terminal<'_>,
) -> Result<(), CommandError> {
    if let Some(error) = front.collected.unwritten.take() {
        return Err(error.into());
    }
    let printer = &front.context.printer;
    match front.output {
        Output::Text => {
            printer.detail(&format!("session {}", session.id));
        }
        Output::Json => {
            let names = session.state.activated.iter();
            printer.json(&json!({
                "session": session.id,
                "model": session.prompt.settings.model,
                "answer": session.given_answer(),
                "end": end.reason,
                "steps": end.steps,
                "usage": end.usage,
                "activated": front.collected.activated,
                "active_skills": names.map(|each| json!({ "name": each.name, "digest": each.digest })).collect::<Vec<_>>(),
                "calls": front.collected.calls,
            }))?;
        }
        Output::StreamJson => {
            let answer =
                json!({ "type": "answer", "session": session.id, "text": session.given_answer() });
            printer.compact_json(&answer)?;
        }
    }
    Ok(())
}
