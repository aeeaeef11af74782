//! The sources that skills are read from: their kinds, and the order in which they win.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What kind of source a skill came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    /// An organisation's folder that nothing may shadow.
    OrgPinned,
    /// A folder of installed plugins.
    Plugin,
    /// The project at hand.
    Project,
    /// The user's own folders.
    User,
    /// Folders that the configuration names.
    Extra,
    /// An organisation's folder.
    Org,
    /// Shipped inside the binary.
    Builtin,
    /// Published by an MCP server; never found by looking.
    Mcp,
}

impl SourceKind {
    /// The word for users.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OrgPinned => "org-pinned",
            Self::Plugin => "plugin",
            Self::Project => "project",
            Self::User => "user",
            Self::Extra => "extra",
            Self::Org => "org",
            Self::Builtin => "builtin",
            Self::Mcp => "mcp",
        }
    }
}

/// A place that skills are read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillSource {
    /// Its kind.
    pub kind: SourceKind,
    /// Its folder; empty for the skills inside the binary.
    pub root: PathBuf,
    /// The project around it, if that is not the project at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<OtherProject>,
}

impl SkillSource {
    /// Whether the user has not trusted the project around it; `here` is the trust in the one at hand.
    pub fn is_untrusted(&self, here: ProjectTrust) -> bool {
        let other = self.other.as_ref();
        let trust = other.map_or(here, |other| other.trust);
        self.kind == SourceKind::Project && trust == ProjectTrust::Untrusted
    }
}

/// Another project than the one at hand, around a folder of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherProject {
    /// Its root, with no link in it.
    pub root: PathBuf,
    /// Whether the user trusts it.
    pub trust: ProjectTrust,
}

/// A folder of an organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrgFolder {
    /// The folder.
    pub path: PathBuf,
    /// Whether its skills win over all others.
    pub pinned: bool,
}

/// Whether skills of the project may reach a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProjectTrust {
    /// The user trusts the project's folder.
    Trusted,
    /// The user has not trusted it.
    #[default]
    Untrusted,
}

/// The kinds that can be put in order, as they stand in the default order.
pub const ORDERABLE_KINDS: [SourceKind; 5] = [
    SourceKind::Project,
    SourceKind::User,
    SourceKind::Extra,
    SourceKind::Org,
    SourceKind::Builtin,
];

/// The kinds of sources in some order, of which the first wins. The folders are those of the default order. Kinds that are
/// not named are after those that are, so that no order hides skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceOrder([SourceKind; ORDERABLE_KINDS.len()]);

/// Why an order is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceOrderError {
    /// Nothing is named.
    #[error("it names no kind of source")]
    Empty,
    /// The kind is unknown, or has a fixed place.
    #[error("`{0}` is no kind of source that can be put in order")]
    Unknown(String),
    /// A kind is named twice.
    #[error("it names `{0}` twice")]
    Twice(&'static str),
}

impl SourceOrder {
    /// The kinds that are named, then the others as they stand in the default order.
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self, SourceOrderError> {
        let mut named: Vec<SourceKind> = Vec::new();
        for word in words {
            let kind = ORDERABLE_KINDS
                .into_iter()
                .find(|kind| kind.as_str() == word);
            let kind = kind.ok_or_else(|| SourceOrderError::Unknown(word.to_owned()))?;
            if named.contains(&kind) {
                return Err(SourceOrderError::Twice(kind.as_str()));
            }
            named.push(kind);
        }
        if named.is_empty() {
            return Err(SourceOrderError::Empty);
        }
        let others = ORDERABLE_KINDS
            .into_iter()
            .filter(|kind| !named.contains(kind));
        let mut kinds = ORDERABLE_KINDS;
        for (place, kind) in kinds.iter_mut().zip(named.iter().copied().chain(others)) {
            *place = kind;
        }
        Ok(Self(kinds))
    }

    /// All kinds, the first wins.
    pub fn kinds(self) -> [SourceKind; ORDERABLE_KINDS.len()] {
        self.0
    }
}

impl Default for SourceOrder {
    fn default() -> Self {
        Self(ORDERABLE_KINDS)
    }
}

impl fmt::Display for SourceOrder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.0.map(SourceKind::as_str);
        formatter.write_str(&words.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &[&str], expected: &str) {
        let order = SourceOrder::new(words.iter().copied());
        let told = order.map_or_else(|error| error.to_string(), |order| order.to_string());
        assert_eq!(told, expected, "{words:?}");
    }

    #[test]
    fn what_is_not_named_comes_behind() {
        check(&["user", "project"], "user,project,extra,org,builtin");
        check(&["builtin"], "builtin,project,user,extra,org");
        check(&[], "it names no kind of source");
        check(&["user", "user"], "it names `user` twice");
        check(
            &["org-pinned"],
            "`org-pinned` is no kind of source that can be put in order",
        );
    }
}
