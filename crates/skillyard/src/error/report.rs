//! Telling people and programs that something failed.

use std::io;
use std::process::ExitCode;

use serde_json::json;

use super::CommandError;
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
pub(crate) fn report(context: &Context, error: &CommandError) -> ExitCode {
    failed(&context.printer, error)
}

/// The same where there is nothing but a printer.
pub(super) fn failed(printer: &Printer, error: &CommandError) -> ExitCode {
    if let CommandError::Output(source) = error
        && source.kind() == io::ErrorKind::BrokenPipe
    {
        return ExitCode::SUCCESS;
    }
    let told = Told {
        message: error.to_string(),
        causes: error.causes(),
        hint: error.hint(),
    };
    tell(printer, told);
    ExitCode::from(error.code())
}

/// Tells people, and programs that asked for JSON.
pub(super) fn tell(printer: &Printer, told: Told) {
    let for_people = |text: String| for_people(&printer.redacted(&text));
    let message = for_people(told.message);
    let causes: Vec<String> = told.causes.into_iter().map(for_people).collect();
    let hint = told.hint.map(for_people);
    if printer.is_json() {
        let error = json!({ "message": message, "causes": causes, "hint": hint });
        // If stdout is gone too there is nobody left to tell.
        let _ = printer.json(&json!({ "error": error }));
    }
    printer.error(&message, &causes, hint.as_deref());
}

/// Words that may quote a stranger, harmless and not without end; whole paths find room.
fn for_people(text: &str) -> String {
    shortened(&visible(text), 5_000).into_owned()
}
