//! `skillyard run --explain`.

use std::fmt::Write as _;

use serde_json::json;
use skillyard_agent::script::Copy;
use skillyard_sandbox::{Backend, Commands, MountAccess};

use super::run_told::seconds;
use crate::context::Context;
use crate::error::CommandError;
use crate::sanitize::visible;
use crate::script::place::SkillPlace;
use crate::script::profile::{self, Plan};

/// What it could do, for people or programs.
pub(super) fn explain(
    context: &Context,
    skill: &SkillPlace,
    script: &str,
    copy: &Copy,
    plan: &Plan,
    narrowed: &[String],
    backend: Backend,
) -> Result<(), CommandError> {
    let cannot = backend.cannot(&plan.profile);
    if context.printer.is_json() {
        let mut value = profile::as_json(plan, backend);
        value["skill"] = json!(skill.name);
        value["digest"] = json!(copy.digest().to_string());
        value["script"] = json!(script);
        value["narrowed"] = json!(narrowed);
        value["unenforceable"] = json!(cannot);
        return Ok(context.printer.json(&value)?);
    }
    let mut text = String::new();
    let mut row = |label: &str, value: &str| {
        let _ = writeln!(text, "  {label:<12} {}", visible(value));
    };
    row("script", &format!("{script} of {}", skill.name));
    row("digest", &copy.digest().to_string());
    row("sandbox", backend.as_str());
    row("command", &profile::argv(&plan.command).join(" "));
    row("starts in", &plan.command.directory.to_string_lossy());
    let is_held = backend != Backend::None;
    for mount in plan.profile.mounts.iter().filter(|_| is_held) {
        let label = if mount.access == MountAccess::Write {
            "writes"
        } else {
            "reads"
        };
        row(label, &backend.place(mount).to_string_lossy());
    }
    if is_held && plan.profile.writable().next().is_some() {
        let protected = plan.profile.existing_protected().count();
        row(
            "but never",
            &format!(
                "{protected} places there that git, agents and editors obey; `--json` names them"
            ),
        );
    }
    row("reaches", &profile::reach(&plan.profile, backend));
    if let Commands::Only(programs) = &plan.profile.commands {
        let programs: Vec<_> = programs.iter().map(|each| each.to_string_lossy()).collect();
        row("starts", &programs.join(" "));
    }
    let names: Vec<_> = plan
        .profile
        .environment
        .iter()
        .map(|(name, _)| name.to_string_lossy())
        .collect();
    row("variables", &names.join(" "));
    let limits = &plan.profile.limits;
    let mib = |bytes: u64| bytes / (1024 * 1024);
    row(
        "limits",
        &format!(
            "{} of time, {} of processor time, {} MB of memory, {} processes, {} open files, {} MB a file, {} MB of temporary files, {} KB of output",
            seconds(limits.wall),
            seconds(limits.cpu),
            mib(limits.memory),
            limits.processes,
            limits.open_files,
            mib(limits.file_size),
            mib(limits.scratch),
            limits.output / 1024
        ),
    );
    for host in &plan.wished {
        row("would like", &format!("--net {host}"));
    }
    for flag in narrowed {
        row("but", flag);
    }
    for unread in &plan.unread {
        row("unread", unread);
    }
    if let Some(reason) = cannot {
        row(
            "refused",
            &format!("the sandbox `{backend}` cannot enforce this: {reason}"),
        );
    }
    Ok(context.printer.data(&text)?)
}
