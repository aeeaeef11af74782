//! How a turn is shown: to people as it happens, to programs as lines or at the end.

mod question;

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use question::{Portion, change, is_long, question};
use serde_json::json;
use skillyard_agent::front_end::{
    Action, ApprovalAnswer, ApprovalRequest, FrontEnd, TurnEvent, Unanswered,
};
use skillyard_agent::message::{CallOutcome, Trigger};
use skillyard_agent::provider::Usage;

use super::signals::Signals;
use crate::context::Context;
use crate::question::word;
use crate::terminal::{self, Ended, Markdown};
use crate::text::sanitize::visible;

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
pub(crate) enum QuestionReply {
    /// The user is asked where that is possible.
    Ask,
    /// Yes to everything, each time once.
    Yes,
}

/// People, or programs that read lines.
pub(crate) struct Terminal<'a> {
    pub(crate) context: &'a Context,
    pub(crate) output: Output,
    pub(crate) told: QuestionReply,
    pub(crate) cancel: Arc<AtomicBool>,
    pub(crate) signals: Signals,
    /// What was noticed, for the object at the end.
    pub(crate) collected: Collected,
}

/// What a turn did.
#[derive(Debug)]
pub(crate) struct Collected {
    /// Skills that became active.
    pub(crate) activated: Vec<serde_json::Value>,
    /// Calls that were made.
    pub(crate) calls: Vec<serde_json::Value>,
    /// Whether the last words on stdout have not ended their line.
    mid_line: bool,
    /// The words of the model, on their way to a terminal.
    markdown: Markdown,
    /// Whether somebody was told that questions cannot be asked here.
    told_of_questions: bool,
    /// Whether a question of this turn was left, which ends it.
    left: bool,
    /// Why words of the model are missing on stdout.
    pub(crate) unwritten: Option<io::Error>,
}

impl Collected {
    /// Nothing yet, to be shown in lines of this width.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            activated: Vec::new(),
            calls: Vec::new(),
            mid_line: false,
            markdown: Markdown::new(width),
            told_of_questions: false,
            left: false,
            unwritten: None,
        }
    }

    /// Remembers the first words that could not be written, which ends the turn with an error.
    fn noted(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.unwritten.get_or_insert(error);
        }
    }

    /// Forgets what the turn before was made of.
    pub(crate) fn begin_turn(&mut self) {
        self.activated.clear();
        self.calls.clear();
        self.left = false;
    }
}

impl FrontEnd for Terminal<'_> {
    fn event(&mut self, event: &TurnEvent) {
        self.collect(event);
        match self.output {
            Output::StreamJson => {
                let written = self.context.printer.compact_json(event);
                self.collected.noted(written);
            }
            Output::Text => self.show(event),
            Output::Json => {
                if let TurnEvent::Note { text } = event {
                    self.context.printer.note(&visible(text));
                }
            }
        }
        // Nobody reads what comes of what would still be done.
        if self.collected.unwritten.is_some() || self.context.printer.is_unread() {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }

    fn approve(&mut self, request: &ApprovalRequest) -> ApprovalAnswer {
        if self.output == Output::StreamJson {
            let value = json!({ "type": "approval_request", "request": request });
            let _ = self.context.printer.compact_json(&value);
        }
        match self.told {
            QuestionReply::Yes => ApprovalAnswer::Once,
            QuestionReply::Ask if self.output == Output::Text && self.context.printer.can_ask() => {
                self.ask(request)
            }
            QuestionReply::Ask => {
                self.tell_of_questions();
                ApprovalAnswer::Unanswered(Unanswered::NobodyThere)
            }
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
                // What is said of a turn that was stopped does not belong to its last sentence.
                if self.cancel.load(Ordering::Relaxed) {
                    self.end_line();
                }
                let printer = &self.context.printer;
                self.collected.mid_line = !delta.ends_with('\n');
                let written = if printer.styles_data() {
                    printer.data(&self.collected.markdown.push(&visible(delta)))
                } else if printer.is_terminal() {
                    printer.words(&visible(delta))
                } else {
                    printer.words(delta)
                };
                self.collected.noted(written);
            }
            TurnEvent::SkillActivated {
                name,
                trigger,
                tokens,
                ..
            } => {
                self.end_line();
                let by = match trigger {
                    Trigger::User => "you",
                    Trigger::Model => "the model",
                    Trigger::Router => "the router",
                };
                self.context.printer.note(&format!(
                    "+ skill {}  (by {by}, about {tokens} tokens)",
                    visible(name)
                ));
            }
            TurnEvent::ToolCall { name, summary, .. } => {
                self.end_line();
                let call = terminal::call(name, summary);
                let width = self.context.printer.width_of_notes();
                self.context
                    .printer
                    .note_exactly(&terminal::row(&call, width));
            }
            // That the turn was stopped is said at its end.
            TurnEvent::ToolResult {
                outcome: CallOutcome::Denied,
                ..
            } if self.collected.left => {}
            TurnEvent::ToolResult {
                outcome,
                preview,
                milliseconds,
                ..
            } => {
                let ended = Ended {
                    outcome: *outcome,
                    stopped: self.cancel.load(Ordering::Relaxed),
                    milliseconds: *milliseconds,
                    preview,
                };
                printer.note(&terminal::result(ended, printer.is_verbose()));
            }
            TurnEvent::Retry {
                reason,
                milliseconds,
            } => {
                let when = match milliseconds {
                    0 => "now".to_owned(),
                    _ => format!("in {milliseconds} ms"),
                };
                printer.note(&format!("   {}; trying again {when}", visible(reason)));
            }
            TurnEvent::Note { text } => printer.note(&format!("   {}", visible(text))),
            TurnEvent::Usage { request, session } => printer.detail(&format!(
                "   {}; the session {}",
                cost(request),
                cost(session)
            )),
            TurnEvent::Done { .. } => self.end_line(),
            TurnEvent::Started { .. } => {}
        }
    }

    /// Ends the words of the model, so that something else can be said.
    fn end_line(&mut self) {
        let printer = &self.context.printer;
        let rest = self.collected.markdown.finish();
        let end = if std::mem::take(&mut self.collected.mid_line) {
            "\n"
        } else {
            ""
        };
        if !rest.is_empty() || !end.is_empty() {
            let written = printer.data(&format!("{rest}{end}"));
            self.collected.noted(written);
        }
    }

    /// Says once why the answer is no where nobody can be asked.
    fn tell_of_questions(&mut self) {
        if !std::mem::replace(&mut self.collected.told_of_questions, true) {
            self.context.printer.note(
                "   nobody can be asked here, so the answer is no; `--allow-scripts` allows scripts, `--yes` everything",
            );
        }
    }

    fn ask(&mut self, request: &ApprovalRequest) -> ApprovalAnswer {
        let printer = &self.context.printer;
        let (what, session) = question(&request.action, printer.width());
        printer.exactly(&format!(
            "{}\n{}  why     {}",
            visible(&what),
            change(&request.action, printer.width(), Portion::Ends),
            visible(&request.reason)
        ));
        let mut words = vec![
            ("once", Some(ApprovalAnswer::Once)),
            ("yes", Some(ApprovalAnswer::Once)),
            ("session", Some(ApprovalAnswer::Session)),
        ];
        let mut meaning = format!("`session` holds {session}");
        if request.action.may_last() {
            words.push(("always", Some(ApprovalAnswer::Digest)));
            meaning.push_str("; `always` holds for exactly these files");
        }
        if let Action::Script {
            unshown: Some(why), ..
        } = &request.action
        {
            let _ = write!(meaning, "; there is no `always`: {}", visible(why));
        }
        if is_long(&request.action) {
            words.push(("view", None));
            meaning.push_str("; `view` shows all of the change");
        }
        words.push(("no", Some(ApprovalAnswer::No)));
        printer.people(&format!("  meaning {meaning}"));
        loop {
            match word(printer, "Allow it?", &words) {
                Ok(Some(answer)) => return answer,
                Ok(None) => {
                    let whole = change(&request.action, printer.width(), Portion::Whole);
                    printer.exactly(whole.trim_end());
                }
                Err(_) => {
                    // Ctrl-C in front of a question is meant for the whole turn.
                    self.cancel.store(true, Ordering::Relaxed);
                    self.collected.left = true;
                    return ApprovalAnswer::Unanswered(Unanswered::Stopped);
                }
            }
        }
    }
}

fn cost(usage: &Usage) -> String {
    let about = if usage.estimated { "about " } else { "" };
    let (input, cached, output) = (usage.input, usage.cached, usage.output);
    format!("{about}{input} tokens in ({cached} cached), {output} out")
}
