//! The runtime's own tools, which lead to skills.
//!
//! Those that only read are how a model finds out what it may do, so no list holds them up. A
//! script belongs to its skill: the list of that skill decides about it, and no other.

use std::path::Path;

use skillyard_format::name::known_as;

use super::denied;
use super::request::{
    ActiveSkill, GuardDecision, GuardInput, GuardRequest, GuardVerdict, Surroundings, ToolList,
};
use super::rule::{Refusal, Rules};

/// Tools that only read skills.
const READING: [&str; 4] = ["skill_search", "skill_load", "skill_read", "skill_files"];
/// The tool that runs a script of a skill.
const RUN: &str = "skill_run";

/// The programs that scripts are usually run with, by their endings.
const INTERPRETERS: [(&str, &[&str]); 6] = [
    ("py", &["python3", "python"]),
    ("sh", &["sh", "bash"]),
    ("bash", &["bash"]),
    ("js", &["node"]),
    ("rb", &["ruby"]),
    ("pl", &["perl"]),
];

/// What lists of allowed tools say to one of the runtime's own tools; nothing special to others.
pub(super) fn decided(
    request: &GuardRequest,
    skills: &[ActiveSkill],
    world: &dyn Surroundings,
) -> Option<GuardDecision> {
    if READING.contains(&request.tool.as_str()) {
        return Some(allowed(
            None,
            "it only reads skills, and no list holds that up",
        ));
    }
    if request.tool != RUN {
        return None;
    }
    let skill = meant(request, skills)?;
    if matches!(skill.allowed, ToolList::Absent) {
        let reason = "it is a script of this skill, which declares no `allowed-tools`";
        return Some(allowed(Some(&skill.name), reason));
    }
    let rules = Rules::of(skill);
    let commands = commands(request, skill)
        .into_iter()
        .map(|command| GuardRequest {
            tool: "Bash".to_owned(),
            input: GuardInput::Text(command),
        });
    let mut calls = std::iter::once(request.clone()).chain(commands);
    let found = calls.find_map(|call| {
        let allowance = rules.allow(&call, world).ok()?;
        Some(allowance.decision(&skill.name, &call))
    });
    Some(found.unwrap_or_else(|| {
        let reason = "its list allows neither `skill_run` nor `Bash` for this script of it";
        denied(Some(skill.name.clone()), Refusal::new(reason))
    }))
}

fn allowed(skill: Option<&str>, reason: &str) -> GuardDecision {
    GuardDecision {
        verdict: GuardVerdict::Allowed,
        skill: skill.map(str::to_owned),
        pattern: None,
        reason: reason.to_owned(),
        caution: None,
    }
}

/// The skill whose script is to run: the one that is named, or the only one.
fn meant<'a>(request: &GuardRequest, skills: &'a [ActiveSkill]) -> Option<&'a ActiveSkill> {
    match (&request.input, skills) {
        (GuardInput::Text(_), [skill]) => Some(skill),
        (GuardInput::Text(_), _) => None,
        (GuardInput::Fields(fields), _) => {
            // As it is looked up: another spelling of a name is not another skill.
            let name = known_as(fields.get("name")?.as_str()?);
            skills.iter().find(|skill| *skill.name == *name)
        }
    }
}

/// The commands that would run the script: by its path, in the skill and as the skill names it,
/// and with what it is usually run with.
fn commands(request: &GuardRequest, skill: &ActiveSkill) -> Vec<String> {
    let (script, arguments) = match &request.input {
        GuardInput::Text(text) => (text.as_str(), Vec::new()),
        GuardInput::Fields(fields) => {
            let text = |key: &str| fields.get(key).and_then(|value| value.as_str());
            let words = fields.get("args").and_then(|value| value.as_array());
            let words = words.into_iter().flatten();
            let words = words.map(|word| word.as_str().unwrap_or_default());
            (text("script").unwrap_or_default(), words.collect())
        }
    };
    let bare = script.trim_start_matches("./");
    let mut paths = vec![bare.to_owned(), format!("./{bare}")];
    if let Some(folder) = &skill.folder {
        paths.push(folder.join(bare).to_string_lossy().into_owned());
    }
    let ending = Path::new(bare)
        .extension()
        .and_then(|ending| ending.to_str());
    let interpreters = INTERPRETERS.iter().find(|(each, _)| Some(*each) == ending);
    let interpreters = interpreters.map_or(&[][..], |(_, programs)| programs);
    let mut commands = Vec::new();
    for path in &paths {
        let words = std::iter::once(path.as_str()).chain(arguments.iter().copied());
        let words: Vec<String> = words.map(quoted).collect();
        let command = words.join(" ");
        commands.extend(
            interpreters
                .iter()
                .map(|program| format!("{program} {command}")),
        );
        commands.push(command);
    }
    commands
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
