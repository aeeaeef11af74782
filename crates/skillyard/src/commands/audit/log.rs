//! `skillyard audit log`.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::json;
use serde_json::value::RawValue;
use skillyard_audit::{AuditEntry, LogFollower, read};

use crate::commands::audit::EventFilterArgs;
use crate::context::Context;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::text::counted;
use crate::text::sanitize::visible;

/// List events, the oldest first
///
/// Examples:
///   skillyard audit log --limit 20        `-v` shows digests, sessions and limits too
///   skillyard audit log --event approval --since 7d --json
///   skillyard audit log --follow
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct AuditLogArgs {
    #[command(flatten)]
    which: EventFilterArgs,
    /// Go on with new events as they happen
    #[arg(short, long)]
    follow: bool,
}

/// How often new events are looked for.
const PAUSE: Duration = Duration::from_millis(200);

pub(super) fn run(context: &Context, args: &AuditLogArgs) -> Outcome {
    let folder = context.environment.logs_folder();
    let filter = args.which.filter(context)?;
    // Before reading, so that nothing falls between.
    let mut follow = args.follow.then(|| LogFollower::new(&folder)).transpose()?;
    let reading = read(&folder, &filter)?;
    if context.printer.is_json() && !args.follow {
        let events: Vec<Box<RawValue>> =
            reading.lines.iter().filter_map(|line| raw(line)).collect();
        context
            .printer
            .json(&json!({ "events": events, "unreadable": reading.unreadable }))?;
        return Ok(ExitStatus::Success);
    }
    for line in &reading.lines {
        print(context, line)?;
    }
    if reading.unreadable > 0 {
        context.printer.note(&format!(
            "{} could not be read; find out more with `skillyard audit verify`",
            counted(reading.unreadable, "line")
        ));
    } else if reading.lines.is_empty() && !args.follow {
        context.printer.note("No such event was recorded");
    }
    let mut last = reading
        .lines
        .back()
        .and_then(|line| Some(AuditEntry::parse(line)?.seq));
    while let Some(follow) = &mut follow
        && !context.printer.is_unread()
    {
        for line in follow.poll()? {
            let entry = AuditEntry::parse(&line).filter(|entry| filter.matches(entry));
            // What was read already is not told again.
            let Some(seq) = entry.map(|entry| entry.seq).filter(|seq| Some(*seq) > last) else {
                continue;
            };
            last = Some(seq);
            print(context, &line)?;
        }
        std::thread::sleep(PAUSE);
    }
    Ok(ExitStatus::Success)
}

/// A line as JSON that is handed on as it is.
fn raw(line: &[u8]) -> Option<Box<RawValue>> {
    RawValue::from_string(String::from_utf8(line.to_vec()).ok()?).ok()
}

fn print(context: &Context, line: &[u8]) -> Result<(), CommandError> {
    if context.printer.is_json() {
        if let Some(event) = raw(line) {
            context.printer.compact_json(&event)?;
        }
        return Ok(());
    }
    let Some(entry) = AuditEntry::parse(line) else {
        return Ok(());
    };
    context.printer.data(&format!(
        "{}\n",
        visible(&described(&entry, context.printer.is_verbose())).replace('\n', " ")
    ))?;
    Ok(())
}

/// Details that are for programs, or for people who want to know everything.
const FINE_PRINT: &[&str] = &["call", "limits", "milliseconds", "transaction"];

/// Longest detail that is shown whole.
const MAX_FIELD_LENGTH: usize = 100;

/// A value as one word, in quotes where it could be taken for more: some are what a model wrote. What
/// is too long is cut at its end, and how much is missing is told.
fn quoted(value: &str, longest: usize) -> String {
    let is_plain = |letter: char| !letter.is_whitespace() && !"=\"()".contains(letter);
    let count = value.chars().count();
    if count <= longest && !value.is_empty() && value.chars().all(is_plain) {
        return value.to_owned();
    }
    let mut text = String::from('"');
    for letter in value.chars().take(longest) {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            ' ' => text.push(' '),
            letter if letter.is_whitespace() => text.extend(letter.escape_default()),
            letter => text.push(letter),
        }
    }
    text.push('"');
    if count > longest {
        let _ = write!(text, "+{}", counted(count - longest, "character"));
    }
    text
}

/// An event on one line; digests and the like only where everything is wanted.
fn described(entry: &AuditEntry<'_>, everything: bool) -> String {
    let time = entry.time.to_string();
    let time = time.get(..19).unwrap_or(&time).replace('T', " ");
    let mut text = format!("{time}  {:<22} {:<6}", entry.event, entry.outcome);
    if let Some(skill) = &entry.skill {
        let _ = write!(text, "  {skill}");
    }
    // Elsewhere it is said with the skill where it came from.
    let is_change = matches!(
        &*entry.event,
        "skill.installed" | "skill.updated" | "skill.removed"
    );
    if let Some(source) = entry.source.as_ref().filter(|_| is_change) {
        let _ = write!(text, "  from {source}");
    }
    if let Some(reason) = &entry.reason {
        let _ = write!(text, "  {reason}");
    }
    for (name, value) in &entry.detail {
        if everything {
            let _ = write!(text, "  {name}={}", quoted(value, usize::MAX));
        } else if !value.starts_with("sha256:") && !FINE_PRINT.contains(&&**name) {
            let _ = write!(text, "  {name}={}", quoted(value, MAX_FIELD_LENGTH));
        }
    }
    if let Some(session) = entry.session.as_ref().filter(|_| everything) {
        let _ = write!(text, "  session={session}");
    }
    let _ = write!(text, "  ({})", entry.actor);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_one_word() {
        assert_eq!(quoted("once", 100), "once");
        assert_eq!(quoted("", 100), "\"\"");
        let forged = "true  exit=0\u{2028}\"x\"";
        assert_eq!(quoted(forged, 100), r#""true  exit=0\u{2028}\"x\"""#);
        assert_eq!(quoted("abcdef", 4), "\"abcd\"+2 characters");
    }
}
