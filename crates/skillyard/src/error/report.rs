//! Telling people and programs that something failed.

use std::io;

use serde_json::{Value, json};

use super::locked_hint::with_locks;
use super::{CommandError, Status};
use crate::context::Context;
use crate::printer::Printer;
use crate::sanitize::{shortened, visible};

/// What is told of a failure.
pub(super) struct Told {
    pub(super) message: String,
    pub(super) causes: Vec<String>,
    pub(super) hint: Option<String>,
}

/// Tells the user why the command failed.
pub(crate) fn report(context: &Context, error: &CommandError) -> Status {
    if is_unread(error) {
        return Status::Yes;
    }
    tell(&context.printer, Told::of(error).under(context));
    Status::Code(error.code())
}

/// Tells people why a command failed, and programs in an object that the command makes of it. What
/// can be done about it is the usual, unless something better is known.
pub(crate) fn report_as(
    context: &Context,
    error: &CommandError,
    better: Option<String>,
    object: impl FnOnce(Value) -> io::Result<()>,
) -> Status {
    if is_unread(error) {
        return Status::Yes;
    }
    let mut told = Told::of(error);
    told.hint = better.or(told.hint);
    let printer = &context.printer;
    let told = told.under(context).readable(printer);
    // If stdout is gone too there is nobody left to tell.
    let _ = object(told.object());
    told.show(printer);
    Status::Code(error.code())
}

/// The same where there is nothing but a printer.
pub(super) fn failed(printer: &Printer, error: &CommandError) -> Status {
    if is_unread(error) {
        return Status::Yes;
    }
    tell(printer, Told::of(error));
    Status::Code(error.code())
}

/// Tells people, and programs that asked for JSON.
pub(super) fn tell(printer: &Printer, told: Told) {
    let told = told.readable(printer);
    if printer.is_json() {
        // If stdout is gone too there is nobody left to tell.
        let _ = printer.json(&json!({ "error": told.object() }));
    }
    told.show(printer);
}

impl Told {
    fn of(error: &CommandError) -> Self {
        Self {
            message: error.to_string(),
            causes: error.causes(),
            hint: error.hint(),
        }
    }

    /// The same with a hint for the scope at hand, and with what the organisation has to say about it.
    fn under(self, context: &Context) -> Self {
        let hint = self.hint;
        Self {
            hint: hint.map(|hint| with_locks(context.scoped(&hint), context)),
            ..self
        }
    }

    /// The same without secrets and in letters that do no harm.
    fn readable(self, printer: &Printer) -> Self {
        let for_people = |text: String| for_people(&printer.redacted(&text));
        Self {
            message: for_people(self.message),
            causes: self.causes.into_iter().map(for_people).collect(),
            hint: self.hint.map(for_people),
        }
    }

    fn object(&self) -> Value {
        json!({ "message": self.message, "causes": self.causes, "hint": self.hint })
    }

    fn show(&self, printer: &Printer) {
        printer.error(&self.message, &self.causes, self.hint.as_deref());
    }
}

/// Whether it only failed because nobody reads any more.
fn is_unread(error: &CommandError) -> bool {
    matches!(error, CommandError::Output(source) if source.kind() == io::ErrorKind::BrokenPipe)
}

/// Words that may quote a stranger, harmless and not without end; whole paths find room.
fn for_people(text: &str) -> String {
    shortened(&visible(text), 5_000).into_owned()
}
