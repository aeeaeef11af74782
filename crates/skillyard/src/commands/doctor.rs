//! `skillyard doctor`.

use std::fmt::Write as _;

use serde_json::json;

use super::{
    Outcome, doctor_agents, doctor_home, doctor_install, doctor_proxies, doctor_sandbox,
    doctor_skills,
};
use crate::context::Context;
use crate::error::Status;
use crate::report::counted;
use crate::sanitize::visible;

/// Check what this machine has and what it lacks
///
/// Examples:
///   skillyard doctor                        every check, with what can be done
///   skillyard doctor --agent codex,gemini-cli   which skills these agents see
///   skillyard doctor --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Say what these agents see, whether they are in use here or not
    #[arg(long, value_name = "AGENT", value_delimiter = ',')]
    agent: Vec<String>,
}

/// One thing that was looked at.
pub(super) struct Check {
    /// What it is about.
    pub(super) area: &'static str,
    /// A name that does not change.
    pub(super) name: &'static str,
    pub(super) verdict: Verdict,
    /// What was found.
    pub(super) message: String,
    /// What can be done, if something can.
    pub(super) hint: Option<String>,
}

impl Check {
    /// Something that is as it should be.
    pub(super) fn good(area: &'static str, name: &'static str, message: String) -> Self {
        Self {
            area,
            name,
            verdict: Verdict::Good,
            message,
            hint: None,
        }
    }
}

/// What a check says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is there.
    Good,
    /// It is not there, and something else takes its place.
    Missing,
    /// It is there, and not all of it is of use.
    Warning,
    /// It is not there, and is needed.
    Bad,
}

impl Verdict {
    fn mark(self) -> char {
        match self {
            Self::Good => '✓',
            Self::Missing => '-',
            Self::Warning => '⚠',
            Self::Bad => '✗',
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Missing => "missing",
            Self::Warning => "warning",
            Self::Bad => "bad",
        }
    }
}

pub(crate) fn run(context: &Context, args: &Args) -> Outcome {
    // Every area adds its own.
    let areas = [
        doctor_home::checks(context),
        doctor_proxies::checks(context),
        doctor_install::checks(context),
        doctor_agents::checks(context, &args.agent)?,
        doctor_skills::checks(context),
        doctor_sandbox::checks(context),
    ];
    let checks: Vec<Check> = areas.into_iter().flatten().collect();
    let count = |verdict: Verdict| {
        let of_it = checks.iter().filter(|check| check.verdict == verdict);
        of_it.count()
    };
    let (bad, warnings) = (count(Verdict::Bad), count(Verdict::Warning));
    let status = if bad == 0 { Status::Yes } else { Status::No };
    if context.printer.is_json() {
        let checks: Vec<_> = checks
            .iter()
            .map(|check| {
                json!({
                    "area": check.area, "name": check.name, "verdict": check.verdict.as_str(),
                    "message": check.message, "hint": check.hint,
                })
            })
            .collect();
        context
            .printer
            .json(&json!({ "healthy": bad == 0, "checks": checks }))?;
        return Ok(status);
    }
    let mut area = "";
    let mut text = String::new();
    for check in &checks {
        if check.area != area {
            area = check.area;
            let _ = writeln!(text, "{}", context.printer.heading(area));
        }
        let _ = writeln!(
            text,
            "  {} {}",
            check.verdict.mark(),
            visible(&check.message)
        );
        if let Some(hint) = &check.hint {
            let _ = writeln!(text, "    hint: {}", visible(hint));
        }
    }
    context.printer.data(&text)?;
    match bad {
        0 if warnings > 0 => {
            let warnings = counted(warnings, "warning");
            context
                .printer
                .note(&format!("Nothing is broken; {warnings}"));
        }
        0 => context.printer.note("Everything is in order"),
        1 => context.printer.note("1 thing is not in order"),
        count => context
            .printer
            .note(&format!("{count} things are not in order")),
    }
    Ok(status)
}
