//! How a script ended, as people and programs are told by `skillyard run`.

use std::time::Duration;

use serde_json::{Value, json};
use skillyard_sandbox::{Captured, Denial, Limit, Outcome as Ran, RunEnd};

use crate::context::Context;
use crate::script::profile::{self, Made, ScriptPlan};
use crate::script::record::{self, exposed};
use crate::text::sanitize::visible;

/// Tells people before a run what of the skill's own wishes, and of their own, is not kept.
pub(crate) fn tell_unread<'a>(context: &Context, unread: impl Iterator<Item = &'a String>) {
    for unread in unread {
        context
            .printer
            .note(&format!("sandbox: {}", visible(unread)));
    }
}

/// Tells people what they would miss.
pub(crate) fn tell(context: &Context, ran: &Ran, plan: &ScriptPlan, made: &Made) {
    for denial in &ran.denials {
        let text = match denial {
            Denial::Limit(Limit::WallTime) => {
                format!("it was ended after {}", seconds(ran.limits.wall))
            }
            Denial::Limit(Limit::Output) => format!(
                "its output was cut: {} bytes of it were left out, and {} is the limit",
                ran.stdout.omitted() + ran.stderr.omitted(),
                ran.limits.output
            ),
            other => other.to_string(),
        };
        context
            .printer
            .note(&format!("sandbox: {}", visible(&text)));
    }
    if let Some(exposed) = exposed(ran) {
        let text = format!("look at {exposed} before git or an agent obeys it");
        context
            .printer
            .note(&format!("sandbox: {}", visible(&text)));
    }
    if let Some(made) = made.told() {
        let text = format!("it made {made}: look at it before git or an agent obeys it");
        context
            .printer
            .note(&format!("sandbox: {}", visible(&text)));
    }
    if ran.code() != 0 && !plan.wished.is_empty() {
        let hosts: Vec<String> = plan
            .wished
            .iter()
            .map(|host| format!("--net {host}"))
            .collect();
        context.printer.note(&format!(
            "The skill would like more of the network: {}",
            hosts.join(" ")
        ));
    }
    context.printer.detail(&format!(
        "{} in {}, {} MB, in the sandbox `{}`",
        ended(ran),
        seconds(ran.duration),
        ran.peak_memory / (1024 * 1024),
        ran.backend
    ));
}

fn ended(ran: &Ran) -> String {
    match ran.end {
        RunEnd::Exited(code) => format!("Ended with code {code}"),
        RunEnd::Signalled(signal) => format!("Ended by signal {signal}"),
        RunEnd::Stopped(limit) => format!("Stopped by the limit `{limit}`"),
        RunEnd::Cancelled => "Stopped".to_owned(),
    }
}

/// A time, for people.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.1}s", time.as_secs_f64())
}

/// How it ended, as programs get it.
pub(crate) fn as_json(ran: &Ran, plan: &ScriptPlan, made: &Made) -> Value {
    let (signal, stopped) = match ran.end {
        RunEnd::Exited(_) => (None, None),
        RunEnd::Signalled(signal) => (Some(signal), None),
        RunEnd::Stopped(limit) => (None, Some(limit.to_string())),
        RunEnd::Cancelled => (None, Some("cancelled".to_owned())),
    };
    let denials = ran.denials.iter().map(|denial| match denial {
        Denial::Limit(limit) => json!({ "kind": "limit", "limit": limit.to_string() }),
        Denial::Host { host, reason } => json!({ "kind": "host", "host": host, "reason": reason }),
        Denial::SystemCall => json!({ "kind": "system-call" }),
        Denial::Link { path } => {
            json!({ "kind": "link", "path": path.to_string_lossy() })
        }
        Denial::Exposed { path } => {
            json!({ "kind": "exposed", "path": path.to_string_lossy() })
        }
    });
    let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    json!({
        "skill": null,
        "digest": null,
        "script": null,
        "script_digest": null,
        "approval": null,
        "argv": profile::argv(&plan.command),
        "unread": plan.unread,
        "narrowed": null,
        "backend": ran.backend.as_str(),
        "exit_code": ran.code(),
        "signal": signal,
        "stopped": stopped,
        "stdout": output(&ran.stdout),
        "stderr": output(&ran.stderr),
        "duration_ms": milliseconds(ran.duration),
        "cpu_ms": milliseconds(ran.cpu),
        "peak_memory_bytes": ran.peak_memory,
        "limits": profile::limits_json(&ran.limits),
        "denials": denials.collect::<Vec<_>>(),
        "connections": ran.connections,
        "made": made.places.iter().map(|place| place.to_string_lossy()).collect::<Vec<_>>(),
        "made_more": made.more,
    })
}

fn output(captured: &Captured) -> Value {
    json!({
        "text": captured.text(),
        "bytes": captured.total,
        "truncated": captured.omitted() > 0,
        "digest": record::output_digest(captured),
    })
}
