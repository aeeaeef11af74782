//! The names under which models see the tools of MCP servers.
//!
//! Providers accept short names of few characters. A name that does not fit is changed and ends in a
//! digest of the original; code that reads lists of tools must expect such names.

use crate::package::Digest;

/// What every tool of a server begins with.
pub const PREFIX: &str = "mcp__";
/// The longest name that providers take.
const MAX_NAME: usize = 64;
/// How many characters of a digest tell changed names apart.
const DIGEST_CHARS: usize = 8;

/// What a tool of a server is called.
///
/// A name that providers would refuse is changed, and carries a mark of what it was.
pub fn exposed(server: &str, tool: &str) -> String {
    let front = format!("{PREFIX}{server}__");
    let room = MAX_NAME - front.len().min(MAX_NAME - DIGEST_CHARS - 2);
    if !tool.is_empty() && tool.len() <= room && tool.chars().all(is_taken) {
        return front + tool;
    }
    let mark = &Digest::of(tool.as_bytes()).to_hex()[..DIGEST_CHARS];
    let kept: String = tool
        .chars()
        .map(sanitize_char)
        .take(room - DIGEST_CHARS - 1)
        .collect();
    format!("{front}{kept}_{mark}")
}

/// A character as names may have it.
pub fn sanitize_char(c: char) -> char {
    if is_taken(c) { c } else { '_' }
}

fn is_taken(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

/// What is left of a name that was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrippedName<'a> {
    /// All of it, with other characters.
    All(&'a str),
    /// Perhaps only its beginning.
    Beginning(&'a str),
}

/// What is left of a name that looks as if it was changed, without its mark.
pub fn strip_digest(name: &str) -> Option<StrippedName<'_>> {
    let (kept, mark) = name.rsplit_once('_')?;
    let is_mark = mark.len() == DIGEST_CHARS && mark.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_lent = name
        .get(..PREFIX.len())
        .is_some_and(|front| front.eq_ignore_ascii_case(PREFIX));
    (is_mark && is_lent).then_some(match name.len() {
        ..MAX_NAME => StrippedName::All(kept),
        _ => StrippedName::Beginning(kept),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_providers_take_stay() {
        assert_eq!(exposed("files", "read_file"), "mcp__files__read_file");
    }

    #[test]
    fn other_names_are_changed_and_never_become_one() {
        let odd = [
            "a b",
            "a.b",
            "a/b",
            "a_b",
            "",
            "ü",
            &"x".repeat(99),
            &"x".repeat(98),
            "a\u{202e}b",
        ];
        let names: Vec<String> = odd.iter().map(|tool| exposed("s", tool)).collect();
        for (at, name) in names.iter().enumerate() {
            assert!(name.len() <= 64, "{name}");
            assert!(
                name.chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)),
                "{name}"
            );
            assert!(!names[..at].contains(name), "{name}");
        }
        let long = exposed(&"s".repeat(32), &"t".repeat(200));
        assert_eq!(long.len(), 64);
    }

    #[test]
    fn what_is_left_of_changed_names_is_told() {
        assert_eq!(strip_digest("mcp__s__a_b"), None);
        assert_eq!(strip_digest("other_90ae9888"), None);
        let odd = exposed("s", "delete.all");
        assert_eq!(
            strip_digest(&odd),
            Some(StrippedName::All("mcp__s__delete_all"))
        );
        let long = exposed("s", &"x".repeat(99));
        let kept = format!("mcp__s__{}", "x".repeat(47));
        assert_eq!(strip_digest(&long), Some(StrippedName::Beginning(&kept)));
    }
}
