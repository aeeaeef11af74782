//! What can be wrong with the configuration, and where.

use std::fmt;
use std::path::PathBuf;

use crate::error::EditorFailure;
use crate::error::config_origin::SettingOrigin;

/// Something wrong, and where it was said.
#[derive(Debug)]
pub(crate) struct ConfigError {
    /// Where; nowhere, if it is about the command at hand.
    pub(crate) at: Option<SettingOrigin>,
    /// What.
    pub(crate) problem: ConfigProblem,
}

/// Something wrong. No value is quoted: it could be a secret in the wrong place.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigProblem {
    #[error("{0}")]
    Syntax(String),
    #[error("there is no key `{key}`")]
    Unknown { key: String, meant: Option<String> },
    #[error("`{key}` cannot be used: {problem}")]
    Name { key: String, problem: String },
    #[error("`{key}` has no valid value: {problem}")]
    Value { key: String, problem: String },
    #[error("`{key}` is a table, not a value")]
    Table { key: String, keys: Vec<String> },
    #[error("`{0}` is a value, not a table")]
    NotATable(String),
    #[error("`{key}` says the same as `{other}`")]
    Twice { key: String, other: String },
    #[error("a project may not set `{key}`: {why}")]
    NotForProjects { key: String, why: &'static str },
    #[error("a project may only tighten `{key}`, and here it would be looser than {than}")]
    Loosens { key: String, than: String },
    #[error("only the organisation's file may set `{0}`")]
    OrgOnly(String),
    #[error("`{key}` is locked by `{}`", by.display())]
    Locked { key: String, by: PathBuf },
    #[error("with `opt-in` in `{key}` approvals would lift the block of {block}, which is final")]
    LiftsBlock { key: String, block: String },
    #[error("`{key}` is not set")]
    NotSet { key: String, keys: Vec<String> },
    #[error("the variable `{variable}`, which `{key}` names, is not set")]
    NoVariable { key: String, variable: String },
    #[error(
        "the value of `{key}` cannot be sent in a header: it has a line break or another control character in it"
    )]
    Header { key: String },
    #[error("`{key}` is not sent to `{url}`: plain HTTP could be read on the way")]
    Readable { key: String, url: String },
    #[error("there is no project here")]
    NoProject,
    #[error("`--config` needs KEY=VALUE")]
    NoValue,
    #[error("the configuration was changed by someone else meanwhile; your text is kept in `{}`", kept.display())]
    Changed { kept: PathBuf },
    #[error("{0}, and nothing was changed")]
    Editor(EditorFailure),
    #[error("your text cannot be used, and is kept in `{}`", kept.display())]
    Unusable {
        kept: PathBuf,
        problems: Vec<ConfigError>,
    },
}

impl ConfigError {
    /// Something wrong with the command at hand.
    pub(crate) fn here(problem: ConfigProblem) -> Self {
        Self { at: None, problem }
    }
}

impl std::error::Error for ConfigError {}

impl fmt::Display for ConfigError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = &self.at {
            write!(formatter, "{}: ", at.place())?;
        }
        write!(formatter, "{}", self.problem)
    }
}
