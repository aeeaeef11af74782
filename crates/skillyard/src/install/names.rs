//! Names of new skills that make trouble somewhere else: what is told of them after an installation.

use skillyard_catalog::agents::AGENTS;
use skillyard_catalog::quirk::Quirk;
use skillyard_format::SkillName;
use skillyard_install::plan::{Change, Plan};

use crate::context::Context;
use crate::sanitize::visible;
use crate::shell::shell_word;

/// Most skills that are told of one by one.
const MOST: usize = 5;

/// Tells of names that cannot be typed everywhere.
pub(crate) fn tell(context: &Context, plan: &Plan) {
    let added = plan.changes.iter().filter_map(|change| match change {
        Change::Added { to } => Some(to.name.as_str()),
        _ => None,
    });
    let added: Vec<&str> = added.collect();
    for line in with_spaces(&added) {
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
    let shown = spaced.iter().take(MOST).map(|name| format!("`{name}`"));
    let mut names = shown.collect::<Vec<_>>().join(", ");
    if spaced.len() > MOST {
        names = format!("{names} and {} more", spaced.len() - MOST);
    }
    let name = SkillName::from_text(first);
    let name = name.as_ref().map_or("NAME", SkillName::as_str);
    vec![
        format!(
            "warning: there is a space in {names}: Claude Code has no command for that, and {} pass over it",
            missing.join(", ")
        ),
        format!(
            "hint: Give it another name here: `skillyard remove {}`, and `skillyard install REF --name {name}`",
            shell_word(first)
        ),
    ]
}
