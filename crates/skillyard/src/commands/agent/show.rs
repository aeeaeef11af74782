//! `skillyard agent show`.

use std::fmt::Write as _;

use serde_json::json;
use skillyard_agent::agent::Drift;
use skillyard_agent::settings::AgentLimits;
use skillyard_agent::tool_spec::WorkspaceTools;

use super::{Outcome, as_json, hash};
use crate::agent::settings::{all_skills, missing, store};
use crate::context::Context;
use crate::error::ExitStatus;
use crate::error::agent::AgentFailure;
use crate::text::counted;
use crate::text::sanitize::visible;

/// Show an agent, and whether its skills are still what they were
///
/// Examples:
///   skillyard agent show helper
///   skillyard agent show helper --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct AgentShowArgs {
    /// The agent
    name: String,
}

pub(super) fn run(context: &Context, args: &AgentShowArgs) -> Outcome {
    let kept = store(context)
        .load(&args.name)
        .map_err(AgentFailure::from)?;
    let shelf = all_skills(context)?;
    let skills = kept.definition.drift(&shelf);
    if context.printer.is_json() {
        let mut value = as_json(&kept);
        let skills = skills
            .iter()
            .map(|(pin, drift)| {
                let reason = (*drift == Drift::Missing).then(|| missing(&shelf, &pin.name, None));
                json!({ "name": pin.name, "digest": pin.digest, "drift": drift, "reason": reason, "reference": pin.reference })
            });
        value["skills"] = skills.collect();
        context.printer.json(&value)?;
        return Ok(ExitStatus::Success);
    }
    let definition = &kept.definition;
    let mut text = format!("{}@{}\n", kept.name, kept.version);
    let mut row = |label: &str, value: &str| {
        if !value.is_empty() {
            let _ = writeln!(
                text,
                "  {label:<13} {}",
                value.replace('\n', "\n                ")
            );
        }
    };
    row("description", &definition.description);
    row("model", &definition.model);
    row(
        "strategy",
        &format!("{:?}", definition.strategy).to_lowercase(),
    );
    row(
        "router",
        definition.router_model.as_deref().unwrap_or_default(),
    );
    row("instructions", &definition.instructions);
    row("mcp servers", &definition.mcp.join(", "));
    if definition.workspace == WorkspaceTools::None {
        row("workspace", "no tools for its files");
    }
    row("limits", &limits(&definition.limits));
    row("hash", &hash(&kept));
    row("skills", &definition.patterns.join(", "));
    row("never", &definition.denied.join(", "));
    for (pin, drift) in &skills {
        let state = match drift {
            Drift::Same => String::new(),
            Drift::Changed { .. } => "  (changed since)".into(),
            Drift::Missing => format!("  ({})", missing(&shelf, &pin.name, None)),
        };
        row("skill", &format!("{}  {}{state}", pin.name, pin.digest));
    }
    context.printer.data(&visible(&text))?;
    if skills.iter().any(|(_, drift)| *drift != Drift::Same) {
        context.printer.note(&format!(
            "Take the skills as they are now with `skillyard agent skill add {} NAME`",
            visible(&kept.name)
        ));
    }
    Ok(ExitStatus::Success)
}

/// The limits that people set, in words; no number stands for none.
fn limits(limits: &AgentLimits) -> String {
    let tokens = match limits.session_tokens {
        0 => String::new(),
        tokens => format!(", {tokens} tokens a session"),
    };
    let steps = counted(limits.steps, "step");
    let runs = counted(limits.runs, "run");
    let mut text = format!("{steps} a turn, {runs} a session{tokens}");
    for (what, tokens) in [
        ("context", limits.context_tokens),
        ("catalog", limits.catalog_tokens),
    ] {
        if tokens > 0 {
            let _ = write!(text, ", {what} of {tokens} tokens");
        }
    }
    if limits.skill_tokens > 0 {
        let _ = write!(text, ", {} tokens of a skill", limits.skill_tokens);
    }
    if limits.skill_runs > 0 {
        let _ = write!(text, ", {} of a skill", counted(limits.skill_runs, "run"));
    }
    text
}
