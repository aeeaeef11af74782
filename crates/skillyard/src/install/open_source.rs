//! A source that was opened, and for which skills.

use skillyard_install::git::Repository;
use skillyard_install::material::Material;
use skillyard_install::tags::Tags;

use crate::install::resolved_reference::ResolvedReference;

/// A source that was opened.
pub(crate) struct OpenSource {
    pub(crate) material: Box<dyn Material>,
    /// The tags that its state was chosen among, where a range of versions was asked for.
    tags: Option<Tags>,
}

impl OpenSource {
    /// A source at a state that may have been chosen among tags.
    pub(crate) fn new(material: Box<dyn Material>, tags: Option<Tags>) -> Self {
        Self { material, tags }
    }

    /// Whether it has the state that is asked for: the same range can mean another one for each
    /// skill.
    pub(crate) fn is_for(&self, meaning: &ResolvedReference) -> bool {
        let tags = self.tags.as_ref();
        tags.is_none_or(|tags| tags.lead_alike(meaning.tag_name()))
    }
}

impl From<Box<dyn Material>> for OpenSource {
    fn from(material: Box<dyn Material>) -> Self {
        Self::new(material, None)
    }
}

impl From<Repository> for OpenSource {
    fn from(repository: Repository) -> Self {
        let tags = repository.tags().cloned();
        Self::new(Box::new(repository), tags)
    }
}
