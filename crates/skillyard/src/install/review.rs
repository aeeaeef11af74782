//! What the user sees before a stranger's skill is installed, and the question.

mod warning;

use serde_json::{Value, json};
use skillyard_audit::{Event, EventKind, Outcome};
use skillyard_catalog::prompt::entry_tokens;
use skillyard_format::script::is_script;
use skillyard_install::candidate::Candidate;
use skillyard_install::origin::OriginKind;
use skillyard_install::plan::Plan;
use skillyard_install::tree::TreeFile;

use self::warning::warning;
use super::changes::of_what_is_there;
use super::check::{self, Checked};
use super::{findings, left_out, validation};
use crate::context::Context;
use crate::error::CommandError;
use crate::install::nested_skills;
use crate::question::{self, must_agree};
use crate::text::sanitize::visible;

/// Most findings, scripts and names that are listed.
const MAX_SHOWN_SKILLS: usize = 20;

/// Whether policy wants a question before these are installed.
pub(crate) fn asks(checked: &[Checked<'_>]) -> bool {
    checked.iter().any(|each| each.verdict.ask.on_install())
}

/// Shows what was found, and what would be installed where policy wants a question.
pub(crate) fn show(context: &Context, checked: &[Checked<'_>]) {
    let all = checked.iter();
    let (strangers, others): (Vec<&Checked<'_>>, Vec<&Checked<'_>>) =
        all.partition(|each| each.verdict.ask.on_install());
    for each in &strangers {
        for finding in each.findings().iter().take(MAX_SHOWN_SKILLS) {
            context.printer.detail(&findings::line(each, finding));
        }
    }
    findings::tell(context, others.iter().copied());
    validation::tell(context, &others);
    for line in compatibility(&others).iter().take(MAX_SHOWN_SKILLS) {
        context.printer.note(&format!("Compatibility of {line}"));
    }
    for line in pointers(&others).iter().take(MAX_SHOWN_SKILLS) {
        let note = format!("warning: {line} is kept in git LFS, and only its pointer comes");
        context.printer.note(&note);
    }
    nested_skills::tell(context, &others);
    left_out::tell(context, checked);
    for line in secrets(checked).iter().take(MAX_SHOWN_SKILLS) {
        let note = format!("warning: {line} may hold secrets");
        context.printer.note(&note);
    }
    if !strangers.is_empty() {
        context.printer.note(&warning(&strangers));
    }
}

/// What people are shown, for programs that decide.
pub(crate) fn json<'c>(checked: impl IntoIterator<Item = &'c Checked<'c>>) -> Value {
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
            "older": each.verification.step_back().map(ToString::to_string),
            "compatibility": candidate.compatibility,
            "scripts": scripts,
            "inner": nested_skills::json(candidate),
            "left_out": candidate.tree.left_out(),
            "ignored": candidate.tree.ignored(),
            "may_hold_secrets": secrets_of(candidate).collect::<Vec<_>>(),
            "lfs_pointers": pointers_of(candidate).collect::<Vec<_>>(),
            "findings": each.findings(),
            "problems": validation::json(each),
            "prompt_tokens": prompt_tokens(candidate),
        })
    };
    checked.into_iter().map(one).collect()
}

/// The same, and asks.
pub(crate) fn confirm(
    context: &Context,
    checked: &[Checked<'_>],
    plan: &Plan,
    yes: bool,
) -> Result<(), CommandError> {
    show(context, checked);
    if yes || !asks(checked) {
        return Ok(());
    }
    let along = of_what_is_there(plan);
    if !along.is_empty() {
        let along = along.trim_end();
        let note = format!("Of the skills that are there, this changes:\n{along}");
        context.printer.note(&note);
    }
    let answer = must_agree(context, "Continue installation?");
    let reason = match answer {
        Err(CommandError::Declined) => Some("the user does not want it installed"),
        Err(CommandError::Stopped) => Some(question::UNANSWERED),
        _ => None,
    };
    if let Some(reason) = reason {
        let asked = checked.iter().filter(|each| each.verdict.ask.on_install());
        let denied = asked.map(|each| {
            check::about(each.candidate, EventKind::ApprovalDenied)
                .tier(each.verdict.tier.as_str())
                .ended(Outcome::Denied, reason)
        });
        let denied: Vec<Event> = denied.collect();
        context.recorder()?.record_all(&denied)?;
    }
    answer
}

/// What skills say that they need around them.
fn compatibility(checked: &[&Checked<'_>]) -> Vec<String> {
    let stated = checked.iter().filter_map(|each| {
        let text = each.candidate.compatibility.as_deref()?;
        let line = format!("`{}`: {text}", each.candidate.name);
        Some(visible(&line).into_owned())
    });
    stated.collect()
}

/// The files that skills have only as pointers, with the skills.
fn pointers(checked: &[&Checked<'_>]) -> Vec<String> {
    let found = checked.iter().flat_map(|each| {
        let name = &each.candidate.name;
        pointers_of(each.candidate).map(move |path| format!("`{path}` of `{name}`"))
    });
    found.map(|line| visible(&line).into_owned()).collect()
}

/// The files that a skill has only as pointers.
pub(crate) fn pointers_of(candidate: &Candidate) -> impl Iterator<Item = &str> {
    let files = candidate.tree.files().iter();
    files
        .filter(|file| is_pointer(&file.bytes))
        .map(|file| file.path.as_str())
}

/// The files that may hold secrets, with the skills.
fn secrets(checked: &[Checked<'_>]) -> Vec<String> {
    let found = checked.iter().flat_map(|each| {
        let name = &each.candidate.name;
        secrets_of(each.candidate).map(move |path| format!("`{path}` of `{name}`"))
    });
    found.map(|line| visible(&line).into_owned()).collect()
}

/// The files of a folder that may hold secrets. What came from elsewhere is known there already.
fn secrets_of(candidate: &Candidate) -> impl Iterator<Item = &str> {
    let is_own = candidate.origin.kind == OriginKind::LocalFolder;
    let files = candidate.tree.may_hold_secrets();
    files.filter(move |_| is_own)
}

/// Whether a file only says what is kept elsewhere by git LFS, which no archive and no commit has.
fn is_pointer(bytes: &[u8]) -> bool {
    const START: &[u8] = b"version https://git-lfs.github.com/spec/";
    // A pointer is shorter than that, says its specification.
    bytes.len() < 1024 && bytes.starts_with(START)
}

/// How many tokens every prompt has for it; none where models are not told of it.
pub(crate) fn prompt_tokens(candidate: &Candidate) -> usize {
    if candidate.model_invocable {
        entry_tokens(&candidate.name, &candidate.description)
    } else {
        0
    }
}

/// The files of a skill that could be run.
pub(crate) fn scripts_of(candidate: &Candidate) -> impl Iterator<Item = &TreeFile> {
    let files = candidate.tree.files().iter();
    files.filter(|file| is_script(&file.path, file.executable, &file.bytes))
}
