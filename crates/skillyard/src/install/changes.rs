//! What changed, or would, as text and as JSON.

use std::fmt::Write as _;

use semver::Version;
use serde_json::{Value, json};
use skillyard_install::lockfile::Locked;
use skillyard_install::origin::OriginKind;
use skillyard_install::plan::{Conflict, Plan, SkillChange};
use skillyard_install::scope::Scope;

use crate::error::install::obstacle;
use crate::text::counted;
use crate::text::sanitize::visible;

/// The changes of a plan, a line each, sorted by name.
pub(crate) fn lines(plan: &Plan) -> String {
    let mut text = one_by_one(&plan.changes.iter().collect::<Vec<_>>());
    for (name, target) in &plan.taken_over {
        let place = format!("{target}/{name}");
        let was = "was there already, with the same files: it counts as installed from now on, and stays when it is removed, unless an update replaces it";
        let _ = writeln!(text, "   {}  {was}", visible(&place));
    }
    for (name, target) in &plan.replaced {
        let place = format!("{target}/{name}");
        let was = "was there before it was installed: it is replaced, and from now on goes when it is removed";
        let _ = writeln!(text, "   {}  {was}", visible(&place));
    }
    for (name, target) in &plan.let_go {
        let place = format!("{target}/{name}");
        let stays = "stays: it is not locked any more, and is yours now";
        let _ = writeln!(text, "   {}  {stays}", visible(&place));
    }
    for (conflicts, what) in [(&plan.skipped, "left out"), (&plan.given_up, "given up")] {
        for conflict in conflicts {
            let name = visible(&conflict.name);
            let _ = writeln!(text, "   {name}  {what}: {}", obstacle(conflict));
        }
    }
    text
}

/// What a plan changes about skills that are there, a line each: what is asked about brings it along.
pub(crate) fn of_what_is_there(plan: &Plan) -> String {
    let changes = plan.changes.iter();
    let changes = changes.filter(|change| {
        matches!(
            change,
            SkillChange::Changed { .. } | SkillChange::Removed { .. }
        )
    });
    one_by_one(&changes.collect::<Vec<_>>())
}

fn one_by_one(changes: &[&SkillChange]) -> String {
    let width = changes.iter().map(|each| each.name().chars().count()).max();
    let width = width.unwrap_or_default().min(40);
    let mut text = String::new();
    for change in changes {
        let name = visible(change.name());
        let (mark, what) = match change {
            SkillChange::Added { to } | SkillChange::Restored { to } => ('+', origin(to)),
            SkillChange::Changed { from, to } => ('~', difference(from, to)),
            SkillChange::Repaired { .. } => ('~', "put right".to_owned()),
            SkillChange::Removed { .. } => ('-', String::new()),
        };
        let line = format!(" {mark} {name:<width$}  {what}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// What was done, with how many skills: `Installed 2 skills, removed 1`.
pub(crate) fn done(plan: &Plan) -> String {
    let word = |change: &SkillChange| match change {
        SkillChange::Added { .. } | SkillChange::Restored { .. } => "Installed",
        SkillChange::Changed { .. } => "Updated",
        SkillChange::Repaired { .. } => "Repaired",
        SkillChange::Removed { .. } => "Removed",
    };
    let mut text = String::new();
    for each in ["Installed", "Updated", "Repaired", "Removed"] {
        let changes = plan.changes.iter();
        let count = changes.filter(|change| word(change) == each).count();
        if count > 0 && text.is_empty() {
            text = format!("{each} {}", counted(count, "skill"));
        } else if count > 0 {
            let _ = write!(text, ", {} {count}", each.to_lowercase());
        }
    }
    text
}

/// Where a skill is from, as people would say it.
fn origin(entry: &Locked) -> String {
    let mut text = visible(&entry.source).into_owned();
    if let Some(version) = &entry.version {
        let _ = write!(text, " {}", visible(version));
    }
    if let Some(commit) = &entry.commit {
        let _ = write!(text, " ({})", short(commit));
    }
    text
}

fn difference(from: &Locked, to: &Locked) -> String {
    if from.source != to.source {
        return format!("{} → {}", visible(&from.source), origin(to));
    }
    if from.digest == to.digest {
        return match &to.signer {
            _ if from.targets != to.targets => {
                format!("same files, now in {}", to.targets.join(", "))
            }
            _ if from.linked != to.linked => {
                let kind = if to.linked { "a link" } else { "a copy" };
                format!("same files, now {kind}")
            }
            Some(signer) if from.signer.is_none() => {
                format!("same files, now signed by {}", visible(&signed_by(signer)))
            }
            _ if from.version != to.version => format!("{}, same files", visible(&way(from, to))),
            _ => "same files".to_owned(),
        };
    }
    let mut text = visible(&way(from, to)).into_owned();
    if is_older(to, from) {
        text.push_str(", which is older");
    }
    text
}

/// A signer in a few words: of the id of a key as much as tells keys apart.
fn signed_by(signer: &str) -> String {
    match signer.strip_prefix("key:") {
        Some(id) => format!("key {}", short(id)),
        None => signer.to_owned(),
    }
}

/// From which version to which a change goes, if it goes back.
pub(crate) fn back(change: &SkillChange) -> Option<String> {
    match change {
        SkillChange::Changed { from, to } if is_older(to, from) => Some(way(from, to)),
        _ => None,
    }
}

/// Whether a version came before another.
fn is_older(one: &Locked, other: &Locked) -> bool {
    let version = |entry: &Locked| Version::parse(entry.version.as_deref()?).ok();
    version(one)
        .zip(version(other))
        .is_some_and(|(one, other)| one < other)
}

/// The version whose tag names another commit than it did. What such a tag names is not meant to
/// change, and whoever has taken a repository over moves them.
pub(crate) fn moved_tag<'a>(from: &'a Locked, to: &Locked) -> Option<&'a str> {
    let is_moved = from.origin == OriginKind::Git
        && from.source == to.source
        && from.commit.is_some()
        && from.commit != to.commit;
    let version = from.version.as_deref();
    let version = version.filter(|_| from.version == to.version);
    let requested = from.requested.as_deref().filter(|requested| {
        let version = requested.strip_prefix('v').unwrap_or(requested);
        from.requested == to.requested && Version::parse(version).is_ok()
    });
    requested.or(version).filter(|_| is_moved)
}

/// From which state of a skill to which, each in a word that tells them apart.
pub(crate) fn way(from: &Locked, to: &Locked) -> String {
    let way = states(from, to);
    match moved_tag(from, to) {
        Some(tag) => format!("{way}: the tag `{tag}` was moved"),
        None => way,
    }
}

fn states(from: &Locked, to: &Locked) -> String {
    let (first, second) = (state(from), state(to));
    if first != second {
        return format!("{first} → {second}");
    }
    // A tag that was moved has the same version, and a lock can name other bytes of the same commit.
    let (before, after) = match (&from.commit, &to.commit) {
        (Some(before), Some(after)) if before != after => (before.clone(), after.clone()),
        _ if from.digest == to.digest => return format!("{first} → {second}"),
        _ => (from.digest.to_hex(), to.digest.to_hex()),
    };
    format!(
        "{first} ({}) → {second} ({})",
        short(&before),
        short(&after)
    )
}

/// Which state of a skill it is, in a word.
fn state(entry: &Locked) -> String {
    match (&entry.version, &entry.commit) {
        (Some(version), _) => version.clone(),
        (None, Some(commit)) => short(commit).to_owned(),
        (None, None) => short(&entry.digest.to_hex()).to_owned(),
    }
}

/// The start of a hash.
pub(crate) fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}

/// A plan for programs.
pub(crate) fn json(plan: &Plan, scope: &Scope, dry_run: bool) -> Value {
    let changes: Vec<Value> = plan
        .changes
        .iter()
        .map(|change| {
            let (what, from, to) = match change {
                SkillChange::Added { to } => ("added", None, Some(to)),
                SkillChange::Changed { from, to } => ("changed", Some(from), Some(to)),
                SkillChange::Restored { to } => ("restored", Some(to), Some(to)),
                SkillChange::Repaired { to } => ("repaired", Some(to), Some(to)),
                SkillChange::Removed { from } => ("removed", Some(from), None),
            };
            json!({ "name": change.name(), "change": what, "from": from, "to": to })
        })
        .collect();
    let conflicts = |list: &[Conflict]| -> Vec<Value> {
        list.iter()
            .map(|each| json!({ "name": each.name, "target": each.target, "reason": obstacle(each) }))
            .collect()
    };
    let places = |list: &[(String, String)]| -> Vec<Value> {
        let places = list.iter();
        let places = places.map(|(name, target)| json!({ "name": name, "target": target }));
        places.collect()
    };
    json!({
        "scope": scope.kind.as_str(),
        "root": scope.root.to_string_lossy(),
        "dry_run": dry_run,
        "changes": changes,
        "unchanged": plan.unchanged,
        "let_go": places(&plan.let_go),
        "taken_over": places(&plan.taken_over),
        "replaced": places(&plan.replaced),
        "skipped": conflicts(&plan.skipped),
        "given_up": conflicts(&plan.given_up),
        "conflicts": conflicts(&plan.conflicts),
    })
}
