//! Denying patterns that do not deny what their author meant.

use skillyard_format::allowed_tools::{AllowedTools, ToolPattern};

use crate::guard::rule::{RuleScope, ToolRule};

/// What is wrong with a pattern that denies.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternWarning {
    /// Its parentheses do not fit.
    #[error("`{0}` has a parenthesis without the other, so every tool is denied")]
    Unbalanced(String),
    /// There is nothing in it.
    #[error("`{0}` names no tool, so it denies nothing")]
    Empty(String),
    /// No tool is called so.
    #[error("no tool can be called `{0}`, so it denies nothing")]
    Name(String),
    /// What stands in its parentheses is not understood.
    #[error("what `{pattern}` denies is not understood, so every call of `{tool}` is denied")]
    Argument {
        /// The pattern.
        pattern: String,
        /// Its tool.
        tool: String,
    },
}

/// What is wrong with an entry of a list that denies, if anything is.
pub fn lint_pattern(text: &str) -> Option<PatternWarning> {
    let tools = AllowedTools::parse(text);
    if tools.unbalanced {
        return Some(PatternWarning::Unbalanced(text.to_owned()));
    }
    if tools.patterns.is_empty() {
        return Some(PatternWarning::Empty(text.to_owned()));
    }
    tools.patterns.iter().find_map(warning_of)
}

fn warning_of(pattern: &ToolPattern) -> Option<PatternWarning> {
    let can_be = |c: char| c.is_alphanumeric() || "_-.:/@*".contains(c);
    if !pattern.tool.chars().all(can_be) {
        return Some(PatternWarning::Name(pattern.to_string()));
    }
    let rule = ToolRule::denying(pattern, None);
    matches!(rule.scope, RuleScope::Nothing).then(|| PatternWarning::Argument {
        pattern: pattern.to_string(),
        tool: pattern.tool.clone(),
    })
}
