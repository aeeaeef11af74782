//! `skillyard list --installed`.

use std::fmt::Write as _;

use serde_json::json;
use skillyard_catalog::{Catalog, CatalogSkill, Status as Standing};
use skillyard_install::LeftFolder;
use skillyard_install::lockfile::Locked;

use crate::commands::list::{length, mark, trust_remedy};
use crate::context::Context;
use crate::error::install::lock_hint;
use crate::error::{ExitStatus, Outcome};
use crate::install::orphaned_targets;
use crate::install::revoked::Revoked;
use crate::library::installed::{Installed, provenance_of};
use crate::library::signers::warn_where_unknown;
use crate::scope;
use crate::text::counted;
use crate::text::sanitize::visible;

/// The widest column of names.
const WIDEST: usize = 40;

/// More are only counted.
const MAX_NAMED: usize = 10;

/// What was installed, each with where it came from, and what is locked and in no folder, because it
/// is revoked. A lock of a project that cannot be read keeps nothing back but what it names.
pub(crate) fn run(context: &Context, catalog: Catalog, revoked: &[Revoked]) -> Outcome {
    warn_where_unknown(context);
    let installed = Installed::readable(context)?;
    let unread = Installed::unread(context);
    let is_untrusted = |skill: &CatalogSkill| skill.status == Standing::Untrusted;
    let remedy = catalog.skills.iter().any(is_untrusted);
    let remedy = remedy.then(|| trust_remedy(context, &catalog));
    let shadowed = catalog.shadowed.into_iter().map(|loser| loser.skill);
    let mut skills = Vec::new();
    for skill in catalog.skills.into_iter().chain(shadowed) {
        if let Some(entry) = installed.own_entry(&skill.record.folder) {
            skills.push((skill, entry.into_owned()));
        }
    }
    let mut missing = installed.missing();
    // Those are told apart.
    missing.retain(|name| revoked.iter().all(|each| each.name != *name));
    skills.sort_by(|(one, _), (other, _)| one.record.name.cmp(&other.record.name));
    if context.printer.is_json() {
        let skills: Vec<_> = skills.iter().map(as_json).collect();
        let unread: Vec<String> = unread.iter().map(ToString::to_string).collect();
        let is_whole = unread.is_empty();
        let left: Vec<_> = orphaned_targets::all(context)
            .iter()
            .flat_map(left_json)
            .collect();
        let answer = json!({ "skills": skills, "missing": missing, "revoked": revoked, "unreadable": unread, "left": left });
        context.printer.json(&answer)?;
        return Ok(ExitStatus::from_answer(is_whole));
    }
    let names = skills.iter().map(|(skill, _)| length(&skill.record.name));
    let width = names.max().unwrap_or_default().min(WIDEST);
    let mut text = String::new();
    for (skill, entry) in &skills {
        let (name, from) = (visible(&skill.record.name), from(entry));
        let padding = " ".repeat(width.saturating_sub(length(&name)));
        let _ = writeln!(text, "{} {name}{padding}  {}", mark(skill), visible(&from));
    }
    context.printer.data(&text)?;
    Revoked::tell(context, revoked);
    for error in &unread {
        let line = format!(" ! {error} ({})", lock_hint(error, None));
        context.printer.people(&visible(&line));
    }
    let mut line = format!("{} installed", counted(skills.len(), "skill"));
    let untrusted = skills.iter().filter(|(skill, _)| is_untrusted(skill));
    let untrusted = untrusted.count();
    if let Some(remedy) = remedy.filter(|_| untrusted > 0) {
        let _ = write!(
            line,
            "; {untrusted} of a project that is not trusted ({remedy})"
        );
    }
    context.printer.note(&visible(&line));
    if !missing.is_empty() {
        let remedies = scope::remedies(context, &missing).join(" and ");
        let names: Vec<&str> = missing.into_iter().collect();
        let them = if names.len() == 1 { "it" } else { "them" };
        let names = match names.len() {
            0..=MAX_NAMED => names.join(", "),
            count => counted(count, "skill"),
        };
        let line = format!(" ! locked, and not here: {names} (get {them} with {remedies})");
        context.printer.people(&visible(&line));
    }
    orphaned_targets::tell(context, &orphaned_targets::all(context));
    Ok(ExitStatus::from_answer(unread.is_empty()))
}

/// The skills in a folder that no variable names any more.
fn left_json(left: &LeftFolder) -> Vec<serde_json::Value> {
    let entries = left.record.skills().iter();
    let each = entries.map(|entry| {
        json!({
            "name": entry.name,
            "path": left.folder.join(&entry.name).to_string_lossy(),
            "reference": entry.reference(),
            "digest": entry.digest.to_string(),
        })
    });
    each.collect()
}

/// Where a skill came from, in one line.
fn from(entry: &Locked) -> String {
    let reference = entry.reference();
    match (&entry.version, &entry.commit) {
        (Some(version), _) if !reference.contains(version.as_str()) => {
            format!("{reference} ({version})")
        }
        (None, Some(commit)) => {
            let short = commit.get(..12).unwrap_or(commit);
            format!("{reference} ({short})")
        }
        _ => reference,
    }
}

fn as_json((skill, entry): &(CatalogSkill, Locked)) -> serde_json::Value {
    json!({
        "name": skill.record.name,
        "source": skill.kind.as_str(),
        "path": skill.record.folder.to_string_lossy(),
        "status": skill.status.as_str(),
        "reference": entry.reference(),
        "provenance": provenance_of(entry),
        "version": entry.version,
        "commit": entry.commit,
        "digest": entry.digest.to_string(),
    })
}
