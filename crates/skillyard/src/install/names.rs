//! Names of new skills that make trouble somewhere else: what is told of them after an installation.

use skillyard_catalog::agents::AGENTS;
use skillyard_catalog::compatibility::Quirk;
use skillyard_format::SkillName;
use skillyard_format::package::archive::{ArchivePath, EntryProblem, is_device};
use skillyard_install::plan::{Plan, SkillChange};

use crate::context::Context;
use crate::text::sanitize::visible;
use crate::text::shell::shell_word;

/// Most skills that are told of one by one.
const MAX_NAMES: usize = 5;

/// Tells of names that cannot be typed everywhere.
pub(crate) fn tell(context: &Context, plan: &Plan) {
    let added = plan.changes.iter().filter_map(|change| match change {
        SkillChange::Added { to } => Some(to.name.as_str()),
        _ => None,
    });
    let added: Vec<&str> = added.collect();
    for line in with_spaces(&added).into_iter().chain(unwritable(&added)) {
        context.printer.note(&visible(&context.scoped(&line)));
    }
}

/// A folder is called like its skill, and with a space in it some agents have no use for that.
fn with_spaces(added: &[&str]) -> Vec<String> {
    let has_space = |name: &&&str| name.contains(char::is_whitespace);
    let spaced: Vec<&&str> = added.iter().filter(has_space).collect();
    let Some(first) = spaced.first() else {
        return Vec::new();
    };
    let missing = AGENTS
        .iter()
        .filter(|agent| agent.misses.contains(&Quirk::NameSpace));
    let missing: Vec<&str> = missing.map(|agent| agent.name.as_str()).collect();
    vec![
        format!(
            "warning: there is a space in {}: Claude Code has no command for that, and {} pass over it",
            some(&spaced),
            missing.join(", ")
        ),
        other_name(first),
    ]
}

/// A folder that Windows cannot write is in nobody's checkout there, and no archive can hold it.
fn unwritable(added: &[&str]) -> Vec<String> {
    let problem = |name: &str| match ArchivePath::new(name) {
        // Those that deceive are told as what they are when the skill is validated.
        Err(
            problem @ (EntryProblem::AlternateStream
            | EntryProblem::Drive
            | EntryProblem::Backslash
            | EntryProblem::ReservedCharacter(_)
            | EntryProblem::ReservedName
            | EntryProblem::TrailingDotOrSpace),
        ) => Some(problem),
        _ => None,
    };
    let found: Vec<&&str> = added
        .iter()
        .filter(|name| problem(name).is_some())
        .collect();
    let Some(first) = found.first() else {
        return Vec::new();
    };
    vec![
        format!(
            "warning: no folder on Windows can be called {}: a checkout that has it fails there, and no archive can hold it",
            some(&found)
        ),
        other_name(first),
    ]
}

/// The first of some names, and how many more there are.
fn some(names: &[&&str]) -> String {
    let shown = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`"));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn other_name(name: &str) -> String {
    // What is nearest to a device may be that device.
    let other = SkillName::from_text(name).filter(|other| !is_device(other.as_str()));
    let other = other.as_ref().map_or("NAME", SkillName::as_str);
    format!(
        "hint: Give it another name here: `skillyard remove {}`, and `skillyard install REF --name {other}`",
        shell_word(name)
    )
}
