//! `skillyard outdated`.

use std::fmt::Write as _;

use serde_json::{Value, json};
use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies::{self, KnownRequests, Needed, RequestedSkill, Resolved};
use skillyard_install::lockfile::{Gap, Locked, Lockfile};

use crate::context::Context;
use crate::error::install::InstallFailure;
use crate::error::{CommandError, ExitStatus, Outcome};
use crate::install::changes::{moved_tag, way};
use crate::install::deprecated::Deprecated;
use crate::install::newest::{Failed, expect, newest, refuse_other_registry};
use crate::install::revoked::Revoked;
use crate::install::source_resolver::SourceResolver;
use crate::install::version_constraints::{again, known, unresolved};
use crate::install::version_holdbacks;
use crate::install::wanted::Difference;
use crate::install::withdrawn::Withdrawn;
use crate::scope::{ScopeArgs, ScopeContext};
use crate::text::sanitize::visible;

/// List installed skills that have changed at their source
///
/// Exits with 1 when there is one, and with 2 when no source could be asked.
///
/// Examples:
///   skillyard outdated
///   skillyard outdated --scope user --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct OutdatedArgs {
    /// The skills' names; without one, all
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
}

pub(crate) fn run(context: &Context, args: &OutdatedArgs) -> Outcome {
    let place = ScopeContext::find(context, &args.scope)?;
    let lock = place.lock()?;
    let mut supply = SourceResolver::new(context, &place);
    let mut outdated: Vec<(Locked, Locked)> = Vec::new();
    let mut failed: Vec<Failed> = Vec::new();
    let difference = Difference::of(&lock, &place, &supply)?;
    let entries = chosen(&lock, &args.names)?;
    let known = known(&lock, &place, &supply)?;
    let requested = known.requested();
    let within = |entry: &Locked| requested.get(&entry.name).map(String::as_str);
    let expected = entries
        .iter()
        .map(|entry| (entry.name.as_str(), within(entry)));
    expect(&mut supply, &lock, &difference, expected);
    let mut roots: Vec<(&Locked, Candidate)> = Vec::new();
    for entry in &entries {
        // One source that cannot be reached must not hide the others.
        match offered(&mut supply, &lock, &difference, entry, within(entry)) {
            Ok(candidate) => {
                let offer = candidate.locked(Vec::new());
                if is_other(entry, &offer) {
                    outdated.push(((*entry).clone(), offer));
                }
                if !entry.dependency {
                    roots.push((entry, candidate));
                }
            }
            Err(error) => failed.push(Failed::new(context, &entry.name, &error)),
        }
    }
    let unasked = Failed::status_of(&failed, entries.len(), ExitStatus::Negative);
    failed.extend(gaps(context, &difference, &entries));
    let mut held_back = Vec::new();
    // Where nothing has changed, nobody leaves other versions than before either.
    if !outdated.is_empty()
        && let Some(resolved) = resolved(&mut supply, &place, &difference, &known, roots)
    {
        keep_what_can_be_had(
            context,
            &mut outdated,
            &mut failed,
            &resolved.needed,
            resolved.failed,
        );
        held_back = resolved.needed;
        let names = entries.iter().map(|entry| &entry.name);
        held_back.retain(|each| names.clone().any(|name| *name == each.candidate.name));
    }
    let missing = missing(&lock, &difference, &args.names);
    let withdrawn = Withdrawn::among(&mut supply, entries.iter().copied());
    let scope = args.scope.typed();
    let revoked = Revoked::among(context, &place, scope, entries.iter().copied())?;
    let printer = &context.printer;
    let is_current = outdated.is_empty()
        && failed.is_empty()
        && missing.is_empty()
        && withdrawn.is_empty()
        && revoked.is_empty();
    if printer.is_json() {
        let outdated: Vec<Value> = outdated
            .iter()
            .map(|each| as_json(each, &difference))
            .collect();
        printer.json(&json!({
            "outdated": outdated,
            "held_back": version_holdbacks::json(&held_back),
            "failed": failed,
            "missing": missing,
            "withdrawn": withdrawn,
            "deprecated": Deprecated::among(&mut supply, entries.iter().copied()),
            "revoked": revoked,
        }))?;
    } else {
        printer.data(&table(&outdated, &difference))?;
        version_holdbacks::tell(context, &held_back);
        for each in &failed {
            each.tell(context);
        }
        for each in &withdrawn {
            each.tell(context);
        }
        Revoked::tell(context, &revoked);
        for name in &missing {
            let name = visible(name);
            printer.people(&format!(
                " ! {name}: skills.toml wants it, and it is not installed"
            ));
        }
        if is_current {
            printer.note(&nothing_newer(&place, entries.len()));
        } else if !outdated.is_empty() {
            printer.note(&format!(
                "See the differences with `skillyard update --dry-run{}`",
                args.scope.typed()
            ));
        }
    }
    Ok(if is_current {
        ExitStatus::Success
    } else {
        unasked
    })
}

/// What skills.toml wants of what was asked about, and is not installed.
fn missing<'a>(lock: &Lockfile, difference: &'a Difference, names: &[String]) -> Vec<&'a String> {
    let wanted = difference.wanted.iter().map(|(name, _)| name);
    let is_asked = |name: &&String| names.is_empty() || names.contains(name);
    let missing = wanted.filter(|name| lock.get(name).is_none());
    missing.filter(is_asked).collect()
}

/// A skill that has changed at its source, for programs.
fn as_json((from, to): &(Locked, Locked), difference: &Difference) -> Value {
    json!({
        "name": from.name,
        "source": wanted(from, difference),
        "installed": { "version": from.version, "commit": from.commit, "digest": from.digest },
        "available": { "version": to.version, "commit": to.commit, "digest": to.digest },
        "moved_tag": moved_tag(from, to),
    })
}

/// What a skill is wanted by: as skills.toml has it, where the lock does not have that yet.
fn wanted(from: &Locked, difference: &Difference) -> String {
    let reference = difference.reference(&from.name);
    reference.map_or_else(|| from.reference(), str::to_owned)
}

/// What is said where nothing has changed.
fn nothing_newer(place: &ScopeContext, count: usize) -> String {
    match count {
        0 => {
            let scope = place.scope.kind.as_str();
            format!("No skills are installed ({scope} scope)")
        }
        1 => "1 skill is up to date".to_owned(),
        count => format!("All {count} skills are up to date"),
    }
}

/// The newest state of a skill, if it is of the registry that the skill was locked from.
fn offered(
    supply: &mut SourceResolver<'_>,
    lock: &Lockfile,
    difference: &Difference,
    entry: &Locked,
    within: Option<&str>,
) -> Result<Candidate, CommandError> {
    let candidate = newest(supply, lock, difference, &entry.name, within)?;
    refuse_other_registry(&candidate, Some(entry))?;
    Ok(candidate)
}

/// What an update of some skills would lead to, if that can be found out; why not, `update` says. It
/// begins with the newest of each, whatever others leave of that as they are now.
fn resolved(
    supply: &mut SourceResolver<'_>,
    place: &ScopeContext,
    difference: &Difference,
    known: &KnownRequests<'_>,
    found: Vec<(&Locked, Candidate)>,
) -> Option<Resolved<CommandError>> {
    let lock = known.lock();
    let requested = known.requested();
    let roots = found.into_iter().map(|(entry, mut candidate)| {
        if requested.get(&entry.name) != entry.requested.as_ref()
            && let Ok(newest) = offered(supply, lock, difference, entry, None)
        {
            candidate = newest;
        }
        again(candidate, lock, difference, place)
    });
    let roots: Vec<RequestedSkill> = roots.collect();
    dependencies::resolve_each(roots, known, supply).ok()
}

/// Where the lock contradicts itself about some skills.
fn gaps(context: &Context, difference: &Difference, entries: &[&Locked]) -> Vec<Failed> {
    let is_chosen = |gap: &&Gap| entries.iter().any(|entry| entry.name == gap.name());
    let gaps = difference.gaps.iter().filter(is_chosen);
    let failed = gaps.map(|gap| {
        let error = InstallFailure::Gap(gap.clone()).into();
        Failed::new(context, gap.name(), &error)
    });
    failed.collect()
}

/// What is outdated, a line each.
fn table(outdated: &[(Locked, Locked)], difference: &Difference) -> String {
    let mut text = String::new();
    let width = outdated
        .iter()
        .map(|(from, _)| from.name.chars().count())
        .max();
    let width = width.unwrap_or_default().min(40);
    for (from, to) in outdated {
        let _ = writeln!(
            text,
            "{:<width$}  {}  {}",
            visible(&from.name),
            visible(&way(from, to)),
            visible(&wanted(from, difference))
        );
    }
    text
}

/// Takes out what `update` would refuse, and says why.
fn keep_what_can_be_had(
    context: &Context,
    outdated: &mut Vec<(Locked, Locked)>,
    failed: &mut Vec<Failed>,
    needed: &[Needed],
    unmet: Vec<dependencies::FailedRequests<CommandError>>,
) {
    let has_unmet = !unmet.is_empty();
    for each in unmet {
        let error = unresolved(each.error);
        for name in &each.roots {
            if let Some(at) = outdated.iter().position(|(from, _)| from.name == *name) {
                outdated.remove(at);
                failed.push(Failed::new(context, name, &error));
            }
        }
    }
    let is_needed = |name: &str| needed.iter().any(|each| each.candidate.name == name);
    outdated.retain_mut(|(from, to)| {
        // What only they need that were refused does not come either.
        let comes = !has_unmet || !from.dependency || is_needed(&from.name);
        comes && can_be_had(from, to, needed)
    });
}

/// Whether an update would bring something newer, which then is what is available.
fn can_be_had(from: &Locked, to: &mut Locked, needed: &[Needed]) -> bool {
    let Some(found) = needed.iter().find(|each| each.candidate.name == from.name) else {
        return true;
    };
    *to = found.candidate.locked(Vec::new());
    is_other(from, to)
}

/// Whether a skill has changed at its source: a newer commit with the same files is no other state of it.
fn is_other(from: &Locked, to: &Locked) -> bool {
    to.digest != from.digest || to.version != from.version
}

/// The entries that were named, or all, also those that others need.
fn chosen<'a>(lock: &'a Lockfile, names: &[String]) -> Result<Vec<&'a Locked>, CommandError> {
    if names.is_empty() {
        return Ok(lock.skills().iter().collect());
    }
    let entry = |name: &String| {
        let entry = lock.get(name);
        entry.ok_or_else(|| InstallFailure::not_installed(lock, name).into())
    };
    names.iter().map(entry).collect()
}
