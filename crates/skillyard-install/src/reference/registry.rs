//! Names in registries.

use std::fmt;

use skillyard_format::SkillName;

use super::error::ReferenceError;
use super::requirement::Requirement;
use super::shown::shown;

/// A name in a registry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RegistryReference {
    /// The registry; without one, the default.
    pub alias: Option<String>,
    /// The skill.
    pub name: SkillName,
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
    /// Reads `name` or `name@requirement`.
    pub(super) fn parse(alias: Option<&str>, text: &str) -> Result<Self, ReferenceError> {
        let (name, requirement) = match text.split_once('@') {
            Some((name, requirement)) if !name.is_empty() => (name, requirement.parse()?),
            _ => (text, Requirement::Latest),
        };
        Ok(Self {
            alias: alias.map(str::to_owned),
            name: parse_name(name)?,
            requirement,
        })
    }
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
