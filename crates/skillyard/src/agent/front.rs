//! How a turn is shown: to people as it happens, to programs as lines or at the end.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::json;
use skillyard_agent::front_end::{Action, Answer, ApprovalRequest, FrontEnd, Trigger, TurnEvent};
use skillyard_agent::message::CallOutcome;

use crate::context::Context;
use crate::sanitize::visible;

/// How the answer of a turn is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Output {
    /// The words of the model
    #[default]
    Text,
    /// One object at the end
    Json,
    /// One object a line, as it happens
    StreamJson,
}

/// What is said to questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// The user is asked where that is possible.
    Ask,
    /// Yes to everything, each time once.
    Yes,
}

/// People, or programs that read lines.
pub(crate) struct Terminal<'a> {
    pub(crate) context: &'a Context,
    pub(crate) output: Output,
    pub(crate) told: Told,
    pub(crate) cancel: Arc<AtomicBool>,
    /// What was noticed, for the object at the end.
    pub(crate) collected: Collected,
}

/// What a turn did.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    /// Skills that became active.
    pub(crate) activated: Vec<serde_json::Value>,
    /// Calls that were made.
    pub(crate) calls: Vec<serde_json::Value>,
    /// Whether the last words on stdout have not ended their line.
    mid_line: bool,
}

impl FrontEnd for Terminal<'_> {
    fn event(&mut self, event: &TurnEvent) {
        self.collect(event);
        match self.output {
            Output::StreamJson => {
                // Who reads no more is told by the end of the pipe.
                let _ = self.context.printer.compact_json(event);
            }
            Output::Text => self.show(event),
            Output::Json => {}
        }
    }

    fn approve(&mut self, request: &ApprovalRequest) -> Answer {
        if self.output == Output::StreamJson {
            let value = json!({ "type": "approval_request", "request": request });
            let _ = self.context.printer.compact_json(&value);
        }
        match self.told {
            Told::Yes => Answer::Once,
            Told::Ask if self.output == Output::Text && self.context.printer.can_ask() => {
                self.ask(request)
            }
            Told::Ask => Answer::No,
        }
    }

    fn cancel(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel)
    }
}

impl Terminal<'_> {
    fn collect(&mut self, event: &TurnEvent) {
        match event {
            TurnEvent::SkillActivated { .. } => self.collected.activated.push(json!(event)),
            TurnEvent::ToolResult { .. } => self.collected.calls.push(json!(event)),
            _ => {}
        }
    }

    fn show(&mut self, event: &TurnEvent) {
        let printer = &self.context.printer;
        match event {
            TurnEvent::Text { delta } => {
                let text = if printer.is_terminal() {
                    visible(delta)
                } else {
                    delta.as_str().into()
                };
                self.collected.mid_line = !text.ends_with('\n');
                // Who reads no more is told by the end of the pipe.
                let _ = printer.data(&text);
            }
            TurnEvent::SkillActivated {
                name,
                trigger,
                tokens,
                ..
            } => {
                let by = match trigger {
                    Trigger::User => "you",
                    Trigger::Model => "the model",
                    Trigger::Router => "the router",
                };
                printer.note(&format!(
                    " + skill {} (by {by}, about {tokens} tokens)",
                    visible(name)
                ));
            }
            TurnEvent::ToolCall { name, summary, .. } => {
                if std::mem::take(&mut self.collected.mid_line) {
                    let _ = printer.data("\n");
                }
                printer.note(&format!(" > {} {}", visible(name), visible(summary)));
            }
            TurnEvent::ToolResult {
                outcome,
                preview,
                milliseconds,
                ..
            } => {
                let word = match outcome {
                    CallOutcome::Ok => "done",
                    CallOutcome::Denied => "denied",
                    CallOutcome::Failed => "failed",
                };
                let shown = match outcome {
                    CallOutcome::Ok if !printer.is_verbose() => String::new(),
                    _ => format!(": {}", visible(preview)),
                };
                printer.note(&format!("   {word} in {milliseconds} ms{shown}"));
            }
            TurnEvent::Retry {
                reason,
                milliseconds,
            } => printer.note(&format!(
                "   {}; trying again in {milliseconds} ms",
                visible(reason)
            )),
            TurnEvent::Usage(usage) => printer.detail(&format!(
                "   {} tokens in ({} cached), {} out",
                usage.input, usage.cached, usage.output
            )),
            TurnEvent::Started { .. } | TurnEvent::Done { .. } => {}
        }
    }

    fn ask(&self, request: &ApprovalRequest) -> Answer {
        let what = match &request.action {
            Action::Script {
                skill,
                digest,
                script,
                arguments,
            } => format!(
                "Skill `{skill}` wants to run `{script} {}`\n  digest  {digest}",
                arguments.join(" ")
            ),
            Action::Command { command } => format!("The model wants to run `{command}`"),
            Action::Change { tool, path } => format!("The model wants to {tool} `{path}`"),
            Action::Lent { tool, arguments } => {
                format!("The model wants to call `{tool}` with `{arguments}`")
            }
        };
        let printer = &self.context.printer;
        printer.people(&format!(
            "{}\n  why     {}",
            visible(&what),
            visible(&request.reason)
        ));
        let mut question = cliclack::select("Allow it?")
            .item(Answer::Once, "once", "")
            .item(Answer::Session, "for this session", "");
        if matches!(request.action, Action::Script { .. }) {
            question = question.item(Answer::Digest, "always, for exactly these files", "");
        }
        question = question
            .item(Answer::No, "no", "")
            .initial_value(Answer::No);
        question.interact().unwrap_or(Answer::No)
    }
}
