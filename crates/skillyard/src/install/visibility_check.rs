//! Whether skills that were just installed are sure to be used, told without reading them again.
//!
//! Mostly they lie in the folder that comes first, with nothing beside them, and nobody said anything
//! against them. Whatever is less plain than that is left to a look at all skills.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::Path;

use skillyard_catalog::source::SourceKind;
use skillyard_catalog::walk::{WalkLimits, is_passed_over};
use skillyard_format::Severity;
use skillyard_install::lockfile::Locked;

use crate::context::Context;
use crate::error::CommandError;
use crate::install::check::Checked;
use crate::library;
use crate::library::NameFilter;
use crate::scope::ScopeContext;

/// Whether all of `new` is sure to be used. What was not checked is never sure to be.
pub(crate) fn are_used(
    context: &Context,
    place: &ScopeContext,
    new: &[&Locked],
    checked: &[Checked<'_>],
) -> Result<bool, CommandError> {
    let config = context.config()?;
    let sources = library::surroundings(context, &config).sources();
    let mut there = sources.iter();
    // The skills inside the binary have no folder, and are always there.
    let first = there.find(|source| source.kind == SourceKind::Builtin || source.root.exists());
    let Some(first) = first.filter(|first| first.kind != SourceKind::Builtin) else {
        return Ok(false);
    };
    let is_plain = config.limits() == WalkLimits::default()
        && library::selection(&config, &NameFilter::default())?.is_silent()
        && first
            .root
            .canonicalize()
            .is_ok_and(|whole| whole == first.root);
    if !is_plain {
        return Ok(false);
    }
    let checked: HashMap<&str, &Checked<'_>> = checked
        .iter()
        .map(|each| (&*each.candidate.name, each))
        .collect();
    let is_sound = |each: &Checked<'_>| {
        let mut problems = each.problems.iter();
        each.candidate.commands.is_empty()
            && !problems.any(|problem| problem.severity == Severity::Error)
    };
    let lies_there = |entry: &Locked| {
        let mut targets = entry.targets.iter();
        targets.any(|target| place.scope.target(target) == first.root)
    };
    let are_sound = new.iter().all(|entry| {
        lies_there(entry)
            && !entry.linked
            && !is_passed_over(&entry.name)
            && checked.get(&*entry.name).copied().is_some_and(is_sound)
    });
    Ok(are_sound && holds_nothing_but(&first.root, new))
}

/// Whether a folder holds the folders of these skills and nothing else.
fn holds_nothing_but(folder: &Path, skills: &[&Locked]) -> bool {
    let Ok(entries) = folder.read_dir() else {
        return false;
    };
    let mut names: HashSet<OsString> = skills.iter().map(|each| (&each.name).into()).collect();
    for entry in entries {
        let is_expected = entry.is_ok_and(|entry| {
            entry.file_type().is_ok_and(|kind| kind.is_dir()) && names.remove(&entry.file_name())
        });
        if !is_expected {
            return false;
        }
    }
    names.is_empty()
}
