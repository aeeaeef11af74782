//! What the user can do about a failure.

use std::path::Path;

use skillyard_format::text::nearest;

use super::{CommandError, agent, config, system};

use crate::error;
use crate::error::GIT_NEEDED;
use crate::text::shell::{shell_path, shell_word};

impl CommandError {
    /// What the user can do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        self.own_hint().or_else(|| system::hint(self))
    }

    fn own_hint(&self) -> Option<String> {
        Some(match self {
            Self::NoSuchPath(path) => return near_path(path),
            Self::Refused { path, .. } => return error::remedy(path),
            Self::NoSkills(_) => {
                "A skill is a folder with a `SKILL.md`; make one with `skillyard new NAME`".into()
            }
            Self::NotASkill(path) => format!(
                "Name the folder that holds the `SKILL.md`, or look below it with `skillyard validate {}`",
                shell_path(path)
            ),
            Self::Misspelled(path) => renaming(path),
            Self::NotASkillFile(_) => "Name a `SKILL.md`, or the folder that holds it".into(),
            Self::NotLoadable { path, .. } => format!(
                "See all that is wrong with `skillyard validate {}`",
                shell_path(path)
            ),
            Self::Memory { path, .. } => format!(
                "Put it back from a copy; without one, `rm {}` forgets what registries said before, and whether they changed it",
                shell_path(path)
            ),
            Self::Dangling { link, .. } => format!(
                "Bring back what it leads to, as by mounting its disk; what was set there is forgotten with `rm {}`",
                shell_path(link)
            ),
            Self::InTheWay(path) => format!(
                "Write to another place, or remove it first: `rm -r {}`",
                shell_path(path)
            ),
            Self::Exists(path) => format!("Edit `{}`, or choose another name", path.display()),
            Self::Name {
                proposal: Some(name),
                ..
            } => format!("Call it `{name}`"),
            Self::DeviceName(_) => "Choose another name".into(),
            Self::Name { .. } => "A name has lowercase letters, digits and hyphens".into(),
            Self::NoSuchRule {
                nearest: Some(code),
                ..
            } => format!("Did you mean `{code}`?"),
            Self::NoSuchRule { nearest: None, .. } => {
                "List all rules with `skillyard explain`; ask about a skill with `skillyard explain skill NAME`".into()
            }
            Self::NoSkillName => "List the names with `skillyard list`".into(),
            Self::NoSuchFile {
                nearest: Some(path),
                ..
            } => format!("Did you mean `{path}`?"),
            Self::NoSuchFile { skill, .. } => format!(
                "List its files with `skillyard show {} --files`",
                shell_word(skill)
            ),
            Self::NoDescription => {
                "Pass `--description \"What it does. Use when …\"`, or `-f FILE`".into()
            }
            Self::Description { help, .. } => return help.clone(),
            Self::Invalid { path, .. } => {
                format!("Correct `{}`, then run the command again", path.display())
            }
            Self::Editor { file, .. } => {
                format!(
                    "The skill was made; its instructions are in `{}`",
                    file.display()
                )
            }
            Self::Locked {
                key: "agents.model",
                locked: Some(model),
                ..
            } => format!(
                "Say `--model {model}`; an agent gets it with `skillyard agent edit NAME --model {model}`"
            ),
            Self::Unasked { .. } => GIT_NEEDED.into(),
            Self::NotExported { remedy, .. } => return remedy.clone(),
            Self::NoEditor => "Set `EDITOR` to the program that you write with".into(),
            Self::NoSuchSkill { name, nearest } => no_such_skill(name, nearest.as_deref()),
            Self::NotHere { scope, .. } => format!("Bring it here with `skillyard sync{scope}`"),
            Self::Audit(skillyard_audit::AuditError::NotAFile { .. }) => {
                "Move it away; what happens next begins a new log".into()
            }
            Self::AuditUsage(problem) => problem.hint(),
            Self::Configuration(problems) => return config::hint_of_all(problems),
            Self::Setting(problem) => return config::hint(problem),
            Self::Signing(error) => return error.hint(),
            Self::Trust(failure) => return failure.hint(),
            Self::NoFolder => "See what is trusted with `skillyard trust list`".into(),
            Self::Install(failure) => return failure.hint(),
            Self::Registry(failure) => return failure.hint(),
            Self::Run(error) => return error.hint(),
            Self::Serve(failure) => return failure.hint(),
            Self::Mcp(failure) => return failure.hint(),
            Self::Agent(failure) => return failure.hint(),
            Self::Turn(error) => return agent::hint(error),
            Self::Tasks { .. } => "See the form of the file with `skillyard eval --help`".into(),
            _ => return None,
        })
    }
}

/// What was meant with the name of a skill that is not here.
fn no_such_skill(name: &str, nearest: Option<&str>) -> String {
    if let Some(name) = nearest {
        return format!("Did you mean `{name}`?");
    }
    if Path::new(name).join("SKILL.md").is_file() {
        // A word with a slash is a path already.
        let start = if name.contains('/') { "" } else { "./" };
        let path = shell_word(&format!("{start}{name}"));
        return format!(
            "That is a folder here; to use the skill in it, run `skillyard install {path}`"
        );
    }
    if is_source(name) {
        let name = shell_word(name);
        return format!(
            "That says where a skill comes from: run `skillyard install {name}`, then name the skill"
        );
    }
    "List the skills that are here with `skillyard list --all`".into()
}

/// Whether a word can only say where a skill comes from: no skill has such a name.
fn is_source(word: &str) -> bool {
    let is_path = word.starts_with(['.', '/', '~']);
    word.contains("://") || word.starts_with('@') || !is_path && word.matches('/').count() > 1
}

/// How a file gets the name that it should have on every system.
fn renaming(path: &Path) -> String {
    let right = path.with_file_name("SKILL.md");
    let (from, to) = (shell_path(path), shell_path(&right));
    format!("Rename it to `SKILL.md`: `mv {from} {to}`")
}

/// The hint for a path that is not there: one beside it whose name is near.
fn near_path(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let near = nearest(name, names.iter().map(String::as_str))?;
    Some(format!(
        "Did you mean `{}`?",
        path.with_file_name(near).display()
    ))
}
