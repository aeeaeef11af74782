//! Telling people and programs that something failed.

use std::io;

use serde_json::{Value, json};

use crate::config::lock::Locks;
use crate::config::login::auth_key;
use crate::context::Context;
use crate::error::{CommandError, ExitStatus};
use crate::printer::Printer;
use crate::text::sanitize::{shortened, visible};

/// What is told of a failure.
pub(crate) struct ErrorMessage {
    pub(crate) message: String,
    pub(crate) causes: Vec<String>,
    pub(crate) hint: Option<String>,
}

/// Tells the user why the command failed.
pub(crate) fn report(context: &Context, error: &CommandError) -> ExitStatus {
    if is_unread(error) {
        return ExitStatus::Success;
    }
    tell(&context.printer, ErrorMessage::of(error).under(context));
    ExitStatus::Code(error.code())
}

/// Tells people why a command failed, and programs in an object that the command makes of it. What
/// can be done about it is the usual, unless something better is known.
pub(crate) fn report_as(
    context: &Context,
    error: &CommandError,
    better: Option<String>,
    object: impl FnOnce(Value) -> io::Result<()>,
) -> ExitStatus {
    if is_unread(error) {
        return ExitStatus::Success;
    }
    let mut told = ErrorMessage::of(error);
    told.hint = better.or(told.hint);
    let printer = &context.printer;
    let told = told.under(context).readable(printer);
    // If stdout is gone too there is nobody left to tell.
    let _ = object(told.object());
    told.show(printer);
    ExitStatus::Code(error.code())
}

/// The same where there is nothing but a printer.
pub(crate) fn failed(printer: &Printer, error: &CommandError) -> ExitStatus {
    if is_unread(error) {
        return ExitStatus::Success;
    }
    tell(printer, ErrorMessage::of(error));
    ExitStatus::Code(error.code())
}

/// Tells people, and programs that asked for JSON.
pub(crate) fn tell(printer: &Printer, told: ErrorMessage) {
    let told = told.readable(printer);
    if printer.is_json() {
        // If stdout is gone too there is nobody left to tell.
        let _ = printer.json(&json!({ "error": told.object() }));
    }
    told.show(printer);
}

impl ErrorMessage {
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

/// Commands that write the configuration, and the key that they write if they do not name it.
const WRITERS: [(&str, Option<&str>); 4] = [
    ("skillyard config set ", None),
    ("skillyard enable ", Some("skills.disabled")),
    ("skillyard disable ", Some("skills.disabled")),
    (LOGIN, Some("registry.auth")),
];

/// The command that writes the login of the registry it names, else of the usual one.
const LOGIN: &str = "skillyard login";

/// Flags that stand for a key, each with it and the value.
const FLAGS: [(&str, &str, &str); 3] = [
    ("`--scope user`", "install.scope", "user"),
    ("`--scope project`", "install.scope", "project"),
    ("`--allow-scripts`", "scripts.allow", "true"),
];

/// The hint, with what keeps the user from doing what it says.
pub(crate) fn with_locks(hint: String, context: &Context) -> String {
    match locked(&hint, context) {
        None => hint,
        Some(locked) => format!("{hint}; but {locked}: ask whoever looks after that file"),
    }
}

/// What of the hint is locked, if anything is.
fn locked(hint: &str, context: &Context) -> Option<String> {
    let keys: Vec<String> = keys(hint).collect();
    if !keys.is_empty() {
        let locks = Locks::read(&context.environment);
        let mut locked = keys.into_iter().filter_map(|key| locks.refuse(&key).err());
        if let Some(locked) = locked.next() {
            return Some(locked.to_string());
        }
    }
    let mut flags = FLAGS.iter().filter(|(flag, ..)| hint.contains(flag));
    flags.find_map(|(flag, key, value)| {
        // What is locked to this very value may be said.
        let config = context.config().ok()?;
        let locked = config.keep_locked(key, *flag, value).err()?;
        Some(locked.to_string())
    })
}

/// The keys that the commands of a hint write; a place for a name, such as in `models.SERVER.key`, is as
/// good as any.
fn keys(hint: &str) -> impl Iterator<Item = String> {
    WRITERS.iter().flat_map(move |(command, key)| {
        hint.match_indices(command).filter_map(move |(at, _)| {
            let behind = &hint[at + command.len()..];
            let word = |text: &'_ str| text.split([' ', '`']).next().map(str::to_owned);
            match (behind.strip_prefix(" --registry "), key) {
                (Some(alias), _) if *command == LOGIN => Some(auth_key(word(alias).as_deref())),
                (_, Some(key)) => Some((*key).to_owned()),
                (_, None) => word(behind),
            }
        })
    })
}

#[cfg(test)]
mod locked_hint_tests {
    use super::*;

    #[test]
    fn the_keys_of_a_hint_are_found() {
        let check = |hint: &str, expected: &[&str]| {
            assert_eq!(keys(hint).collect::<Vec<_>>(), expected, "{hint}");
        };
        check(
            "Set one with `skillyard config set registry.url URL`; or not",
            &["registry.url"],
        );
        check("Set `KEY`, or `skillyard config set a.b`", &["a.b"]);
        check("Use `skillyard enable pdf`", &["skills.disabled"]);
        check("Log in with `skillyard login`", &["registry.auth"]);
        let hint = "Log in with `skillyard login --registry corp --token TOKEN`";
        check(hint, &["sources.corp.auth"]);
        check("See it with `skillyard config get a.b`", &[]);
    }
}
