//! Hints about the configuration.

use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::error::config_origin::SettingOrigin;
use crate::text::shell::shell_path;

/// What the user can do about the first problem that something can be done about.
pub(super) fn hint_of_all(problems: &[ConfigError]) -> Option<String> {
    let meant = problems.iter().filter_map(|error| match &error.problem {
        ConfigProblem::Unknown {
            key,
            meant: Some(meant),
        } => Some(format!("`{meant}` for `{key}`")),
        _ => None,
    });
    let meant: Vec<String> = meant.collect();
    if problems.len() > 1 && !meant.is_empty() {
        return Some(format!("Did you mean {}?", meant.join(", and ")));
    }
    problems.iter().find_map(hint)
}

/// What the user can do about it.
pub(super) fn hint(error: &ConfigError) -> Option<String> {
    Some(match &error.problem {
        // What lists the keys cannot be asked while a file has one that is none.
        ConfigProblem::Unknown { meant: None, .. }
            if matches!(error.at, Some(SettingOrigin::File { .. })) =>
        {
            "Mend or delete the line; your own configuration opens with `skillyard config edit`"
                .into()
        }
        ConfigProblem::Syntax(_) => {
            "Mend the line; your own configuration opens with `skillyard config edit`".into()
        }
        ConfigProblem::Unknown {
            meant: Some(key), ..
        } => format!("Did you mean `{key}`?"),
        ConfigProblem::Unknown { meant: None, .. } => {
            "See every key with `skillyard config list --all`".into()
        }
        ConfigProblem::Table { keys, .. } => format!("Its keys are {}", listed(keys)),
        ConfigProblem::NotSet { key, keys } => match &keys[..] {
            [] => format!("Set it with `skillyard config set {key} VALUE`"),
            [first, ..] => format!(
                "Set one of its keys, such as with `skillyard config set {first} VALUE`; they are {}",
                listed(keys)
            ),
        },
        ConfigProblem::NotForProjects { key, .. } | ConfigProblem::Loosens { key, .. } => {
            format!(
                "If you want it, set it in your own configuration with `skillyard config set {key} VALUE`"
            )
        }
        ConfigProblem::NoVariable { variable, .. } => {
            format!("Set it where you start skillyard: `export {variable}=…`")
        }
        ConfigProblem::Readable { .. } => "Use `https://`".into(),
        ConfigProblem::NoProject => {
            "In the home directory there is only your own configuration".into()
        }
        ConfigProblem::Editor(_) => {
            "Set `EDITOR` to the program that you write with, if it is another one".into()
        }
        ConfigProblem::NoValue => "For example `--config install.scope=user`".into(),
        ConfigProblem::Changed { kept } => format!(
            "Look at both; to go on with your text, run `skillyard config edit --from {}`",
            shell_path(kept)
        ),
        ConfigProblem::Unusable { kept, problems } => {
            let is_unknown =
                |each: &&ConfigError| matches!(each.problem, ConfigProblem::Unknown { .. });
            let meant = problems.iter().filter(is_unknown).find_map(hint);
            let meant = meant.map_or_else(String::new, |meant| format!("{meant} "));
            format!(
                "{meant}Mend it with `skillyard config edit --from {}`, and the flags that you gave",
                shell_path(kept)
            )
        }
        _ => return None,
    })
}

fn listed(keys: &[String]) -> String {
    format!("`{}`", keys.join("`, `"))
}

/// 1 when the answer is no, 2 when there is no answer.
pub(super) fn code(error: &ConfigError) -> u8 {
    match error.problem {
        ConfigProblem::NotSet { .. } => 1,
        _ => 2,
    }
}

/// Every problem on a line of its own.
pub(super) fn causes(problems: &[ConfigError]) -> impl Iterator<Item = String> {
    problems.iter().map(ToString::to_string)
}

/// The problems behind one.
pub(super) fn causes_of(error: &ConfigError) -> Vec<String> {
    match &error.problem {
        ConfigProblem::Unusable { problems, .. } => causes(problems).collect(),
        _ => Vec::new(),
    }
}
