//! Paths inside a source: relative, and nothing that could lead elsewhere on any system.

use std::fmt;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use super::error::{PathProblem, ReferenceError};
use super::shown::{is_invisible, shown};

/// The longest path, in bytes.
const MAX_LENGTH: usize = 1024;
/// The longest part, which is what file systems allow.
const MAX_PART: usize = 255;
/// What a reference would read as something else.
const ESCAPED: &AsciiSet = &CONTROLS.add(b' ').add(b'%').add(b'@').add(b'#').add(b'?');

/// A path inside a repository, archive or index, separated by `/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SubPath(String);

impl SubPath {
    /// Checks a path as it is stored.
    pub fn new(path: &str) -> Result<Self, ReferenceError> {
        match problem(path) {
            None => Ok(Self(path.to_owned())),
            Some(problem) => Err(ReferenceError::Path {
                path: shown(path),
                problem,
            }),
        }
    }

    /// Reads a path as it is written in a reference; nothing, `.` and `/` mean the whole source.
    pub(super) fn parse(text: &str) -> Result<Option<Self>, ReferenceError> {
        let decoded = percent_decode_str(text)
            .decode_utf8()
            .map_err(|_| ReferenceError::Path {
                path: shown(text),
                problem: PathProblem::Character('%'),
            })?;
        let path = decoded.strip_prefix("./").unwrap_or(&decoded);
        let path = path.strip_suffix('/').unwrap_or(path);
        if path.is_empty() || path == "." {
            return Ok(None);
        }
        // The decoded text was not looked at by the check of the whole reference.
        Self::new(path).map(Some)
    }

    /// The path as it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last part.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The path as it is written in a reference.
    pub(super) fn escaped(&self) -> impl fmt::Display + '_ {
        utf8_percent_encode(&self.0, ESCAPED)
    }
}

impl fmt::Display for SubPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn problem(path: &str) -> Option<PathProblem> {
    if path.len() > MAX_LENGTH {
        return Some(PathProblem::TooLong);
    }
    if path.starts_with('/') {
        return Some(PathProblem::Absolute);
    }
    let bad =
        |c: char| is_invisible(c) || matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|');
    if let Some(character) = path.chars().find(|c| bad(*c)) {
        return Some(PathProblem::Character(character));
    }
    path.split('/').find_map(problem_of_part)
}

fn problem_of_part(part: &str) -> Option<PathProblem> {
    if part.is_empty() {
        Some(PathProblem::EmptyPart)
    } else if part == ".." {
        Some(PathProblem::Parent)
    } else if part.ends_with(['.', ' ']) || part.starts_with(' ') {
        Some(PathProblem::DotOrSpace)
    } else if part.starts_with('-') {
        Some(PathProblem::Hyphen)
    } else if is_git_folder(part) {
        Some(PathProblem::Git)
    } else if is_device(part) {
        Some(PathProblem::Device)
    } else if part.len() > MAX_PART {
        Some(PathProblem::TooLong)
    } else {
        None
    }
}

/// `.git` in any case, and the short name that Windows gives it.
fn is_git_folder(part: &str) -> bool {
    part.eq_ignore_ascii_case(".git") || part.eq_ignore_ascii_case("git~1")
}

fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default().trim_end();
    let stem = stem.to_ascii_uppercase();
    match stem.as_str() {
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$" => true,
        _ => stem
            .strip_prefix("COM")
            .or_else(|| stem.strip_prefix("LPT"))
            .is_some_and(|number| {
                matches!(number, "¹" | "²" | "³")
                    || (number.len() == 1 && number.as_bytes()[0].is_ascii_digit())
            }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_elsewhere_are_refused() {
        use PathProblem::{
            Absolute, Character, Device, DotOrSpace, EmptyPart, Git, Hyphen, Parent,
        };
        for (path, expected) in [
            ("..", Parent),
            ("a/../b", Parent),
            ("/etc/passwd", Absolute),
            ("a//b", EmptyPart),
            ("", EmptyPart),
            ("a\\b", Character('\\')),
            ("C:/x", Character(':')),
            ("a\0b", Character('\0')),
            ("a\u{202e}b", Character('\u{202e}')),
            ("a/./b", DotOrSpace),
            ("a./b", DotOrSpace),
            ("a /b", DotOrSpace),
            ("-rf", Hyphen),
            ("a/--upload-pack=x", Hyphen),
            ("a/.GIT/hooks", Git),
            ("GIT~1/x", Git),
            ("nul.txt", Device),
            ("a/com1", Device),
        ] {
            assert_eq!(problem(path), Some(expected), "{path:?}");
        }
        for path in [
            "SKILL.md",
            "a/b c/d",
            "ä/ö",
            ".github/x",
            "a@b#c%d",
            "com10",
            "..a",
        ] {
            assert_eq!(problem(path), None, "{path:?}");
        }
    }

    #[test]
    fn escapes_are_decoded_once_and_then_checked() {
        let parsed = |text: &str| SubPath::parse(text);
        assert_eq!(parsed("a%20b").unwrap().unwrap().as_str(), "a b");
        assert_eq!(parsed("a%2540").unwrap().unwrap().as_str(), "a%40");
        assert_eq!(parsed("./a/").unwrap().unwrap().as_str(), "a");
        assert_eq!(parsed("./").unwrap(), None);
        for hostile in ["%2e%2e/x", "a%2f..%2fb", "%00", "%ff", "a%0ab", "%2Fetc"] {
            assert!(parsed(hostile).is_err(), "{hostile}");
        }
    }
}
