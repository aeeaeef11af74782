//! A session of `skillyard chat` on paper: Markdown for people, JSON for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};
use skillyard_agent::TurnError;
use skillyard_agent::message::{AssistantPart, CallOutcome, Message, Trigger, UserPart};
use skillyard_agent::session::Session;

use crate::agent;
use crate::commands::chat::below;
use crate::context::Context;
use crate::error::{ExitStatus, Outcome};
use crate::terminal;
use crate::text::sanitize::visible;

/// Writes a session to stdout.
pub(crate) fn export(context: &Context, name: &str) -> Outcome {
    let session = agent::store_to_read(context)?.load(name);
    let session = session.map_err(TurnError::from)?;
    if context.printer.is_json() {
        context.printer.json(&as_json(&session))?;
    } else {
        context.printer.data(&visible(&as_markdown(&session)))?;
    }
    Ok(ExitStatus::Success)
}

fn as_json(session: &Session) -> Value {
    let skills = session.state.activated.iter();
    let skills = skills.map(|each| json!({ "name": each.name, "digest": each.digest }));
    json!({
        "session": session.id,
        "agent": session.agent,
        "model": session.prompt.settings.model,
        "earlier": session.state.earlier,
        "workspace": session.workspace,
        "created": session.created,
        "usage": session.state.usage,
        "active_skills": skills.collect::<Vec<_>>(),
        "messages": session.messages,
    })
}

fn as_markdown(session: &Session) -> String {
    let messages = session.messages.iter().enumerate();
    let answers = messages.filter(|(_, each)| matches!(each, Message::Assistant { .. }));
    let models = answers.map(|(place, _)| session.model_at(place));
    let mut models: Vec<&str> = models.chain([&*session.prompt.settings.model]).collect();
    models.dedup();
    let agent = session.agent.as_ref();
    let agent = agent.map(|agent| format!(", agent {}@{}", agent.name, agent.version));
    let mut text = format!(
        "# {}\n\nSession {}, begun {}, model {}{}\n",
        session.title(),
        session.id,
        session.created,
        models.join(", then "),
        agent.unwrap_or_default()
    );
    for (place, message) in session.messages.iter().enumerate() {
        match message {
            Message::User { parts } => {
                text.push_str("\n## You\n");
                for part in parts {
                    said(part, &mut text);
                }
            }
            Message::Assistant { parts } => {
                let _ = writeln!(text, "\n## {}", session.model_at(place));
                for part in parts {
                    answered(part, &mut text);
                }
            }
            Message::Tool { results } => {
                for result in results {
                    let ended = match result.outcome {
                        CallOutcome::Ok => "done",
                        CallOutcome::Denied => "denied",
                        CallOutcome::Failed => "failed",
                    };
                    let _ = writeln!(text, "\n> {} {ended}", result.name);
                }
            }
        }
    }
    text
}

fn said(part: &UserPart, text: &mut String) {
    let _ = match part {
        UserPart::Text { text: words } => write!(text, "\n{}", below(words)),
        UserPart::Skill {
            name,
            digest,
            trigger,
            ..
        } => {
            let by = match trigger {
                Trigger::Router => ", by the router",
                Trigger::User | Trigger::Model => "",
            };
            writeln!(text, "\n> + skill {name} ({digest}{by})")
        }
        UserPart::Note { text: words } => writeln!(text, "\n> {}", words.trim_end()),
    };
}

fn answered(part: &AssistantPart, text: &mut String) {
    let _ = match part {
        AssistantPart::Text { text: words } => write!(text, "\n{}", below(words)),
        AssistantPart::Call(call) => {
            let card = terminal::call(&call.name, &call.arguments);
            writeln!(text, "\n> {card}")
        }
        // Only its provider understands it.
        AssistantPart::Opaque { .. } => Ok(()),
    };
}
