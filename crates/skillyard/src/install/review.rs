//! What the user sees before a stranger's skill is installed, and the question.

use std::fmt::Write as _;

use skillyard_format::tokens;
use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies::Needed;
use skillyard_install::origin::OriginKind;
use skillyard_install::plan::{Change, Plan};

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::sanitize::visible;

/// Shows what would be installed from elsewhere, and asks.
pub(crate) fn confirm(
    context: &Context,
    needed: &[Needed],
    plan: &Plan,
    yes: bool,
) -> Result<(), CommandError> {
    let is_new = |name: &str| {
        plan.changes.iter().any(|change| match change {
            Change::Added { to } => to.name == name,
            Change::Changed { from, to } => to.name == name && from.digest != to.digest,
            Change::Repaired { .. } | Change::Removed { .. } => false,
        })
    };
    let strangers: Vec<&Candidate> = needed
        .iter()
        .map(|each| &each.candidate)
        .filter(|candidate| candidate.origin.kind.is_remote() && is_new(&candidate.name))
        .collect();
    if strangers.is_empty() {
        return Ok(());
    }
    context.printer.note(&warning(&strangers));
    if yes {
        return Ok(());
    }
    if !context.printer.can_ask() {
        return Err(InstallFailure::NotAsked.into());
    }
    let answer = cliclack::confirm("Continue installation?")
        .initial_value(false)
        .interact();
    match answer {
        Ok(true) => Ok(()),
        Ok(false) => Err(CommandError::Stopped),
        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => Err(CommandError::Stopped),
        Err(error) => Err(CommandError::Output(error)),
    }
}

fn warning(candidates: &[&Candidate]) -> String {
    let mut text = String::from("⚠️  Security Warning\n────────────────────\n");
    for candidate in candidates {
        let _ = writeln!(text, "Skill: {}", visible(&candidate.name));
        let _ = writeln!(text, "Source: {}", visible(&source(candidate)));
        let _ = writeln!(text, "Trust level: {}", level(candidate.origin.kind));
        let tokens = tokens::estimate(&candidate.name) + tokens::estimate(&candidate.description);
        let _ = writeln!(text, "Prompt: about {tokens} tokens in every prompt\n");
    }
    text.push_str(
        "This skill is from an unverified source. It may contain:\n\
         - Malicious scripts that execute on your system\n\
         - Code that accesses sensitive files or credentials\n\
         - Network calls to external services\n",
    );
    let scripts: Vec<String> = candidates
        .iter()
        .flat_map(|each| scripts(each, candidates.len()))
        .collect();
    if scripts.is_empty() {
        text.push_str("\nNo scripts will be installed.\n");
    } else {
        text.push_str("\nThe following scripts will be installed:\n");
        for script in scripts {
            let _ = writeln!(text, "  - {script}");
        }
    }
    let blocked = candidates.iter().any(|each| is_blocked(each.origin.kind));
    text.push_str(if blocked {
        "\nScript execution is BLOCKED by default for untrusted sources.\n"
    } else {
        "\nScripts run only in the sandbox, and only after you agreed.\n"
    });
    text
}

fn source(candidate: &Candidate) -> String {
    match &candidate.origin.commit {
        Some(commit) => format!("{} ({})", candidate.source, super::changes::short(commit)),
        None => candidate.source.clone(),
    }
}

fn level(kind: OriginKind) -> &'static str {
    match kind {
        OriginKind::LocalFolder | OriginKind::LocalArchive | OriginKind::Registry => "MEDIUM",
        OriginKind::Git => "LOW",
        OriginKind::Archive | OriginKind::WellKnown => "UNTRUSTED",
    }
}

fn is_blocked(kind: OriginKind) -> bool {
    matches!(kind, OriginKind::Archive | OriginKind::WellKnown)
}

/// The scripts of a skill with their sizes.
fn scripts(candidate: &Candidate, of: usize) -> Vec<String> {
    let files = candidate.tree.files().iter();
    files
        .filter(|file| file.path.starts_with("scripts/") || file.executable)
        .map(|file| {
            let path = visible(&file.path);
            let size = size(file.bytes.len());
            match of {
                1 => format!("{path} ({size})"),
                _ => format!("{}/{path} ({size})", visible(&candidate.name)),
            }
        })
        .collect()
}

/// A size in the words of the seed: `1.2 KB`.
fn size(bytes: usize) -> String {
    let tenths = (bytes * 10).div_ceil(1024);
    match tenths / 10 {
        0..1024 => format!("{}.{} KB", tenths / 10, tenths % 10),
        kilobytes => format!("{}.{} MB", kilobytes / 1024, kilobytes % 1024 * 10 / 1024),
    }
}
