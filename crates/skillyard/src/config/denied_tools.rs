//! Entries of `tools.deny` that deny something else than they say.

use skillyard_trust::guard::lint_pattern;

use super::layer::Setting;
use crate::config::value::ConfigValue;
use crate::error::config_error::ConfigProblem;

/// What is wrong with a setting of `tools.deny`, if anything is; other keys are not looked at.
pub(crate) fn problem(setting: &Setting) -> Option<ConfigProblem> {
    let ConfigValue::List(patterns) = &setting.value else {
        return None;
    };
    let is_ours = setting.key == "tools.deny";
    let mut patterns = patterns.iter().filter(|_| is_ours);
    let problem = patterns.find_map(|pattern| lint_pattern(pattern))?;
    Some(ConfigProblem::Value {
        key: setting.key.clone(),
        problem: problem.to_string(),
    })
}
