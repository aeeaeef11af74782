//! A path inside an archive that is safe to join to a folder on every system.

use std::fmt;

use super::characters::check_component;
use super::problem::EntryProblem;

/// A relative path of plain names separated by `/`: nothing in it leads out, hides or deceives.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArchivePath(String);

impl ArchivePath {
    /// Checks `text`; lengths are for [`Limits`](super::Limits) to judge.
    pub fn new(text: &str) -> Result<Self, EntryProblem> {
        check_ways_out(text)?;
        text.split('/').try_for_each(check_component)?;
        Ok(Self(text.to_owned()))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The names from the root down.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The last name.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The folder it lies in; `None` at the archive's root.
    pub fn parent(&self) -> Option<Self> {
        let (parent, _) = self.0.rsplit_once('/')?;
        Some(Self(parent.to_owned()))
    }

    /// The first name.
    pub fn root(&self) -> &str {
        self.0.split('/').next().unwrap_or_default()
    }

    /// What is left below `folder`; `None` when it lies elsewhere or is the folder itself.
    pub fn below(&self, folder: &str) -> Option<Self> {
        let rest = self.0.strip_prefix(folder)?.strip_prefix('/')?;
        Some(Self(rest.to_owned()))
    }
}

impl fmt::Display for ArchivePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for ArchivePath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

/// Everything by which a path can lead out of a folder.
pub(crate) fn check_ways_out(text: &str) -> Result<(), EntryProblem> {
    check_whole(text)?;
    check_steps(text)
}

/// The outright ways out, before the path is taken apart.
fn check_whole(text: &str) -> Result<(), EntryProblem> {
    let bytes = text.as_bytes();
    match bytes {
        [] => Err(EntryProblem::EmptyName),
        [letter, b':', ..] if letter.is_ascii_alphabetic() => Err(EntryProblem::Drive),
        [b'\\', b'\\', ..] | [b'/', b'/', ..] => Err(EntryProblem::Drive),
        [b'/' | b'\\', ..] => Err(EntryProblem::Absolute),
        _ => Ok(()),
    }
}

/// `..`, `.` and empty names. A backslash is taken for a separator here, so that
/// `..\..\x` is called what it is.
fn check_steps(text: &str) -> Result<(), EntryProblem> {
    let mut depth = 0_i64;
    let mut plain = true;
    for step in text.split(['/', '\\']) {
        match step {
            ".." => {
                depth -= 1;
                plain = false;
            }
            "." | "" => plain = false,
            _ => depth += 1,
        }
        if depth < 0 {
            return Err(EntryProblem::Escapes);
        }
    }
    if text.contains('\\') {
        return Err(EntryProblem::Backslash);
    }
    if plain {
        Ok(())
    } else {
        Err(EntryProblem::NotCanonical)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_are_not_plain_are_refused() {
        for (text, code) in [
            ("", "entry-empty-name"),
            ("../x", "entry-escapes"),
            ("a/../../x", "entry-escapes"),
            ("..\\..\\x", "entry-escapes"),
            ("a\\b", "entry-backslash"),
            ("/etc/passwd", "entry-absolute"),
            ("\\windows", "entry-absolute"),
            ("C:\\x", "entry-drive"),
            ("c:x", "entry-drive"),
            ("\\\\srv\\share", "entry-drive"),
            ("//srv/share", "entry-drive"),
            ("a/../b", "entry-not-canonical"),
            ("a/./b", "entry-not-canonical"),
            ("./a", "entry-not-canonical"),
            ("a//b", "entry-not-canonical"),
            ("a/", "entry-not-canonical"),
            (".", "entry-not-canonical"),
            ("a/b/..", "entry-not-canonical"),
        ] {
            assert_eq!(
                ArchivePath::new(text).expect_err(text).code(),
                code,
                "{text}"
            );
        }
    }

    #[test]
    fn parts_of_a_path() {
        let path = ArchivePath::new("pdf/scripts/run.py").expect("plain");
        assert_eq!(path.root(), "pdf");
        assert_eq!(path.file_name(), "run.py");
        assert_eq!(path.below("pdf").expect("below").as_str(), "scripts/run.py");
        assert_eq!(path.below("pd"), None);
        assert_eq!(path.parent().expect("parent").as_str(), "pdf/scripts");
    }
}
