//! A reference taken apart: what it is about, and which state of it is wanted.
//!
//! The lock keeps both, so that the same skill in another version is still the same skill.

use skillyard_format::SkillName;

use crate::reference::{Reference, ReferenceError, Requirement, SubPath};

impl Reference {
    /// The reference without a revision or version, and that.
    pub fn identity(&self) -> (Self, Option<String>) {
        let mut identity = self.clone();
        let requested = match &mut identity {
            Self::Hosted(hosted) => hosted.revision.take().map(|each| each.to_string()),
            Self::Git(git) => git.revision.take().map(|each| each.to_string()),
            Self::Registry(registry) => match std::mem::take(&mut registry.requirement) {
                Requirement::Latest => None,
                wanted => Some(wanted.to_string()),
            },
            Self::Local(_) | Self::Archive(_) | Self::WellKnown { .. } => None,
        };
        (identity, requested)
    }

    /// The reference to a certain revision or version; others have none.
    pub fn at(&self, requested: &str) -> Result<Self, ReferenceError> {
        let mut reference = self.clone();
        match &mut reference {
            Self::Hosted(hosted) => hosted.revision = Some(requested.parse()?),
            Self::Git(git) => git.revision = Some(requested.parse()?),
            Self::Registry(registry) => *registry = registry.clone().at(requested)?,
            Self::Local(_) | Self::Archive(_) | Self::WellKnown { .. } => {}
        }
        Ok(reference)
    }

    /// Whether a revision can be asked for.
    pub fn has_revisions(&self) -> bool {
        matches!(self, Self::Hosted(_) | Self::Git(_) | Self::Registry(_))
    }

    /// The folder within the source; the name of the skill where a site lists it.
    pub fn path(&self) -> &str {
        let path = match self {
            Self::Hosted(hosted) => hosted.path.as_ref(),
            Self::Git(git) => git.subdir.as_ref(),
            Self::WellKnown { skill, .. } => return skill.as_ref().map_or("", SkillName::as_str),
            _ => None,
        };
        path.map_or("", SubPath::as_str)
    }

    /// The reference to one folder of the same source.
    pub fn in_folder(&self, path: &str) -> Result<Self, ReferenceError> {
        let mut reference = self.clone();
        let folder = || match path {
            "" => Ok(None),
            path => SubPath::new(path).map(Some),
        };
        match &mut reference {
            Self::Hosted(hosted) => hosted.path = folder()?,
            Self::Git(git) => git.subdir = folder()?,
            Self::WellKnown { skill, .. } => *skill = SkillName::new(path).ok(),
            Self::Local(_) | Self::Registry(_) | Self::Archive(_) => {}
        }
        Ok(reference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::ReferenceContext;

    #[test]
    fn references_come_apart_and_together() {
        for (text, identity, requested) in [
            ("github:a/b/c@^1", "github:a/b/c", Some("^1")),
            (
                "git+https://h/r.git@main#x",
                "git+https://h/r.git#x",
                Some("main"),
            ),
            ("pdf@1.2", "pdf", Some("1.2")),
            ("pdf@beta", "pdf", Some("beta")),
            ("@acme/pdf@^1", "@acme/pdf", Some("^1")),
            ("corp:@acme/pdf", "corp:@acme/pdf", None),
            ("./x", "./x", None),
        ] {
            let reference = Reference::parse(text, &ReferenceContext::default()).unwrap();
            let (found, wanted) = reference.identity();
            assert_eq!(
                (found.to_string().as_str(), wanted.as_deref()),
                (identity, requested)
            );
            if let Some(requested) = requested {
                assert_eq!(found.at(requested).unwrap(), reference);
            }
        }
    }

    #[test]
    fn a_folder_of_the_same_source_can_be_named() {
        let reference = Reference::parse("github:a/b@v1", &ReferenceContext::default()).unwrap();
        assert_eq!(
            reference.in_folder("x/y").unwrap().to_string(),
            "github:a/b/x/y@v1"
        );
        assert!(reference.in_folder("../y").is_err());
    }
}
