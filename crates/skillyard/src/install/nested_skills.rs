//! Skills inside of skills that are to be installed: some agents offer them, too.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};
use skillyard_audit::{EventKind, Outcome};
use skillyard_catalog::Catalog;
use skillyard_catalog::agents::Agent;
use skillyard_catalog::nested_skills::{NestedSkill, readers};
use skillyard_install::candidate::Candidate;

use crate::context::Context;
use crate::error::CommandError;
use crate::error::install::{InstallFailure, Operation};
use crate::install::check;
use crate::install::check::Checked;
use crate::library;
use crate::library::{IndexMode, NameFilter};
use crate::scope;
use crate::text::sanitize::visible;

/// What `--accept` takes for a name inside of a skill that another one has.
pub(crate) const ACCEPT: &str = "inner-name";
/// How much of a description is shown.
const MAX_DESCRIPTION_CHARS: usize = 80;
/// Most of them that are listed.
const MAX_LINES: usize = 20;

/// The skills inside of one.
fn within(candidate: &Candidate) -> impl Iterator<Item = NestedSkill> {
    let files = candidate.tree.files().iter();
    files.filter_map(|file| NestedSkill::of(&file.path, &file.bytes))
}

/// What is said above a list of them.
pub(crate) fn heading() -> String {
    format!("Inside lie skills that {} offer, too:", names(readers()))
}

/// Each of them, with what it is for.
pub(crate) fn lines(checked: &[&Checked<'_>]) -> Vec<String> {
    let line = |candidate: &Candidate, inner: NestedSkill| {
        let short: String = inner
            .description
            .chars()
            .take(MAX_DESCRIPTION_CHARS)
            .collect();
        let more = if short.len() < inner.description.len() {
            "…"
        } else {
            ""
        };
        let (name, folder, outer) = (inner.name, inner.folder, &candidate.name);
        let line = format!("`{name}` in `{folder}` of `{outer}`: {short}{more}");
        visible(&line).into_owned()
    };
    let all = checked.iter();
    all.flat_map(|each| within(each.candidate).map(|inner| line(each.candidate, inner)))
        .collect()
}

/// Tells of them where nobody is asked.
pub(crate) fn tell(context: &Context, checked: &[&Checked<'_>]) {
    let lines = lines(checked);
    if lines.is_empty() {
        return;
    }
    let mut text = format!("warning: {}", heading());
    for line in lines.iter().take(MAX_LINES) {
        let _ = write!(text, "\n  - {line}");
    }
    if lines.len() > MAX_LINES {
        let _ = write!(text, "\n  … and {} more", lines.len() - MAX_LINES);
    }
    context.printer.note(&text);
}

/// The same for programs.
pub(crate) fn json(candidate: &Candidate) -> Value {
    let agents: Vec<&str> = readers().map(|agent| agent.id.as_str()).collect();
    let each = within(candidate).map(|inner| {
        json!({
            "name": inner.name,
            "description": inner.description,
            "folder": inner.folder,
            "agents": agents,
        })
    });
    each.collect()
}

/// Refuses a skill with one inside that is called like another skill which the same agent reads: that
/// one could be taken for it.
pub(crate) fn refuse_names(
    context: &Context,
    checked: &[Checked<'_>],
    accepted: &[String],
) -> Result<(), CommandError> {
    let all = checked.iter().map(|each| each.candidate);
    let inner = all.flat_map(|each| within(each).map(move |inner| (each, inner)));
    let inner: Vec<(&Candidate, NestedSkill)> = inner.collect();
    if inner.is_empty() || accepted.iter().any(|code| code == ACCEPT) {
        return Ok(());
    }
    let environment = &context.environment;
    let home = environment.agents_home();
    let root = scope::project(context).unwrap_or_else(|| environment.current_dir.clone());
    let used: Vec<&Agent> = readers()
        .filter(|agent| agent.is_present(home, &root))
        .collect();
    if used.is_empty() {
        return Ok(());
    }
    let catalog = library::load(context, IndexMode::Use, &NameFilter::default())?;
    for (candidate, inner) in inner {
        let reading = |at: usize| {
            let source = catalog.sources.get(at);
            let reads = |agent: &&&Agent| source.is_some_and(|source| agent.reads(source, home));
            names(used.iter().filter(reads).copied())
        };
        let taken = taken(&catalog, candidate, &inner).map(|(taken, at)| (taken, reading(at)));
        if let Some((taken, readers)) = taken.filter(|(_, readers)| !readers.is_empty()) {
            let reason = format!("`{}` inside of it is a name that is taken", inner.name);
            let event = check::about(candidate, EventKind::ScanFinding);
            let event = event.detail("code", ACCEPT).ended(Outcome::Denied, reason);
            context.record(&event)?;
            return Err(InstallFailure::InnerName {
                name: candidate.name.clone(),
                inner: inner.name.into(),
                folder: inner.folder.into(),
                taken,
                readers: readers.into(),
                deed: Operation::Installed,
            }
            .into());
        }
    }
    Ok(())
}

/// The folder and the source of another skill with the name of one inside of a skill. What a skill has
/// inside under its own name is its author's, and what is the same takes nobody's place.
fn taken(
    catalog: &Catalog,
    candidate: &Candidate,
    inner: &NestedSkill,
) -> Option<(PathBuf, usize)> {
    let other = catalog.find(&inner.name)?;
    let record = &other.record;
    if *record.name == candidate.name {
        return None;
    }
    let file = candidate.tree.get(&format!("{}/SKILL.md", inner.folder));
    let now = record.read();
    let is_same = now.is_ok_and(|now| file.is_some_and(|file| file.bytes == now));
    (!is_same).then(|| (record.folder.clone(), other.source))
}

fn names<'a>(agents: impl Iterator<Item = &'a Agent>) -> String {
    let names: Vec<&str> = agents.map(|agent| agent.name.as_str()).collect();
    names.join(", ")
}
