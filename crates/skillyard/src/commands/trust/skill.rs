//! `skillyard trust NAME`: what is approved of one skill.

use std::path::Path;

use serde_json::{Value, json};
use skillyard_agent::script::beginning;
use skillyard_audit::{Event, EventKind};
use skillyard_catalog::CatalogSkill;
use skillyard_catalog::resource::{FileListing, ResourceEntry, SkillRoot, digest};
use skillyard_catalog::source::SourceKind;
use skillyard_format::allowed_tools::AllowedTools;
use skillyard_format::package::Digest;
use skillyard_format::script::is_script;
use skillyard_trust::approval::{ApprovalChange, SkillApproval, is_host};
use skillyard_trust::verdict::OptIn;

use crate::commands::trust::TrustArgs;
use crate::context::Context;
use crate::error::trust::TrustFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::files;
use crate::library::permission::Permissions;
use crate::question::agreed;
use crate::text::sanitize::visible;
use crate::text::tilde;

/// How many scripts are shown before an approval.
const MAX_SCRIPTS: usize = 40;

/// Shows what is to be approved of a skill, asks, and writes it down.
pub(crate) fn approve(
    context: &Context,
    file: &Path,
    args: &TrustArgs,
    skill: &CatalogSkill,
) -> Outcome {
    let name = &skill.record.name;
    if skill.kind == SourceKind::Builtin {
        return Err(TrustFailure::Builtin(name.clone()).into());
    }
    if !args.has_scope() && !context.printer.can_ask() {
        return Err(TrustFailure::NoScope(name.clone()).into());
    }
    if let Some(host) = args.network.iter().find(|host| !is_host(host)) {
        return Err(TrustFailure::Host(host.clone()).into());
    }
    if let Some(tool) = args.tools.iter().find(|tool| !is_tool(tool)) {
        return Err(TrustFailure::Tool(tool.clone()).into());
    }
    let root = SkillRoot::open(&skill.record.folder).map_err(CommandError::Resource)?;
    let digest = digest(&root).map_err(CommandError::Resource)?;
    let permissions = Permissions::load(context)?;
    let provenance = permissions.provenance(skill);
    if !args.network.is_empty()
        && let Some(lock) = permissions.offline_lock(context, &provenance)?
    {
        let skill = name.clone();
        return Err(TrustFailure::Offline { skill, lock }.into());
    }
    let approval = wanted(context, args, name, digest, &permissions);
    let scripts = scripts(&root)?;
    if !context.printer.is_json() {
        context
            .printer
            .people(&shown(context, skill, &approval, &scripts, &permissions));
    }
    if !args.yes {
        confirm(context, name)?;
    }
    context.ready_to_record()?;
    files::change_approvals(file, &ApprovalChange::ApproveSkill(&approval))?;
    let event = Event::new(EventKind::ApprovalGranted)
        .skill(&approval.name)
        .digest(approval.digest.to_string())
        .trigger("user")
        .detail("scope", described(&approval));
    context.record(&event)?;
    let decision = permissions.decide(skill, Some(&approval), OptIn::No);
    if context.printer.is_json() {
        let scripts: Vec<Value> = scripts
            .iter()
            .map(|file| json!({ "path": file.path, "size": file.size }))
            .collect();
        context.printer.json(&json!({
            "skill": approval_json(&approval),
            "files": scripts,
            "permission": { "decision": decision.as_str(), "reason": decision.reason() },
        }))?;
        return Ok(ExitStatus::Success);
    }
    let line = format!(" + {name}  {}\n", described(&approval));
    context.printer.data(&visible(&line))?;
    if approval.scripts && decision.as_str() != "run" {
        context.printer.note(&format!(
            "Its scripts are still blocked: {}",
            visible(decision.reason())
        ));
        if let Some(hint) = &decision.hint {
            context.printer.note(hint);
        }
    } else {
        context
            .printer
            .note("This holds for exactly these files: a changed byte asks again");
    }
    Ok(ExitStatus::Success)
}

/// Whether a word names tools as the guard reads them; what it cannot read would spoil the rest.
fn is_tool(word: &str) -> bool {
    let tools = AllowedTools::parse(word);
    !tools.unbalanced && !tools.patterns.is_empty()
}

/// What is approved now, together with what was approved of these files before.
fn wanted(
    context: &Context,
    args: &TrustArgs,
    name: &str,
    digest: Digest,
    permissions: &Permissions,
) -> SkillApproval {
    let before = permissions.approval(name, Some(&digest));
    let joined = |new: &[String], old: Option<&Vec<String>>| {
        let mut all: Vec<String> = old.into_iter().flatten().chain(new).cloned().collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    SkillApproval {
        name: name.to_owned(),
        digest,
        // Who says nothing more is asked about the scripts.
        scripts: args.scripts || !args.has_scope() || before.is_some_and(|before| before.scripts),
        network: joined(&args.network, before.map(|before| &before.network)),
        tools: joined(&args.tools, before.map(|before| &before.tools)),
        approved_at: jiff::Timestamp::now()
            .round(jiff::Unit::Second)
            .unwrap_or_default()
            .to_string(),
        approved_by: Some(context.environment.user.clone()),
    }
}

/// The files of a skill that could be run.
fn scripts(root: &SkillRoot) -> Result<Vec<ResourceEntry>, CommandError> {
    let files = root.list(None).and_then(FileListing::complete);
    let mut files = files.map_err(CommandError::Resource)?;
    files.retain(|file| {
        let start = beginning(&root.path().join(&file.path));
        is_script(&file.path, file.executable, &start)
    });
    Ok(files)
}

/// What the user is about to approve.
fn shown(
    context: &Context,
    skill: &CatalogSkill,
    approval: &SkillApproval,
    scripts: &[ResourceEntry],
    permissions: &Permissions,
) -> String {
    let provenance = permissions.provenance(skill);
    let tier = permissions.verdict(&provenance).tier.as_str();
    let home = context.environment.home.as_deref();
    let mut lines = vec![
        format!("{}: {provenance}, tier {tier}", skill.record.name),
        format!("  folder   {}", tilde(&skill.record.folder, home)),
        format!("  digest   {}", approval.digest),
    ];
    if let Some(reason) = permissions.revoked(Some(skill.kind), &skill.record.folder) {
        lines.push(format!(
            "  revoked  {reason}: it is not used, whatever is approved"
        ));
    }
    if approval.scripts {
        lines.push(match scripts.len() {
            1 => "  scripts  1 file".to_owned(),
            count => format!("  scripts  {count} files"),
        });
        for file in scripts.iter().take(MAX_SCRIPTS) {
            lines.push(format!("  {:>9}  {}", file.size, file.path));
        }
        if scripts.len() > MAX_SCRIPTS {
            lines.push(format!(
                "             and {} more",
                scripts.len() - MAX_SCRIPTS
            ));
        }
    }
    if !approval.network.is_empty() {
        lines.push(format!("  network  {}", approval.network.join(" ")));
    }
    if !approval.tools.is_empty() {
        lines.push(format!("  tools    {}", approval.tools.join(" ")));
    }
    let lines: Vec<_> = lines
        .iter()
        // A name with a line break must not look like a line of ours.
        .map(|line| visible(&line.replace('\n', "\\n")).into_owned())
        .collect();
    lines.join("\n")
}

fn confirm(context: &Context, name: &str) -> Result<(), CommandError> {
    if !context.printer.can_ask() {
        return Err(TrustFailure::NoAnswer.into());
    }
    let question = format!("Approve this for `{name}`?");
    agreed(&context.printer, &question)
}

/// An approval for programs.
pub(crate) fn approval_json(approval: &SkillApproval) -> Value {
    json!({
        "name": approval.name,
        "digest": approval.digest.to_string(),
        "scripts": approval.scripts,
        "network": approval.network,
        "tools": approval.tools,
        "approved_at": approval.approved_at,
        "approved_by": approval.approved_by,
    })
}

/// What was approved, when and by whom, on one line.
pub(crate) fn described(approval: &SkillApproval) -> String {
    let mut parts = Vec::new();
    if approval.scripts {
        parts.push("scripts".to_owned());
    }
    if !approval.network.is_empty() {
        parts.push(format!("network {}", approval.network.join(" ")));
    }
    if !approval.tools.is_empty() {
        parts.push(format!("tools {}", approval.tools.join(" ")));
    }
    format!("{} {}", parts.join(", "), approval.when())
}
