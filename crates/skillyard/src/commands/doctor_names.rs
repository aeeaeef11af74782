//! `skillyard doctor`: names of folders that nobody can type where skills are called by them.

use skillyard_catalog::CatalogSkill;
use skillyard_catalog::agents::Agent;
use skillyard_format::SkillName;

use super::doctor::{Check, Verdict};
use super::doctor_agents;
use crate::report::listed;

/// The skills that an agent reads and has no command for, because a command ends at a space.
pub(super) fn check(agent: &Agent, skills: &[&CatalogSkill]) -> Option<Check> {
    let folder = |skill: &&CatalogSkill| {
        let name = skill.record.folder.file_name()?.to_str()?.to_owned();
        name.contains(char::is_whitespace).then_some(name)
    };
    let skills = skills.iter().filter(|_| agent.names_folder);
    let folders: Vec<String> = skills.filter_map(folder).collect();
    let first = folders.first()?;
    let names: Vec<&str> = folders.iter().map(String::as_str).collect();
    let message = format!(
        "{} has no command for {}: there is a space in the name of the folder",
        agent.name,
        listed(&names)
    );
    let name = SkillName::from_text(first);
    let name = name.as_ref().map_or("NAME", SkillName::as_str);
    let hint = format!(
        "Install it under another name, as with `skillyard install REF --name {name}`; rename one of your own"
    );
    Some(doctor_agents::check(Verdict::Warning, message, Some(&hint)))
}
