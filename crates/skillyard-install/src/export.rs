//! What another agent makes of a skill: fields and shapes that it does not understand.
//!
//! The facts were measured with the clients themselves; they are a table so that a new
//! measurement is a new line.

use skillyard_catalog::agents;
use skillyard_catalog::compatibility::{Quirk, in_file};
use skillyard_format::fields::{CLIENT_FIELDS, KEPT_FIELDS, STANDARD_FIELDS};
use skillyard_format::render::arguments::{commands, placeholders};
use skillyard_format::rules::{self, Profile, Subject};
use skillyard_format::{Document, Skill};

use crate::tree::Tree;

/// Something that is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// What.
    pub what: String,
    /// Why.
    pub why: &'static str,
}

/// The agents that honour the fields of Claude Code.
const CLIENT_FIELD_READERS: [&str; 1] = ["claude-code"];
/// The agents that honour `disable-model-invocation`.
const MODEL_INVOCATION: [&str; 5] = [
    "claude-code",
    "qwen-code",
    "droid",
    "kimi-code-cli",
    "mistral-vibe",
];
/// The agents that accept `skill.md`.
const LOWER_CASE: [&str; 3] = ["amp", "pi", "openhands"];
/// The agents that refuse descriptions of more than 1,024 characters.
const SHORT_DESCRIPTIONS: [&str; 2] = ["github-copilot", "mistral-vibe"];
/// The agents that refuse names which break the rules of the standard.
const STRICT_NAMES: [&str; 4] = ["amp", "droid", "mistral-vibe", "openhands"];

/// The agents that put arguments in the place of `$ARGUMENTS`.
const ARGUMENTS: [&str; 3] = ["claude-code", "goose", "kimi-code-cli"];
/// The agents that count arguments from `$0`.
const COUNTED: [&str; 1] = ["claude-code"];

/// The folder of a plugin of Claude Code, whose hooks and servers are not exported with a skill.
const PLUGIN_ROOT: &str = "${CLAUDE_PLUGIN_ROOT}";

/// What `agent` will not understand of a skill, in the order of its fields.
pub fn losses(skill: &Skill, tree: &Tree, agent: &str) -> Vec<Loss> {
    let mut losses = Vec::new();
    let mut lost = |what: String, why| losses.push(Loss { what, why });
    for entry in &skill.frontmatter.entries {
        let key: &str = &entry.key;
        let is_standard = STANDARD_FIELDS.contains(&key);
        let is_honoured = key == "disable-model-invocation" && MODEL_INVOCATION.contains(&agent);
        if key == "allowed-tools" && !CLIENT_FIELD_READERS.contains(&agent) {
            lost(
                "allowed-tools".into(),
                "it is read but not enforced; `skillyard guard` enforces it",
            );
        } else if CLIENT_FIELDS.contains(&key)
            && !CLIENT_FIELD_READERS.contains(&agent)
            && !is_honoured
        {
            let why = if KEPT_FIELDS.contains(&key) {
                "only Claude Code acts on it"
            } else {
                "only Claude Code and Skillyard act on it"
            };
            lost(key.to_owned(), why);
        } else if !is_standard && !CLIENT_FIELDS.contains(&key) {
            lost(key.to_owned(), "it is not in the standard");
        }
    }
    for needed in skill.requires_skills() {
        lost(
            needed,
            "the skill needs it, and only Skillyard brings it along: export it, too",
        );
    }
    if tree.get("SKILL.md").is_none() && !LOWER_CASE.contains(&agent) {
        lost("skill.md".into(), "the file must be called `SKILL.md`");
    }
    if skill.description.chars().count() > 1024 && SHORT_DESCRIPTIONS.contains(&agent) {
        lost(
            "description".into(),
            "it has more than 1,024 characters, and the skill is left out",
        );
    }
    if skillyard_format::SkillName::new(&skill.name).is_err() && STRICT_NAMES.contains(&agent) {
        lost(
            "name".into(),
            "it breaks the rules for names, and the skill is left out",
        );
    }
    let file = tree.skill_file();
    let document = Document::parse(file.map(|file| &*file.bytes).unwrap_or_default());
    let (missed, ignored) = missed(skill, &document, file.map_or("", |file| &file.path), agent);
    if let Some(quirk) = missed {
        lost("the skill".into(), quirk.reason());
    }
    if let Some(quirk) = ignored {
        lost("the frontmatter".into(), quirk.reason());
    }
    let written = placeholders(&document);
    // Prices look the same, and no skill begins to count with one of those.
    let fields = ["argument-hint", "arguments"].iter();
    let counts = written.contains(&"$0")
        || fields
            .clone()
            .any(|key| skill.frontmatter.get(key).is_some());
    for placeholder in written {
        let why = match placeholder {
            "${CLAUDE_SKILL_DIR}" if agent == "claude-code" => continue,
            "${SKILL_DIR}" | "${CLAUDE_SKILL_DIR}" => {
                "it stays as it is; a path relative to the skill's folder is understood everywhere"
            }
            _ if placeholder.starts_with("$ARGUMENTS") => {
                if ARGUMENTS.contains(&agent) {
                    continue;
                }
                "it stays as it is: no arguments are put in its place"
            }
            _ if COUNTED.contains(&agent) || !counts => continue,
            _ if !placeholder[1..].starts_with(|c: char| c.is_ascii_digit()) => {
                "it stays as it is: arguments have no names there"
            }
            _ if agent == "goose" => "arguments are counted from `$1` there",
            _ => "it stays as it is: no arguments are put in its place",
        };
        lost(placeholder.to_owned(), why);
    }
    if document.body().contains(PLUGIN_ROOT) {
        lost(
            PLUGIN_ROOT.into(),
            "it stays as it is: only the skills of a plugin of Claude Code have one",
        );
    }
    if agent != "claude-code" {
        for command in commands(document.body()) {
            lost(
                command.to_owned(),
                "it stays as it is: only Claude Code runs it and puts its output there",
            );
        }
    }
    losses
}

/// What about the file keeps the agent from offering the skill, or from reading its frontmatter, besides
/// what is told of its fields.
fn missed(
    skill: &Skill,
    document: &Document<'_>,
    file: &str,
    agent: &str,
) -> (Option<Quirk>, Option<Quirk>) {
    let subject = Subject {
        file_name: file,
        ..Subject::new(document, Some(&skill.name))
    };
    let found = rules::check(&subject, Profile::Load);
    let problems: Vec<_> = found
        .iter()
        .map(|each| (each.code, &*each.message))
        .collect();
    let is_strict = STRICT_NAMES.contains(&agent);
    let is_told = |quirk: Quirk| match quirk {
        Quirk::LowerCaseFile | Quirk::DescriptionLong => true,
        Quirk::NameCharacters
        | Quirk::NameSpace
        | Quirk::NameHyphens
        | Quirk::NameNotAscii
        | Quirk::NameLong => is_strict,
        _ => false,
    };
    let agent = agents::find(agent);
    let misses = agent.map_or(&[][..], |agent| &agent.misses);
    let ignores = agent.map_or(&[][..], |agent| &agent.ignores);
    let quirks = in_file((&skill.name, &skill.description), file, document, &problems);
    // One is enough, and another may be a wider name of the same.
    let first = |some: &[Quirk]| {
        let mut quirks = quirks.iter().copied();
        quirks.find(|quirk| some.contains(quirk) && !is_told(*quirk))
    };
    (first(misses), first(ignores))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::TreeFile;

    fn lost(frontmatter: &str, file: &str, agent: &str) -> Vec<String> {
        lost_of(frontmatter, "", file, agent)
    }

    fn lost_of(frontmatter: &str, body: &str, file: &str, agent: &str) -> Vec<String> {
        let text = format!("---\nname: pdf\ndescription: d\n{frontmatter}---\n{body}");
        let tree = Tree::new(vec![TreeFile {
            path: file.into(),
            executable: false,
            bytes: text.clone().into_bytes(),
        }]);
        let document = Document::parse(text.as_bytes());
        let skill = Skill::from_document(&document, None).unwrap();
        let losses = losses(&skill, &tree.unwrap(), agent);
        losses.into_iter().map(|loss| loss.what).collect()
    }

    #[test]
    fn each_agent_loses_what_it_does_not_know() {
        let fields = "allowed-tools: Read\nmodel: opus\nicon: x\n";
        assert_eq!(lost(fields, "SKILL.md", "claude-code"), ["icon"]);
        assert_eq!(
            lost(fields, "SKILL.md", "codex"),
            ["allowed-tools", "model", "icon"]
        );
        assert_eq!(lost("", "skill.md", "codex"), ["skill.md"]);
        assert!(lost("", "skill.md", "amp").is_empty());
        assert!(lost("disable-model-invocation: true\n", "SKILL.md", "droid").is_empty());
    }

    #[test]
    fn what_nobody_puts_arguments_into_is_lost() {
        let body = "Run ${SKILL_DIR}/x $ARGUMENTS, then $0. It costs $5; \\$1 is text.\n";
        let lost = |agent| lost_of("", body, "SKILL.md", agent);
        assert_eq!(lost("claude-code"), ["${SKILL_DIR}"]);
        assert_eq!(lost("goose"), ["${SKILL_DIR}", "$0", "$5"]);
        assert_eq!(lost("codex"), ["${SKILL_DIR}", "$ARGUMENTS", "$0", "$5"]);
        let named = "Deploy $env from $branch: !`git status`, not wow!`x`.\n";
        let lost = |agent| lost_of("arguments: [env, branch]\n", named, "SKILL.md", agent);
        assert!(lost("claude-code").is_empty());
        let left = ["arguments", "$env", "$branch", "!`git status`"];
        assert_eq!(lost("codex"), left);
        assert_eq!(lost("goose"), left);
        let plugin = "Run ${CLAUDE_PLUGIN_ROOT}/hooks/x.sh.\n";
        for agent in ["claude-code", "codex"] {
            let left = lost_of("", plugin, "SKILL.md", agent);
            assert_eq!(left, ["${CLAUDE_PLUGIN_ROOT}"]);
        }
        let prices = "It costs $5.\n";
        assert!(lost_of("", prices, "SKILL.md", "codex").is_empty());
    }
    #[test]
    fn what_a_skill_needs_does_not_come_along() {
        let flat = "metadata:\n  skillyard.requires-skills: ../beta\n";
        assert_eq!(lost(flat, "SKILL.md", "codex"), ["../beta"]);
        assert_eq!(lost(flat, "SKILL.md", "claude-code"), ["../beta"]);
    }
}
