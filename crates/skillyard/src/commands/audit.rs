//! `skillyard audit`: one file a verb.

mod export;
mod log;
mod replay;
mod verify;

use clap::Subcommand;
use jiff::Timestamp;
use skillyard_agent::TurnError;
use skillyard_audit::{EventKind, Filter, Outcome as EventOutcome};
use skillyard_format::text::nearest;

use super::Outcome;
use crate::agent::store;
use crate::context::Context;
use crate::error::CommandError;
use crate::error::audit::AuditUsage;

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
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Log(log::Args),
    Verify(verify::Args),
    Export(export::Args),
    Replay(replay::Args),
}

/// Which events are wanted.
#[derive(Debug, Clone, clap::Args)]
struct Which {
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

impl Which {
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

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    match &args.verb {
        Verb::Log(args) => log::run(context, args),
        Verb::Verify(args) => verify::run(context, args),
        Verb::Export(args) => export::run(context, args),
        Verb::Replay(args) => replay::run(context, args),
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
