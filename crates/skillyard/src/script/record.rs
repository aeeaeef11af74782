//! What is written down about a script that ran.

use std::fmt::Write as _;

use serde_json::json;
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_format::package::Digest;
use skillyard_sandbox::{Captured, End, Outcome as Ran};

use super::approval::{self, Request};
use super::profile::{self, Plan};

/// The event of a run.
pub(crate) fn event(request: &Request<'_>, ran: &Ran, plan: &Plan, script: Digest) -> Event {
    let event = approval::event(request, EventKind::ScriptExecuted)
        .detail("script_digest", script.to_string())
        .detail("argv", json!(profile::argv(&plan.command)).to_string())
        .detail("backend", ran.backend.as_str())
        .detail("exit_code", ran.code().to_string())
        .detail("stdout", output_digest(&ran.stdout))
        .detail("stderr", output_digest(&ran.stderr))
        .detail("limits", profile::limits_json(&ran.limits).to_string())
        .detail("denials", ran.denials.len().to_string());
    match ran.end {
        End::Exited(0) => event,
        End::Exited(code) => event.ended(Outcome::Failed, format!("it exited with {code}")),
        End::Signalled(signal) => event.ended(Outcome::Failed, format!("signal {signal}")),
        End::Stopped(limit) => event.ended(Outcome::Failed, limit.to_string()),
        End::Cancelled => event.ended(Outcome::Failed, "it was cancelled"),
    }
}

/// The digest of everything that was written, also of what was left out.
pub(crate) fn output_digest(captured: &Captured) -> String {
    let start = String::from("sha256:");
    captured.sha256.iter().fold(start, |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
