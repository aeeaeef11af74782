//! What comes behind `@`: a commit, a version requirement, or the name of a branch or tag.
//!
//! In a reference `#` and `%` of a name are escaped as in an address, and where nothing else would
//! tell the name from the path before it, `/` and `@`, too.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use super::error::ReferenceError;
use super::requirement::Requirement;
use super::shown::shown;

/// The longest name of a branch or tag, in bytes.
const MAX_LENGTH: usize = 255;

/// What always would be read as something else.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'%').add(b'#');
/// What also would where the end of the repository is not marked.
const ESCAPED_IN_PATHS: &AsciiSet = &ESCAPED.add(b'/').add(b'@');

/// What stands before the `@` of a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RevisionOwner {
    /// Something whose end is known, such as `.git` or the path of a forge: all that follows is the revision.
    End,
    /// A path that goes on up to the last `@` of its last part.
    Path,
}

/// A state of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Revision {
    /// A commit, by 7 to 40 or by 64 hex digits; with fewer than 40, a branch or tag may be called so.
    Commit(String),
    /// The highest tag that is a version and fits.
    Requirement(Requirement),
    /// A branch or tag.
    Name(String),
}

impl Revision {
    /// Whether this is a whole commit id, which can be used without asking anybody.
    pub fn is_full_commit(&self) -> bool {
        matches!(self, Self::Commit(digits) if matches!(digits.len(), 40 | 64))
    }

    /// Reads a revision as it is written in a reference.
    pub(super) fn parse(text: &str) -> Result<Self, ReferenceError> {
        unescaped(text)?.parse()
    }

    /// The revision as it is written in a reference.
    pub(super) fn escaped(&self, before: RevisionOwner) -> String {
        escaped(&self.to_string(), before)
    }
}

/// What is written behind `@`, as it is meant.
pub(super) fn unescaped(text: &str) -> Result<Cow<'_, str>, ReferenceError> {
    let wrong = |problem| ReferenceError::Revision {
        revision: shown(text),
        problem,
    };
    if text.contains('#') {
        return Err(wrong("`#` is written `%23` in it"));
    }
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map_err(|_| wrong("it has a character that is not ASCII"))
}

/// What is meant, as it is written behind `@`.
pub(super) fn escaped(text: &str, before: RevisionOwner) -> String {
    let set = match before {
        RevisionOwner::End => ESCAPED,
        RevisionOwner::Path => ESCAPED_IN_PATHS,
    };
    utf8_percent_encode(text, set).to_string()
}

impl FromStr for Revision {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        if matches!(text.len(), 7..=40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            // Fewer digits can be the name of a tag, which has capitals or not.
            return Ok(Self::Commit(match text.len() {
                40 | 64 => text.to_ascii_lowercase(),
                _ => text.to_owned(),
            }));
        }
        // A leading `v` makes it a tag's own name, however much it looks like a version.
        let versioned = text.starts_with(|c: char| c.is_ascii_digit() || "^~<>=*".contains(c));
        if versioned || text == "latest" {
            match text.parse() {
                Ok(requirement) => return Ok(Self::Requirement(requirement)),
                // Nobody calls a branch so.
                Err(error) if text.contains("||") => return Err(error),
                Err(_) => {}
            }
        }
        match problem(text) {
            None => Ok(Self::Name(text.to_owned())),
            Some(problem) => Err(ReferenceError::Revision {
                revision: shown(text),
                problem,
            }),
        }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Commit(text) | Self::Name(text) => f.write_str(text),
            Self::Requirement(requirement) => requirement.fmt(f),
        }
    }
}

/// The rules of `git check-ref-format`, and that it be plain and no option.
fn problem(name: &str) -> Option<&'static str> {
    let problem = match name {
        "" => "it is empty",
        "@" => "`@` alone is no name",
        _ if name.len() > MAX_LENGTH => "it is too long",
        _ if name.starts_with('-') => "it starts with a hyphen",
        _ if !name.is_ascii() => "it has a character that is not ASCII",
        _ if name.bytes().any(|byte| byte <= b' ' || byte == 0x7f) => {
            "it has a space or control character"
        }
        _ if name.contains(['~', '^', ':', '?', '*', '[', '\\']) => {
            "it has a character that git refuses"
        }
        _ if name.contains("..") || name.contains("@{") => "it has `..` or `@{`",
        _ if name.split('/').any(|part| {
            part.is_empty() || part.starts_with('.') || part.strip_suffix(".lock").is_some()
        }) =>
        {
            "a part is empty, starts with a dot or ends in `.lock`"
        }
        _ if name.ends_with('.') => "it ends in a dot",
        _ => return None,
    };
    Some(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_told_apart() {
        let kind = |text: &str| match text.parse().unwrap() {
            Revision::Commit(_) => "commit",
            Revision::Requirement(_) => "requirement",
            Revision::Name(_) => "name",
        };
        for (text, expected) in [
            ("abcdef1", "commit"),
            ("1234567", "commit"),
            (&"a".repeat(40), "commit"),
            (&"a".repeat(64), "commit"),
            (&"a".repeat(41), "name"),
            ("abcdef", "name"),
            ("1.2", "requirement"),
            ("1", "requirement"),
            ("^1", "requirement"),
            ("~1.2", "requirement"),
            (">=1,<2", "requirement"),
            ("latest", "requirement"),
            ("v1.2.3", "name"),
            ("pdf-v1.2.3", "name"),
            ("pdf@1.2.3", "name"),
            ("main", "name"),
            ("feature/x", "name"),
            ("1.x-maintenance", "name"),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
    }

    #[test]
    fn alternatives_are_told_as_such() {
        for text in ["^1 || ^2", "^1||^2", "1.2 || 2"] {
            let error = text.parse::<Revision>().unwrap_err().to_string();
            assert!(
                error.contains("`||` between ranges is not known"),
                "{error}"
            );
        }
    }

    #[test]
    fn names_that_git_or_a_shell_would_misread_are_refused() {
        for text in [
            "",
            "-x",
            "--upload-pack=x",
            "a..b",
            "a b",
            "a\nb",
            "a~1",
            "a^{}",
            "a:b",
            "a?b",
            "@",
            "a@{1}",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a.",
            "mаin",
            "a\\b",
        ] {
            assert!(text.parse::<Revision>().is_err(), "{text:?}");
        }
    }
}
