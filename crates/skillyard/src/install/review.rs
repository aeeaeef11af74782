//! What the user sees before a stranger's skill is installed, and the question.

use std::fmt::Write as _;

use serde_json::{Value, json};
use skillyard_format::tokens;
use skillyard_install::candidate::Candidate;
use skillyard_install::tree::TreeFile;
use skillyard_trust::tier::Scripts;

use super::check::{Checked, described};
use crate::context::Context;
use crate::error::CommandError;
use crate::question::must_agree;
use crate::sanitize::visible;

/// Most findings and scripts that are listed.
const MOST: usize = 20;

/// Whether policy wants a question before these are installed.
pub(crate) fn asks(checked: &[Checked<'_>]) -> bool {
    checked.iter().any(|each| each.verdict.ask.on_install())
}

/// Shows what was found, and what would be installed where policy wants a question.
pub(crate) fn show(context: &Context, checked: &[Checked<'_>]) {
    for each in checked {
        for finding in each.findings().iter().take(MOST) {
            let name = &each.candidate.name;
            context
                .printer
                .detail(&visible(&format!("{name}: {}", described(finding))));
        }
    }
    if asks(checked) {
        let strangers = checked.iter().filter(|each| each.verdict.ask.on_install());
        let strangers: Vec<&Checked<'_>> = strangers.collect();
        context.printer.note(&warning(&strangers));
    }
}

/// What people are shown, for programs that decide.
pub(crate) fn json(checked: &[Checked<'_>]) -> Value {
    let one = |each: &Checked<'_>| {
        let candidate = each.candidate;
        let scripts: Vec<Value> = scripts_of(candidate)
            .map(|file| json!({ "path": file.path, "bytes": file.bytes.len() }))
            .collect();
        json!({
            "name": candidate.name,
            "tier": each.verdict.tier.as_str(),
            "asks": each.verdict.ask.on_install(),
            "signer": each.signer(),
            "scripts": scripts,
            "findings": each.findings(),
            "prompt_tokens": prompt_tokens(candidate),
        })
    };
    checked.iter().map(one).collect()
}

/// The same, and asks.
pub(crate) fn confirm(
    context: &Context,
    checked: &[Checked<'_>],
    yes: bool,
) -> Result<(), CommandError> {
    show(context, checked);
    if yes || !asks(checked) {
        return Ok(());
    }
    must_agree(context, "Continue installation?")
}

fn warning(checked: &[&Checked<'_>]) -> String {
    let mut text = String::from("⚠️  Security Warning\n────────────────────\n");
    for each in checked {
        about(each, &mut text);
    }
    text.push_str(
        "This skill is from an unverified source. It may contain:\n\
         - Malicious scripts that execute on your system\n\
         - Code that accesses sensitive files or credentials\n\
         - Network calls to external services\n",
    );
    let scripts: Vec<String> = checked
        .iter()
        .flat_map(|each| scripts(each, checked.len()))
        .collect();
    listed(
        &mut text,
        "The following scripts will be installed:",
        "No scripts will be installed.",
        &scripts,
    );
    let findings: Vec<String> = checked
        .iter()
        .flat_map(|each| each.findings().iter())
        .map(|finding| visible(&described(finding)).into_owned())
        .collect();
    listed(
        &mut text,
        "The scanner found:",
        "The scanner found nothing.",
        &findings,
    );
    text.push_str(allowed(checked));
    text
}

fn about(checked: &Checked<'_>, text: &mut String) {
    let candidate = checked.candidate;
    let _ = writeln!(text, "Skill: {}", visible(&candidate.name));
    let source = match &candidate.origin.commit {
        Some(commit) => format!("{} ({})", candidate.source, super::changes::short(commit)),
        None => candidate.source.clone(),
    };
    let _ = writeln!(text, "Source: {}", visible(&source));
    let tier = checked.verdict.tier.as_str().to_uppercase();
    let _ = writeln!(text, "Trust level: {tier}");
    let signed = match (checked.signer(), checked.verification.reason()) {
        (Some(signer), _) => format!("by {signer}, whom you trust"),
        (None, Some(reason)) => reason,
        (None, None) => "no".to_owned(),
    };
    let _ = writeln!(text, "Signed: {}", visible(&signed));
    let tokens = prompt_tokens(candidate);
    let _ = writeln!(text, "Prompt: about {tokens} tokens in every prompt\n");
}

/// What will be allowed, in the words that fit the strictest of them.
fn allowed(checked: &[&Checked<'_>]) -> &'static str {
    let has = |scripts: Scripts| checked.iter().any(|each| each.verdict.scripts == scripts);
    if has(Scripts::Blocked) {
        "\nScript execution is BLOCKED by default for untrusted sources.\n"
    } else if has(Scripts::SandboxedOffline) {
        "\nScripts run only in the sandbox, without network, and only after you agreed.\n"
    } else {
        "\nScripts run only in the sandbox.\n"
    }
}

fn listed(text: &mut String, heading: &str, none: &str, lines: &[String]) {
    if lines.is_empty() {
        let _ = writeln!(text, "\n{none}");
        return;
    }
    let _ = writeln!(text, "\n{heading}");
    for line in lines.iter().take(MOST) {
        let _ = writeln!(text, "  - {line}");
    }
    if lines.len() > MOST {
        let _ = writeln!(text, "  … and {} more", lines.len() - MOST);
    }
}

/// How many tokens every prompt has for it.
fn prompt_tokens(candidate: &Candidate) -> usize {
    tokens::estimate(&candidate.name) + tokens::estimate(&candidate.description)
}

fn scripts_of(candidate: &Candidate) -> impl Iterator<Item = &TreeFile> {
    let files = candidate.tree.files().iter();
    files.filter(|file| file.path.starts_with("scripts/") || file.executable)
}

/// The scripts of a skill with their sizes.
fn scripts(checked: &Checked<'_>, of: usize) -> Vec<String> {
    let candidate = checked.candidate;
    scripts_of(candidate)
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

/// A size as people read it: `1.2 KB`.
fn size(bytes: usize) -> String {
    let tenths = (bytes * 10).div_ceil(1024);
    match tenths / 10 {
        0..1024 => format!("{}.{} KB", tenths / 10, tenths % 10),
        kilobytes => format!("{}.{} MB", kilobytes / 1024, kilobytes % 1024 * 10 / 1024),
    }
}
