//! Names in registries.

use std::fmt;

use percent_encoding::percent_decode_str;
use semver::Version;
use skillyard_format::qualified::QualifiedProblem;
use skillyard_format::{Namespace, QualifiedName, SkillName};
use url::Url;

use super::error::ReferenceError;
use super::requirement::Requirement;
use super::revision::{RevisionOwner, escaped, unescaped};
use super::shown::shown;

/// A name in a registry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RegistryReference {
    /// The registry; without one, the default.
    pub alias: Option<String>,
    /// The skill.
    pub name: QualifiedName,
    /// Which versions are wanted.
    pub requirement: Requirement,
}

impl fmt::Display for RegistryReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(alias) = &self.alias {
            write!(f, "{alias}:")?;
        }
        self.name.fmt(f)?;
        match &self.requirement {
            Requirement::Latest => Ok(()),
            Requirement::InSource(text) => write!(f, "@{}", escaped(text, RevisionOwner::End)),
            requirement => write!(f, "@{requirement}"),
        }
    }
}

impl RegistryReference {
    /// Reads `name` or `@namespace/name`, perhaps with `@requirement` behind it.
    pub(super) fn parse(alias: Option<&str>, text: &str) -> Result<Self, ReferenceError> {
        // An `@` at the start belongs to the namespace.
        let start = usize::from(text.starts_with('@'));
        let (name, requirement) = match text[start..].split_once('@') {
            Some((name, wanted)) if !name.is_empty() => {
                let requirement = match alias {
                    Some(_) => Requirement::in_source(&unescaped(wanted)?)?,
                    None => Requirement::in_registry(wanted)?,
                };
                (&text[..start + name.len()], requirement)
            }
            _ => (text, Requirement::Latest),
        };
        Ok(Self {
            alias: alias.map(str::to_owned),
            name: parse_qualified(name)?,
            requirement,
        })
    }

    /// The same in other versions, or in another state where the source is a repository.
    pub(crate) fn at(mut self, text: &str) -> Result<Self, ReferenceError> {
        self.requirement = match self.alias {
            Some(_) => Requirement::in_source(text)?,
            None => Requirement::in_registry(text)?,
        };
        Ok(self)
    }

    /// The same where the source is known to be a registry.
    pub fn in_registry(mut self) -> Result<Self, ReferenceError> {
        if let Requirement::InSource(text) = &self.requirement {
            self.requirement = Requirement::in_registry(text)?;
        }
        Ok(self)
    }
}

impl RegistryReference {
    /// What an address within a registry is about, by the path below the registry: a page of a
    /// skill, or an archive of it.
    pub fn of_address(alias: Option<&str>, below: &str, address: &Url) -> Option<Self> {
        let below = percent_decode_str(below).decode_utf8().ok()?;
        let parts: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
        let (kind, rest) = parts.split_first()?;
        let length = if rest.first()?.starts_with('@') { 2 } else { 1 };
        let (name, rest) = rest.split_at_checked(length)?;
        let wanted = |name: &str| {
            let mut pairs = address.query_pairs();
            pairs.find_map(|(key, value)| (key == name).then(|| value.into_owned()))
        };
        let version = match (*kind, rest) {
            ("skills", [] | ["download"]) => None,
            ("skills", [version, "download" | "archive.zip" | "archive.tar.gz"]) => {
                Some((*version).to_owned())
            }
            ("view", [] | ["files", ..]) => wanted("version"),
            _ => return None,
        };
        let requirement = match version {
            None => Requirement::Latest,
            Some(version) => Version::parse(&version).ok()?.to_string().parse().ok()?,
        };
        Some(Self {
            alias: alias.map(str::to_owned),
            name: parse_qualified(&name.join("/")).ok()?,
            requirement,
        })
    }
}

/// Reads a name with or without a namespace.
fn parse_qualified(text: &str) -> Result<QualifiedName, ReferenceError> {
    let Some(rest) = text.strip_prefix('@') else {
        return Ok(parse_name(text)?.into());
    };
    let wrong = |problem: QualifiedProblem| ReferenceError::Namespace {
        text: shown(text),
        problem,
    };
    let parts = rest.split_once('/').filter(|(_, name)| !name.is_empty());
    let (namespace, name) = parts.ok_or_else(|| wrong(QualifiedProblem::NoName))?;
    let namespace = Namespace::new(namespace).map_err(wrong)?;
    Ok(QualifiedName::new(Some(namespace), parse_name(name)?))
}

/// Reads the name of a skill elsewhere, which must be no other in disguise: nobody can tell `а`
/// from `a`.
pub(super) fn parse_name(name: &str) -> Result<SkillName, ReferenceError> {
    let valid = SkillName::new(name).map_err(|problem| ReferenceError::Name {
        name: shown(name),
        problem,
    })?;
    match name.chars().find(|c| !c.is_ascii()) {
        Some(character) if valid.is_disguised() => Err(ReferenceError::NotAscii {
            text: shown(name),
            character: format!("`{character}` (U+{:04X})", u32::from(character)),
        }),
        _ => Ok(valid),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_within_a_registry_stand_for_skills() {
        let read = |below: &str| {
            let address = Url::parse(&format!("https://h/registry{below}")).unwrap();
            let path = address.path().strip_prefix("/registry").unwrap();
            let reference = RegistryReference::of_address(Some("corp"), path, &address);
            reference.map(|reference| reference.to_string())
        };
        for (below, meant) in [
            ("/skills/pdf", "corp:pdf"),
            ("/skills/pdf/download", "corp:pdf"),
            ("/skills/pdf/1.0.0/download", "corp:pdf@1.0.0"),
            (
                "/skills/@acme/pdf/1.0.0/archive.zip",
                "corp:@acme/pdf@1.0.0",
            ),
            ("/skills/%40acme%2Fpdf/download", "corp:@acme/pdf"),
            ("/view/pdf", "corp:pdf"),
            ("/view/pdf?version=2.0.0-rc.1", "corp:pdf@2.0.0-rc.1"),
            ("/view/@acme/pdf/files/SKILL.md", "corp:@acme/pdf"),
        ] {
            assert_eq!(read(below).as_deref(), Some(meant), "{below}");
        }
        for below in [
            "",
            "/",
            "/skills",
            "/skills/pdf/latest/download",
            "/skills/pdf/owners",
            "/skills/@acme",
            "/view/pdf/compare",
            "/pdf",
        ] {
            assert_eq!(read(below), None, "{below}");
        }
    }
}
