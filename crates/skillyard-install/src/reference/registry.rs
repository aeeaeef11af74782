//! Names in registries.

use std::fmt;

use skillyard_format::qualified::QualifiedProblem;
use skillyard_format::{Namespace, QualifiedName, SkillName};

use super::error::ReferenceError;
use super::requirement::Requirement;
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
            Some((name, requirement)) if !name.is_empty() => {
                let requirement = Requirement::in_registry(requirement)?;
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

/// Reads the name of a skill elsewhere, which must be ASCII: nobody can tell `а` from `a`.
pub(super) fn parse_name(name: &str) -> Result<SkillName, ReferenceError> {
    if let Some(character) = name.chars().find(|c| !c.is_ascii()) {
        return Err(ReferenceError::NotAscii {
            text: shown(name),
            character: format!("`{character}` (U+{:04X})", u32::from(character)),
        });
    }
    SkillName::new(name).map_err(|problem| ReferenceError::Name {
        name: shown(name),
        problem,
    })
}
