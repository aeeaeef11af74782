//! What a reference stands for once the aliases of the configuration are looked up.

use skillyard_install::reference::{
    Aliases, Reference, ReferenceContext as Reading, ReferenceError, Requirement,
};

use crate::error::CommandError;
use crate::error::install::InstallFailure;

/// Where the skills of a reference really are.
#[derive(Debug, Clone)]
pub(crate) struct ResolvedReference {
    /// The reference without an alias, or a name in a registry.
    pub(crate) reference: Reference,
    /// The alias it was written with, whose login is used.
    pub(crate) alias: Option<String>,
    /// The skill that is meant, wherever in the source it is.
    pub(crate) named: Option<String>,
}

impl ResolvedReference {
    /// A reference that stands for itself.
    pub(crate) fn plain(reference: Reference) -> Self {
        Self {
            reference,
            alias: None,
            named: None,
        }
    }

    /// What is fetched for it, as a key: another login can see other things.
    pub(crate) fn source(&self) -> Result<String, ReferenceError> {
        let whole = self.reference.in_folder("")?;
        let alias = self.alias.as_deref().unwrap_or_default();
        Ok(format!("{alias} {whole}"))
    }

    /// The name that tags of the skill may start with.
    pub(crate) fn tag_name(&self) -> &str {
        let named = self.named.as_deref();
        named.unwrap_or_else(|| match &self.reference {
            Reference::Git(git) => git.tag_name(),
            Reference::Hosted(hosted) => hosted.tag_name(),
            _ => "",
        })
    }
}

/// Whether a range of versions is asked for, which can mean another state for each skill.
pub(crate) fn is_range(requested: Option<&str>) -> bool {
    requested.is_some_and(|text| text.parse::<Requirement>().is_ok())
}

/// Reads a reference that was written down somewhere: what exists here does not change it.
pub(crate) fn written(text: &str) -> Result<Reference, CommandError> {
    written_beside(text, &|_| false)
}

/// The same where somebody may have meant a folder, which `exists`, and has written a repository.
pub(crate) fn written_beside(
    text: &str,
    exists: &dyn Fn(&str) -> bool,
) -> Result<Reference, CommandError> {
    let reading = Reading {
        aliases: Aliases::Any,
        exists,
    };
    Ok(Reference::parse(text, &reading).map_err(InstallFailure::from)?)
}

/// A reference at a certain state.
pub(crate) fn at(reference: Reference, state: Option<&str>) -> Result<Reference, CommandError> {
    match state {
        Some(state) => Ok(reference.at(state).map_err(InstallFailure::from)?),
        None => Ok(reference),
    }
}

/// `folder` and then `relative`, if that stays within the source.
pub(crate) fn joined(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use crate::install::resolved_reference::joined;

    #[test]
    fn neighbours_stay_within_the_source() {
        assert_eq!(joined("skills/a", "../b").as_deref(), Some("skills/b"));
        assert_eq!(joined("a", "./b").as_deref(), Some("a/b"));
        assert_eq!(joined("a", "../../b"), None);
    }
}
