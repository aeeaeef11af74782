//! `skillyard doctor`: whether installed skills are what the locks say.

use skillyard_install::lockfile::Lockfile;
use skillyard_install::plan::{Conflict, Settlement, Wish};
use skillyard_install::scope::Scope;
use skillyard_install::store::Store;
use skillyard_install::transaction::plan_in;

use super::doctor::{Check, Verdict};
use crate::context::Context;
use crate::install::changes::obstacle;
use crate::install::{chronicle, place};

const AREA: &str = "install";

/// Everything about installing.
pub(super) fn checks(context: &Context) -> Vec<Check> {
    let mut checks = vec![git(context)];
    for (journal, error) in chronicle::recover(context) {
        checks.push(bad(
            "journal",
            format!("an interrupted change cannot be finished: {error}"),
            &format!("It is written in `{}`", journal.display()),
        ));
    }
    let store = place::store(context);
    for scope in place::scopes(context) {
        checks.extend(scope_checks(&scope, &store));
    }
    checks
}

fn git(context: &Context) -> Check {
    let mut folders = context.environment.path.iter();
    match folders.find(|folder| folder.join("git").is_file()) {
        Some(folder) => good("git", format!("git at {}", folder.join("git").display())),
        None => Check {
            verdict: Verdict::Missing,
            hint: Some("Install git to install skills from repositories".into()),
            ..good("git", "git was not found".into())
        },
    }
}

fn scope_checks(scope: &Scope, store: &Store) -> Vec<Check> {
    let word = scope.kind.as_str();
    let lock = match Lockfile::read(&scope.lock_file()) {
        Ok(lock) if lock.skills().is_empty() => return Vec::new(),
        Ok(lock) => lock,
        Err(error) => {
            return vec![bad(
                "lock",
                error.to_string(),
                "Take it from the repository, or remove it and run `skillyard sync`",
            )];
        }
    };
    let wish = Wish {
        present: lock.skills().to_vec(),
        absent: Vec::new(),
    };
    let plan = plan_in(scope, store, &lock, &wish, &Settlement::default());
    let mut checks: Vec<Check> = plan.conflicts.iter().map(edited).collect();
    for change in &plan.changes {
        checks.push(bad(
            "missing",
            format!("`{}` is locked and not there ({word} scope)", change.name()),
            "Put it back with `skillyard sync`",
        ));
    }
    if checks.is_empty() {
        let count = lock.skills().len();
        let skills = if count == 1 { "skill is" } else { "skills are" };
        checks.push(good(
            "lock",
            format!("{count} installed {skills} as locked ({word} scope)"),
        ));
    }
    checks
}

fn edited(conflict: &Conflict) -> Check {
    bad(
        "edited",
        obstacle(conflict),
        "Keep your changes elsewhere and run `skillyard sync --force`, or install it again",
    )
}

fn good(name: &'static str, message: String) -> Check {
    Check::good(AREA, name, message)
}

fn bad(name: &'static str, message: String, hint: &str) -> Check {
    Check {
        verdict: Verdict::Bad,
        hint: Some(hint.to_owned()),
        ..good(name, message)
    }
}
