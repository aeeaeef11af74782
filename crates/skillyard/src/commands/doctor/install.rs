//! `skillyard doctor`: whether installed skills are what the locks say.

use std::collections::BTreeSet;

use skillyard_catalog::surroundings::Surroundings;
use skillyard_install::lockfile::{Gap, Lockfile};
use skillyard_install::plan::{
    Conflict, ConflictPolicy, ConflictReason, DesiredState, SkillChange,
};
use skillyard_install::records::Records;
use skillyard_install::scope::{Scope, ScopeKind};
use skillyard_install::transaction::{before, plan_in};

use crate::commands::doctor;
use crate::commands::doctor::{Check, Verdict, records, revoked};
use crate::context::Context;
use crate::error::install::{
    Stale, line_ends_hint, lock_hint, obstacle, source_changed_hint, unreachable_hint,
};
use crate::error::with_causes_of;
use crate::files::private::refuse_dangling;
use crate::install::revoked::Revoked;
use crate::install::source_resolver::SourceResolver;
use crate::install::stale::stale;
use crate::install::wanted::Difference;
use crate::library;
use crate::scope;
use crate::scope::ScopeContext;
use crate::text::shell::shell_word;

const AREA: &str = "install";

/// Everything about installing.
pub(super) fn checks(context: &Context) -> Vec<Check> {
    let mut checks = vec![git(context)];
    for (journal, error) in scope::recover(context) {
        checks.push(bad(
            "journal",
            format!("an interrupted change cannot be finished: {error}"),
            &format!("It is written in `{}`", journal.display()),
        ));
    }
    // Whether the configuration can be read is told elsewhere.
    let surroundings = context.config().ok();
    let surroundings = surroundings.map(|config| library::surroundings(context, &config));
    let mut revoked = Vec::new();
    // Of a home that is not there it was told.
    let is_homeless = refuse_dangling(&context.environment.skillyard_home).is_err();
    let places = scope::all(context).into_iter();
    let is_told = |place: &ScopeContext| is_homeless && place.scope.kind == ScopeKind::User;
    for (place, scope) in places.filter(|(place, _)| !is_told(place)) {
        let found = revoked::locked(context, &place, scope);
        checks.extend(scope_checks(context, &place, &found));
        let unread = surroundings.as_ref();
        checks.extend(
            unread.and_then(|each| crate::commands::doctor::install::unread(&place.scope, each)),
        );
        revoked.extend(found);
    }
    checks.extend(records::checks(context));
    checks.extend(revoked::checks(context, &revoked));
    checks
}

/// Installed skills that lie where the order of sources does not look.
fn unread(scope: &Scope, surroundings: &Surroundings) -> Option<Check> {
    let preset = surroundings.preset;
    let folder = match scope.kind {
        ScopeKind::User => preset.installed_folder()?,
        ScopeKind::Project => preset.folder()?,
    };
    let lock = Records::default().lock(scope).ok()?;
    let sources = surroundings.sources();
    let is_read = |target: &String| {
        let root = scope.target(target);
        sources.iter().any(|source| source.root == root)
    };
    let skills = lock.skills().iter();
    let unread = skills.filter(|entry| !entry.targets.iter().any(is_read));
    let names: Vec<&str> = unread.map(|entry| entry.name.as_str()).collect();
    let word = scope.kind.as_str();
    (!names.is_empty()).then(|| Check {
        verdict: Verdict::Warning,
        hint: Some(format!(
            "Install them again, which puts them into `{folder}`, or choose another `discovery.precedence`"
        )),
        ..good(
            "unread",
            format!(
                "`discovery.precedence` has no folder of `{}` ({word} scope)",
                names.join("`, `")
            ),
        )
    })
}

fn git(context: &Context) -> Check {
    match context.environment.program("git") {
        Some(program) => good("git", format!("git at {}", program.display())),
        None => Check {
            verdict: Verdict::Missing,
            hint: Some("Install git to install skills from repositories".into()),
            ..good("git", "git was not found".into())
        },
    }
}

/// What is wrong with what is installed in a scope, apart from those that are revoked: nobody puts
/// them right.
fn scope_checks(context: &Context, place: &ScopeContext, revoked: &[Revoked]) -> Vec<Check> {
    let ScopeContext { scope, records, .. } = place;
    let word = scope.kind.as_str();
    let mut checks = Vec::new();
    let manifest = records.manifest(scope);
    if let Err(error) = &manifest {
        checks.push(bad(
            "manifest",
            with_causes_of(error),
            "Mend it, or take it from the repository",
        ));
    }
    let before = match before(scope, records) {
        Ok(before) => before,
        Err(error) => {
            checks.push(bad(
                "lock",
                with_causes_of(&error),
                &lock_hint(&error, None),
            ));
            return checks;
        }
    };
    let wish = DesiredState {
        present: before.lock.skills().to_vec(),
        dropped: before.dropped().map(str::to_owned).collect(),
        ..DesiredState::default()
    };
    let plan = plan_in(
        scope,
        &place.store,
        &before,
        &wish,
        &ConflictPolicy::default(),
    );
    let mut supply = SourceResolver::new(context, place).offline(true);
    let mut mistaken = |name: &str| doctor::remedy(place, &before, &mut supply, name);
    let is_revoked = |name: &str| revoked.iter().any(|each| each.name == name);
    let conflicts = plan.conflicts.iter().filter(|each| !is_revoked(&each.name));
    let conflicts = conflicts.map(|each| {
        let check = edited(each, word);
        match each.obstacle {
            ConflictReason::Edited(_) | ConflictReason::Unrecorded => Check {
                hint: mistaken(&each.name).or(check.hint),
                ..check
            },
            _ => check,
        }
    });
    // What is in the way of a whole folder is so for each skill.
    let mut told = BTreeSet::new();
    checks.extend(conflicts.filter(|each| told.insert(each.message.clone())));
    for change in &plan.changes {
        if is_revoked(change.name()) {
            continue;
        }
        let sync = || format!("Put it right with `skillyard sync --scope {word}`");
        let hint = mistaken(change.name()).unwrap_or_else(sync);
        let what = match change {
            SkillChange::Removed { .. } => "is not locked any more, and still there",
            SkillChange::Restored { .. } => "is locked and not there",
            _ => "is not as it is locked",
        };
        let message = format!("`{}` {what} ({word} scope)", change.name());
        checks.push(bad("missing", message, &hint));
    }
    if manifest.is_ok() {
        checks.extend(mismatches(context, place, &before.lock));
    }
    for gap in before.lock.gaps() {
        let hint = match &gap {
            Gap::Missing { .. } => format!("Get it with `skillyard sync --scope {word}`"),
            Gap::Unfit { .. } | Gap::Unasked { .. } => format!(
                "Take what goes together with `skillyard sync --scope {word}`, or see why nothing does"
            ),
        };
        checks.push(bad("requires", gap.to_string(), &hint));
    }
    let count = before.lock.skills().len();
    let is_bad = |check: &Check| check.verdict == Verdict::Bad;
    if !checks.iter().any(is_bad) && revoked.is_empty() && count > 0 {
        let skills = if count == 1 { "skill is" } else { "skills are" };
        checks.push(good(
            "lock",
            format!("{count} installed {skills} as locked ({word} scope)"),
        ));
    }
    checks
}

/// Where skills.toml and the lock do not match.
fn mismatches(context: &Context, place: &ScopeContext, lock: &Lockfile) -> Vec<Check> {
    let word = place.scope.kind.as_str();
    let mut supply = SourceResolver::new(context, place).offline(true);
    let difference = match Difference::of(lock, place, &supply) {
        Ok(difference) => difference,
        // A reference that cannot be read, or an agent that nobody knows.
        Err(error) => {
            let hint =
                "Mend the reference or the agent there, or take the file from the repository";
            let error = error.with_causes();
            let message = format!("skills.toml cannot be compared with the lock: {error}");
            return vec![bad("manifest", message, hint)];
        }
    };
    let hint = format!("Make them match with `skillyard sync --scope {word}`");
    let mismatches = difference.mismatches().into_iter();
    let mismatches = mismatches.map(|each| format!("{each} ({word} scope)"));
    let mismatches = mismatches.map(|each| bad("wanted", each, &hint));
    let stale = stale(lock, &difference, place, &mut supply).into_iter();
    mismatches.chain(stale.map(otherwise)).collect()
}

/// That a skill lies in the project otherwise than it is locked: here that harms nobody.
fn otherwise(stale: Stale) -> Check {
    let message = format!("{stale}, so that `sync` fails in a fresh checkout");
    Check {
        verdict: Verdict::Warning,
        hint: Some(Stale::remedy(&[stale])),
        ..good("stale", message)
    }
}

fn edited(conflict: &Conflict, word: &str) -> Check {
    if let ConflictReason::OtherScope(_) = conflict.obstacle {
        let name = shell_word(&conflict.name);
        let hint = format!(
            "Remove it in one of the scopes, here with `skillyard remove {name} --scope {word}`"
        );
        return bad("scopes", obstacle(conflict), &hint);
    }
    if let ConflictReason::LineEnds(_) = conflict.obstacle {
        let hint = line_ends_hint([conflict.target.as_str()]);
        let hint =
            format!("{hint}, then put it right with `skillyard sync --force --scope {word}`");
        return bad("line-ends", obstacle(conflict), &hint);
    }
    if conflict.obstacle == ConflictReason::SourceChanged {
        let hint = source_changed_hint([conflict.name.as_str()]);
        return bad("stale", obstacle(conflict), &hint);
    }
    if let Some(hint) = unreachable_hint(&conflict.obstacle) {
        let hint = format!("{hint}. Then run `skillyard sync --scope {word}`");
        return bad("unreachable", obstacle(conflict), &hint);
    }
    let hint =
        format!("Keep your changes elsewhere and run `skillyard sync --force --scope {word}`");
    bad("edited", obstacle(conflict), &hint)
}

fn good(name: &'static str, message: String) -> Check {
    Check::good(AREA, name, message)
}

pub(super) fn bad(name: &'static str, message: String, hint: &str) -> Check {
    Check {
        verdict: Verdict::Bad,
        hint: Some(hint.to_owned()),
        ..good(name, message)
    }
}
