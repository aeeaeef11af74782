//! Names in a registry: `pdf`, or `@acme/pdf` below the namespace of whoever answers for it.
//!
//! A skill itself only ever has the last part: it stands in its frontmatter and names its folder.
//! Which namespace it is published in is between its publisher and the registry.

use std::fmt;
use std::str::FromStr;

use crate::name::{NameProblem, SkillName};

/// Most characters a namespace may have.
pub const MAX_NAMESPACE: usize = 39;

/// A namespace, without its `@`: the rules of names, in plain ASCII.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Namespace(String);

/// A name in a registry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QualifiedName {
    namespace: Option<Namespace>,
    name: SkillName,
    /// Both parts as one text, which is how it is asked for most.
    full: String,
}

/// Why a text names nothing in a registry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QualifiedProblem {
    /// The last part is no name.
    #[error("{0}")]
    Name(NameProblem),
    /// The part before the slash is no namespace.
    #[error(
        "`@{0}` is no namespace: 1 to {MAX_NAMESPACE} small letters, digits and single hyphens"
    )]
    Namespace(String),
    /// There is a namespace and nothing in it.
    #[error("a name in a namespace is written `@namespace/name`")]
    NoName,
}

/// Whether a text can be a tag, which stands for a version: `beta`, `latest`, `lts-2026`.
///
/// What somebody could mean a version by is none: `v1`, `x`, `1.2`.
pub fn is_tag(text: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    let rest = text.strip_prefix('v').unwrap_or(text);
    (1..=40).contains(&text.len())
        && text.bytes().all(is_plain)
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && !rest.starts_with(|c: char| c.is_ascii_digit())
        && !matches!(text, "x" | "v")
        && !text.ends_with('-')
}

impl Namespace {
    /// Reads a namespace, written with or without its `@`.
    pub fn new(text: &str) -> Result<Self, QualifiedProblem> {
        let plain = text.strip_prefix('@').unwrap_or(text);
        let is_good = plain.len() <= MAX_NAMESPACE
            && plain.is_ascii()
            && SkillName::new(plain).is_ok_and(|name| name.as_str() == plain);
        if is_good {
            Ok(Self(plain.to_owned()))
        } else {
            let shown = plain.chars().filter(|c| !c.is_control()).take(64);
            Err(QualifiedProblem::Namespace(shown.collect()))
        }
    }

    /// Its text, without `@`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.0)
    }
}

impl QualifiedName {
    /// A name, below a namespace or bare.
    pub fn new(namespace: Option<Namespace>, name: SkillName) -> Self {
        let full = match &namespace {
            Some(namespace) => format!("{namespace}/{name}"),
            None => name.to_string(),
        };
        Self {
            namespace,
            name,
            full,
        }
    }

    /// The whole text: `pdf` or `@acme/pdf`.
    pub fn as_str(&self) -> &str {
        &self.full
    }

    /// The namespace, if it is in one.
    pub fn namespace(&self) -> Option<&Namespace> {
        self.namespace.as_ref()
    }

    /// The name that the skill itself has.
    pub fn name(&self) -> &SkillName {
        &self.name
    }

    /// Where its file is in a sparse index: folders that keep each other small.
    pub fn index_path(&self) -> Vec<String> {
        let letters: Vec<char> = self.name.as_str().chars().collect();
        let part = |range: &[char]| range.iter().collect::<String>();
        let mut path: Vec<String> = self.namespace.iter().map(ToString::to_string).collect();
        match letters.as_slice() {
            [] => {}
            [_] => path.push("1".to_owned()),
            [_, _] => path.push("2".to_owned()),
            [first, _, _] => path.extend(["3".to_owned(), first.to_string()]),
            all => path.extend([part(&all[..2]), part(&all[2..4])]),
        }
        path.push(self.name.to_string());
        path
    }
}

impl From<SkillName> for QualifiedName {
    fn from(name: SkillName) -> Self {
        Self::new(None, name)
    }
}

impl FromStr for QualifiedName {
    type Err = QualifiedProblem;

    fn from_str(text: &str) -> Result<Self, QualifiedProblem> {
        let Some(rest) = text.strip_prefix('@') else {
            let name = SkillName::new(text).map_err(QualifiedProblem::Name)?;
            return Ok(Self::new(None, name));
        };
        let (namespace, name) = rest.split_once('/').ok_or(QualifiedProblem::NoName)?;
        if name.is_empty() {
            return Err(QualifiedProblem::NoName);
        }
        // Its own `@` has been taken off; a second one is none of its letters.
        if namespace.starts_with('@') {
            return Err(QualifiedProblem::Namespace(namespace.to_owned()));
        }
        let namespace = Namespace::new(namespace)?;
        let name = SkillName::new(name).map_err(QualifiedProblem::Name)?;
        Ok(Self::new(Some(namespace), name))
    }
}

impl fmt::Display for QualifiedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_as_they_were_written() {
        for (text, namespace, name) in [
            ("pdf", None, "pdf"),
            ("@acme/pdf", Some("acme"), "pdf"),
            ("@a-1/мой-навык", Some("a-1"), "мой-навык"),
        ] {
            let read: QualifiedName = text.parse().unwrap();
            assert_eq!(read.to_string(), text);
            assert_eq!(read.namespace().map(Namespace::as_str), namespace);
            assert_eq!(read.name().as_str(), name);
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in [
            "",
            "@",
            "@/",
            "@acme",
            "@acme/",
            "@/pdf",
            "@Acme/pdf",
            "@acme/pdf/x",
            "@acme//pdf",
            "@@acme/pdf",
            "@а/pdf",
            "@a_b/pdf",
            "@-a/pdf",
            "@acme/../pdf",
            "@../pdf",
            "acme/pdf",
            "@acme /pdf",
        ] {
            assert!(text.parse::<QualifiedName>().is_err(), "{text}");
        }
        let long = format!("@{}/pdf", "a".repeat(MAX_NAMESPACE + 1));
        assert!(long.parse::<QualifiedName>().is_err());
    }

    #[test]
    fn a_tag_is_no_version() {
        for good in ["beta", "latest", "lts-2026", "next", "vnext", "a"] {
            assert!(is_tag(good), "{good}");
        }
        for bad in [
            "", "v1", "v1-2", "1", "x", "v", "Beta", "be ta", "-a", "a-", "a.b", "^1", "é",
        ] {
            assert!(!is_tag(bad), "{bad}");
        }
        assert!(!is_tag(&"a".repeat(41)));
    }

    #[test]
    fn files_of_an_index_are_spread_over_folders() {
        let check = |name: &str, expected: &str| {
            let name: QualifiedName = name.parse().unwrap();
            assert_eq!(name.index_path().join("/"), expected);
        };
        check("a", "1/a");
        check("ab", "2/ab");
        check("pdf", "3/p/pdf");
        check("pdfs", "pd/fs/pdfs");
        check("pdf-tools", "pd/f-/pdf-tools");
        check("мой-навык", "мо/й-/мой-навык");
        check("@acme/pdf", "@acme/3/p/pdf");
        check("@acme/pdf-tools", "@acme/pd/f-/pdf-tools");
    }
}
