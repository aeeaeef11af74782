//! The runtime's own tools, which lead to skills.
//!
//! Those that only read are how a model finds out what it may do, so no list holds them up. A
//! script belongs to its skill: the list of that skill decides about it, and no other.

use std::path::Path;

use serde_json::Value;
use skillyard_format::name::known_as;

use crate::guard::denied;
use crate::guard::request::{
    ActiveSkill, GuardDecision, GuardEnvironment, GuardInput, GuardRequest, GuardVerdict, ToolList,
};
use crate::guard::rule::{Refusal, Rules};

/// Tools that only read skills.
const READ_ONLY_TOOLS: [&str; 4] = ["skill_search", "skill_load", "skill_read", "skill_files"];
/// The tool that runs a script of a skill.
const RUN_TOOL: &str = "skill_run";

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
    world: &dyn GuardEnvironment,
) -> Option<GuardDecision> {
    if READ_ONLY_TOOLS.contains(&request.tool.as_str()) {
        return Some(allowed(
            None,
            "it only reads skills, and no list holds that up",
        ));
    }
    if request.tool != RUN_TOOL {
        return None;
    }
    let skill = run_target(request, skills)?;
    if matches!(skill.allowed, ToolList::Absent) {
        let reason = "it is a script of this skill, which declares no `allowed-tools`";
        return Some(allowed(Some(&skill.name), reason));
    }
    let rules = Rules::of(skill);
    let (script, arguments) = script(request);
    let paths = paths(script.trim_start_matches("./"), skill.folder.as_deref());
    let ScriptCommands { itself, started } = ScriptCommands::of(&paths, &arguments);
    let commands = started.into_iter().chain(itself).map(|words| {
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        GuardRequest {
            tool: "Bash".to_owned(),
            input: GuardInput::Text(words.join(" ")),
        }
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
fn run_target<'a>(request: &GuardRequest, skills: &'a [ActiveSkill]) -> Option<&'a ActiveSkill> {
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

/// The commands that would run a script, in words.
#[derive(Debug, Default)]
pub(super) struct ScriptCommands {
    /// By its path.
    pub(super) itself: Vec<Vec<String>>,
    /// With the programs that it is usually run with.
    pub(super) started: Vec<Vec<String>>,
}

impl ScriptCommands {
    /// Those of the script of a call, for lists that deny; none for other calls.
    pub(super) fn of_call(request: &GuardRequest, skills: &[ActiveSkill]) -> Self {
        if !request.tool.eq_ignore_ascii_case(RUN_TOOL) {
            return Self::default();
        }
        let (mut script, mut arguments) = script(request);
        // A single text may contain the arguments.
        if matches!(request.input, GuardInput::Text(_)) {
            let mut words = script.split_whitespace();
            script = words.next().unwrap_or_default();
            arguments.extend(words);
        }
        let bare = script.trim_start_matches("./");
        let skill = run_target(request, skills);
        let folder = skill.and_then(|skill| skill.folder.as_deref());
        let mut all = paths(bare, folder);
        // A script goes by its name alone, too.
        all.extend(paths(&format!("scripts/{bare}"), folder));
        Self::of(&all, &arguments)
    }

    /// The commands for a script at these paths.
    fn of(paths: &[String], arguments: &[&str]) -> Self {
        let ending = paths.first().and_then(|path| Path::new(path).extension());
        let ending = ending.and_then(|ending| ending.to_str());
        let interpreters = INTERPRETERS.iter().find(|(each, _)| Some(*each) == ending);
        let interpreters = interpreters.map_or(&[][..], |(_, programs)| programs);
        let mut runs = Self::default();
        for path in paths {
            let words = std::iter::once(path.as_str()).chain(arguments.iter().copied());
            let words: Vec<String> = words.map(str::to_owned).collect();
            for program in interpreters {
                let program = std::iter::once((*program).to_owned());
                runs.started.push(program.chain(words.clone()).collect());
            }
            runs.itself.push(words);
        }
        runs
    }
}

/// The script that a call names, and its arguments.
fn script(request: &GuardRequest) -> (&str, Vec<&str>) {
    match &request.input {
        GuardInput::Text(text) => (text, Vec::new()),
        GuardInput::Fields(fields) => {
            let words = fields.get("args").and_then(Value::as_array);
            let words = words.into_iter().flatten();
            let words = words.map(|word| word.as_str().unwrap_or_default());
            let script = fields.get("script").and_then(Value::as_str);
            (script.unwrap_or_default(), words.collect())
        }
    }
}

/// The ways to write where a script is: in the skill, and as the skill names it.
fn paths(bare: &str, folder: Option<&Path>) -> Vec<String> {
    let whole = folder.map(|folder| folder.join(bare).to_string_lossy().into_owned());
    let mut paths = vec![bare.to_owned(), format!("./{bare}")];
    paths.extend(whole);
    paths
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
