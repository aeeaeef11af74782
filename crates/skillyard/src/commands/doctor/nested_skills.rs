//! `skillyard doctor`: the skills inside of skills, which some agents offer as skills of their own.

use std::path::Path;

use skillyard_catalog::CatalogSkill;
use skillyard_catalog::agents::Agent;
use skillyard_catalog::nested_skills::{NestedSkill, nested_skills};
use skillyard_catalog::regular_file::{Links, read};
use skillyard_format::document::MAX_BYTES;

use crate::commands::doctor::agents::check;
use crate::commands::doctor::{Check, Verdict};
use crate::text::listed;

/// What an agent finds inside of the skills that it reads, and which names it has twice by that.
pub(super) fn checks(agent: &Agent, skills: &[&CatalogSkill]) -> Vec<Check> {
    if !agent.reads_inner {
        return Vec::new();
    }
    let (mut more, mut checks) = (Vec::new(), Vec::new());
    for outer in skills {
        for found in nested_skills(&outer.record.folder) {
            let file = outer.record.folder.join(&found.folder).join("SKILL.md");
            let is_called_so = |each: &&&CatalogSkill| *each.record.name == found.name;
            match skills.iter().find(is_called_so) {
                // What a skill has inside under its own name is its author's.
                Some(other) if other.record.folder == outer.record.folder => more.push(found.name),
                Some(other) if !is_same(&file, &other.record.path()) => {
                    checks.push(doubled(agent, outer, &found, other));
                }
                Some(_) => {}
                None => more.push(found.name),
            }
        }
    }
    if !more.is_empty() {
        more.sort_unstable();
        let names: Vec<&str> = more.iter().map(String::as_str).collect();
        let message = format!(
            "{} also offers what lies inside of other skills: {}",
            agent.name,
            listed(&names)
        );
        checks.insert(0, check(Verdict::Good, message, None));
    }
    checks
}

fn doubled(
    agent: &Agent,
    outer: &CatalogSkill,
    found: &NestedSkill,
    other: &CatalogSkill,
) -> Check {
    let message = format!(
        "{} finds `{}` in `{}`, and another one inside of `{}`, in `{}`: it may take that",
        agent.name,
        found.name,
        other.record.folder.display(),
        outer.record.name,
        found.folder
    );
    let hint = format!("Remove `{}`, or rename yours", outer.record.name);
    check(Verdict::Warning, message, Some(&hint))
}

fn is_same(one: &Path, other: &Path) -> bool {
    let [one, other] = [one, other].map(|path| read(path, Links::Followed, MAX_BYTES as u64));
    matches!((one, other), (Ok(one), Ok(other)) if one == other)
}
