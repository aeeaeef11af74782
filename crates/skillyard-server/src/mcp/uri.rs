//! `skill://NAME/PATH`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use skillyard_agent::mcp_client::PublishedSkill;

const SCHEME: &str = "skill://";
const KEPT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'/');

/// A skill, or something in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SkillUri {
    /// The skill's name.
    pub(super) name: String,
    /// The path below its root; empty for the root.
    pub(super) path: String,
}

impl SkillUri {
    /// Parses a URI; its path is checked when it is read.
    pub(super) fn parse(uri: &str) -> Option<Self> {
        let rest = uri.strip_prefix(SCHEME)?;
        if rest.contains(['?', '#']) {
            return None;
        }
        let (name, path) = rest.split_once('/').unwrap_or((rest, ""));
        let decoded = |text: &str| Some(percent_decode_str(text).decode_utf8().ok()?.into_owned());
        let (name, path) = (decoded(name)?, decoded(path)?);
        let root_with_slash = rest.ends_with('/') && path.is_empty();
        (!name.is_empty() && !root_with_slash).then_some(Self { name, path })
    }
}

/// The URI of a file.
pub(super) fn file(name: &str, path: &str) -> String {
    format!("{}/{}", root(name), utf8_percent_encode(path, KEPT))
}

/// The URI of a skill's folder.
pub(super) fn root(name: &str) -> String {
    // A slash in a name leads no deeper.
    format!("{SCHEME}{}", encoded(name).replace('/', "%2F"))
}

/// A text as it can stand in a URI.
pub(super) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, KEPT).to_string()
}

/// The address of a skill here.
pub(super) fn upstream_root(skill: &PublishedSkill) -> String {
    format!(
        "{}/{}",
        root(&format!("mcp:{}", skill.server)),
        encoded(&skill.name)
    )
}

/// The name of the skill that an address here leads to, and the path in it.
pub(super) fn upstream_name(name: &str, path: &str) -> Option<(String, String)> {
    let server = name.strip_prefix("mcp:")?;
    let (skill, path) = path.split_once('/').unwrap_or((path, ""));
    Some((format!("{server}:{skill}"), path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for (name, path) in [
            ("pdf", "SKILL.md"),
            ("été", "a b/ü?#%.md"),
            ("pdf", ""),
            ("TCP/IP", "a/b.md"),
        ] {
            let written = if path.is_empty() {
                root(name)
            } else {
                file(name, path)
            };
            let read = SkillUri::parse(&written).unwrap();
            assert_eq!((read.name.as_str(), read.path.as_str()), (name, path));
        }
    }

    #[test]
    fn other_uris_are_not_understood() {
        for uri in [
            "",
            "skill://",
            "skill:///x",
            "file:///etc/passwd",
            "skill://a/b?c",
            "skill://a/",
        ] {
            assert_eq!(SkillUri::parse(uri), None, "{uri}");
        }
    }
}
