//! `skillyard audit`: one file a verb.

mod export;
mod log;
mod verify;

use std::fmt::Write as _;

use clap::Subcommand;
use jiff::Timestamp;
use serde_json::json;
use skillyard_agent::TurnError;
use skillyard_agent::replay::{Divergence, events, replay};
use skillyard_audit::{EventKind, Filter, Outcome as EventOutcome};
use skillyard_format::text::nearest;

use crate::agent::{shelf_of, store};
use crate::commands::audit::verify::as_json;
use crate::context::Context;
use crate::error::{AuditUsage, CommandError, ExitStatus, Outcome};
use crate::text::sanitize::visible;

/// See what happened, and that nobody changed the record of it
///
/// Installs, approvals, script runs, blocked tools and changes of the configuration are written
/// to a log in which every line holds the hash of the one before.
///
/// Examples:
///   skillyard audit log --since 2h
///   skillyard audit log --skill pdf-tools --event approval
///   skillyard audit verify
///   skillyard audit replay last
///   skillyard audit export --format csv --output audit.csv
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    verb: AuditCommand,
}

#[derive(Debug, Subcommand)]
enum AuditCommand {
    Log(log::AuditLogArgs),
    Verify(verify::AuditVerifyArgs),
    Export(export::AuditExportArgs),
    Replay(AuditReplayArgs),
}

/// Which events are wanted.
#[derive(Debug, Clone, clap::Args)]
struct EventFilterArgs {
    /// Only events about this skill
    #[arg(long, value_name = "NAME")]
    skill: Option<String>,
    /// Only events of this kind, or of a group such as `approval`
    #[arg(long, value_name = "KIND")]
    event: Option<String>,
    /// Only events of this session: its name, the beginning of it, or `last`
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only events with this outcome: ok, denied or failed
    #[arg(long, value_name = "OUTCOME")]
    outcome: Option<String>,
    /// Not before: a time, a date, or how long ago (`30m`, `2h`, `7d`)
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Before this time
    #[arg(long, value_name = "WHEN")]
    until: Option<String>,
    /// Only the last N events
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

impl EventFilterArgs {
    fn filter(&self, context: &Context) -> Result<Filter, CommandError> {
        let now = context.now();
        if let Some(event) = self
            .event
            .as_ref()
            .filter(|each| !EventKind::is_known(each))
        {
            let kinds = EventKind::ALL.iter().map(|kind| kind.as_str());
            return Err(AuditUsage::Event {
                event: event.clone(),
                nearest: nearest(event, kinds),
            }
            .into());
        }
        if let Some(outcome) = &self.outcome
            && EventOutcome::from_name(outcome).is_none()
        {
            return Err(AuditUsage::Outcome(outcome.clone()).into());
        }
        Ok(Filter {
            skill: self.skill.clone(),
            event: self
                .event
                .as_ref()
                .map(|event| event.trim_end_matches('.').to_owned()),
            session: self.session(context)?,
            outcome: self.outcome.clone(),
            since: self
                .since
                .as_deref()
                .map(|text| time(text, now))
                .transpose()?,
            until: self
                .until
                .as_deref()
                .map(|text| time(text, now))
                .transpose()?,
            limit: self.limit,
            before: None,
        })
    }

    /// The session that is meant. Not all that are in the log are kept: others have only their names.
    fn session(&self, context: &Context) -> Result<Option<String>, CommandError> {
        let Some(said) = &self.session else {
            return Ok(None);
        };
        let found =
            store(context).and_then(|store| Ok(store.load(said).map_err(TurnError::from)?));
        match found {
            Ok(session) => Ok(Some(session.id.clone())),
            Err(error) if said == "last" => Err(error),
            Err(_) => Ok(Some(said.clone())),
        }
    }
}

pub(crate) fn run(context: &Context, args: &AuditArgs) -> Outcome {
    match &args.verb {
        AuditCommand::Log(args) => log::run(context, args),
        AuditCommand::Verify(args) => verify::run(context, args),
        AuditCommand::Export(args) => export::run(context, args),
        AuditCommand::Replay(args) => run_replay(context, args),
    }
}

/// A time as people write it.
fn time(text: &str, now: Timestamp) -> Result<Timestamp, CommandError> {
    let wrong = || CommandError::from(AuditUsage::Time(text.to_owned()));
    if let Ok(time) = text.parse() {
        return Ok(time);
    }
    // A date alone is its beginning, in universal time, as the log writes it.
    if let Ok(time) = format!("{text}T00:00:00Z").parse() {
        return Ok(time);
    }
    let unit = text.chars().last().ok_or_else(wrong)?;
    let count: i64 = text[..text.len() - unit.len_utf8()]
        .parse()
        .map_err(|_| wrong())?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return Err(wrong()),
    };
    let ago = count
        .checked_mul(seconds)
        .filter(|ago| *ago >= 0)
        .ok_or_else(wrong)?;
    let then = now.as_second().checked_sub(ago).ok_or_else(wrong)?;
    Timestamp::from_second(then).map_err(|_| wrong())
}

/// Make a session again and compare every byte that its model was given
///
/// The prompt, the skills and the files are rendered again and compared with what the session and
/// the log say. What was installed then comes from the store, also when it was updated or removed
/// since; your own skills are taken as they are now. Exit code 1 when something differs; the
/// first is named. A log that `audit verify` finds changed proves nothing: that is told, and the
/// exit code is 1 as well.
///
/// Examples:
///   skillyard audit replay last
///   skillyard audit replay s-84b7056cd6644bae --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
struct AuditReplayArgs {
    /// The session: its name, the beginning of it, or `last`
    session: String,
}

fn run_replay(context: &Context, args: &AuditReplayArgs) -> Outcome {
    let session = store(context)?.load(&args.session);
    let session = session.map_err(TurnError::from)?;
    let log = context.environment.logs_folder();
    let fault = skillyard_audit::verify(&log, None)?.fault;
    let events = events(&session, &log)?;
    let outcome = replay(&session, &mut shelf_of(context, &session)?, events);
    let is_ahead = matches!(outcome, Err(Divergence::Extra { .. }));
    let status = if outcome.is_ok() && fault.is_none() {
        ExitStatus::Success
    } else {
        ExitStatus::Negative
    };
    if context.printer.is_json() {
        let divergence = outcome.as_ref().err().map(ToString::to_string);
        context.printer.json(&json!({
            "session": session.id,
            "same": outcome.is_ok(),
            "compared": outcome.ok(),
            "divergence": divergence,
            "intact": fault.is_none(),
            "fault": fault.as_ref().map(as_json),
        }))?;
        return Ok(status);
    }
    let mut text = match outcome {
        Ok(done) => format!(
            "✓ the same to the byte: {} messages, {} requests, {} texts of skills made again, {} results as recorded\n",
            done.messages, done.requests, done.rendered, done.recorded
        ),
        Err(divergence) => format!("✗ {divergence}\n"),
    };
    if let Some(fault) = fault {
        let _ = writeln!(
            text,
            "✗ the log that it was compared with does not verify: {fault}"
        );
    }
    context.printer.data(&visible(&text))?;
    if is_ahead {
        let note =
            "The log goes on where the session ends: it may still be at work in another program";
        context.printer.note(note);
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_as_people_write_them() {
        let now: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let check = |text: &str, expected: &str| {
            let found = time(text, now).map(|time| time.to_string());
            assert_eq!(found.unwrap_or_else(|error| error.to_string()), expected);
        };
        check("2h", "2026-11-15T10:00:00Z");
        check("7d", "2026-11-08T12:00:00Z");
        check("2026-11-01", "2026-11-01T00:00:00Z");
        check("2026-11-01T10:00:00+02:00", "2026-11-01T08:00:00Z");
        for wrong in [
            "",
            "h",
            "-2h",
            "2y",
            "9223372036854775807w",
            "yesterday",
            "ä",
        ] {
            check(wrong, &format!("`{wrong}` is no time"));
        }
    }
}
