//! What is wrong with a skill, where, and how to mend it.

use serde::Serialize;

use crate::edit::Edit;
use crate::span::Span;

/// How much a diagnostic matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The skill is invalid under the profile.
    Error,
    /// The skill is valid, and could be better.
    Warning,
}

/// One finding about a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The rule, as `skillyard explain` knows it.
    pub code: &'static str,
    /// How much it matters under the profile.
    pub severity: Severity,
    /// The bytes it is about; `None` when it is about the folder.
    pub span: Option<Span>,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The change that mends it, where that is safe to make.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fix: Vec<Edit>,
}
