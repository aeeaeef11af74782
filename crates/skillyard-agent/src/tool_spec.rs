//! The specifications of an agent's tools, as a model sees them.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::shelf::Shelf;

/// Names of skills that a schema lists; with more, it accepts any name.
const MAX_ENUM_NAMES: usize = 200;

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name: letters, digits, `_` and `-`, because providers refuse others.
    pub name: String,
    /// Its description.
    pub description: String,
    /// A JSON schema of its arguments.
    pub parameters: Value,
}

/// Whether an agent works on files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkspaceTools {
    /// It has `Read`, `Write`, `Edit`, `Glob`, `Grep` and `Bash`.
    #[default]
    All,
    /// It has none of them.
    None,
}

/// Names of the tools in other runtimes.
const ALIASES: &[(&str, &str)] = &[
    ("skills.activate", "skill_load"),
    ("skillsActivate", "skill_load"),
    ("activate_skill", "skill_load"),
    ("skills.read", "skill_load"),
    ("skills.readResource", "skill_read"),
    ("skillsReadResource", "skill_read"),
    ("skills.read_resource", "skill_read"),
    ("skills.list", "skill_search"),
    ("skills.run_script", "skill_run"),
    ("run_script", "skill_run"),
];

/// The canonical name of a tool.
pub fn canonical(name: &str) -> &str {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    alias.map_or(name, |(_, own)| own)
}

/// All tools, in an order that never changes.
pub fn specs(shelf: &Shelf, workspace: WorkspaceTools) -> Vec<ToolSpec> {
    let mut specs = Vec::new();
    if shelf.offered().next().is_some() || !shelf.all().is_empty() {
        specs.extend(skill_specs(shelf));
    }
    if workspace == WorkspaceTools::All {
        specs.extend(workspace_specs());
    }
    specs
}

fn skill_specs(shelf: &Shelf) -> [ToolSpec; 5] {
    let mut names: Vec<String> = shelf
        .offered()
        .map(|each| each.skill.record.name.clone())
        .collect();
    names.sort_unstable();
    let mut loadable = json!({ "type": "string", "description": "The skill" });
    if !names.is_empty() && names.len() <= MAX_ENUM_NAMES {
        loadable["enum"] = json!(names);
    }
    let name = json!({ "type": "string", "description": "A skill that was loaded" });
    [
        spec(
            "skill_search",
            "Find skills for a task. Use it when none of the listed skills fits, because not all \
             may be listed.",
            &json!({ "query": text("What is to be done") }),
            &["query"],
        ),
        spec(
            "skill_load",
            "Load a skill's instructions. Do so before you start a task that it fits.",
            &json!({ "name": loadable, "arguments": text("Arguments for the skill, if it takes any") }),
            &["name"],
        ),
        spec(
            "skill_read",
            "Read a file of a skill, by its path in the skill.",
            &json!({
                "name": name.clone(),
                "path": text("The path of a file that the skill has"),
                "cursor": { "type": "integer", "minimum": 0, "description": "Where to go on, as the last result said" },
            }),
            &["name", "path"],
        ),
        spec(
            "skill_files",
            "List the files of a skill.",
            &json!({ "name": name.clone(), "dir": text("Only below this folder") }),
            &["name"],
        ),
        spec(
            "skill_run",
            "Run a script of a skill in a sandbox.",
            &json!({
                "name": name,
                "script": text("The path of a script that the skill has"),
                "args": { "type": "array", "items": { "type": "string" }, "description": "Its arguments" },
                "stdin": text("What it reads"),
            }),
            &["name", "script"],
        ),
    ]
}

fn workspace_specs() -> [ToolSpec; 6] {
    let path = || text("A path in the workspace");
    let within = || text("Only this folder or file of the workspace");
    [
        spec(
            "Read",
            "Read a file of the workspace.",
            &json!({
                "path": path(),
                "cursor": { "type": "integer", "minimum": 0, "description": "Where to go on, as the last result said" },
            }),
            &["path"],
        ),
        spec(
            "Write",
            "Write a file of the workspace; what was in it is replaced.",
            &json!({ "path": path(), "content": text("The whole new content") }),
            &["path", "content"],
        ),
        spec(
            "Edit",
            "Replace a text in a file of the workspace. The old text must occur exactly once.",
            &json!({ "path": path(), "old": text("The text to replace"), "new": text("What takes its place") }),
            &["path", "old", "new"],
        ),
        spec(
            "Glob",
            "List the files of the workspace whose path matches a pattern such as `src/**/*.rs`.",
            &json!({ "pattern": text("The pattern"), "path": within() }),
            &["pattern"],
        ),
        spec(
            "Grep",
            "Find lines in the files of the workspace.",
            &json!({
                "pattern": text("A regular expression"),
                "path": within(),
                "glob": text("Only files whose path matches this pattern"),
            }),
            &["pattern"],
        ),
        spec(
            "Bash",
            "Run a shell command in the workspace, in a sandbox without network.",
            &json!({ "command": text("The command") }),
            &["command"],
        ),
    ]
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn spec(name: &str, description: &str, properties: &Value, required: &[&str]) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        }),
    }
}
