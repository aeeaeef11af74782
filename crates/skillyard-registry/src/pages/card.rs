//! A skill as lists show it.

use super::{owner_address, signer_name, skill_address};
use crate::store::skills::SkillRow;

/// What a card says.
pub(super) struct Card {
    pub(super) name: String,
    pub(super) address: String,
    pub(super) version: String,
    pub(super) author: String,
    pub(super) author_address: String,
    pub(super) description: String,
    pub(super) license: Option<String>,
    pub(super) verdict: String,
    pub(super) published: String,
    pub(super) downloads: u64,
    pub(super) deprecated: bool,
    /// The key that signed it, which says nothing of whose it is.
    pub(super) signer: Option<String>,
    pub(super) scripts: bool,
}

impl From<&SkillRow> for Card {
    fn from(skill: &SkillRow) -> Self {
        let latest = &skill.latest;
        Self {
            address: skill_address(&skill.name),
            name: skill.name.clone(),
            version: latest.version.to_string(),
            author_address: owner_address(&latest.publisher),
            author: latest.publisher.clone(),
            description: latest.facts.offer().into_owned(),
            license: latest.facts.license.clone(),
            verdict: latest.verdict.clone(),
            published: latest.published.clone(),
            downloads: skill.downloads,
            deprecated: skill.deprecated.is_some(),
            signer: latest.signer.as_deref().map(signer_name),
            scripts: latest.facts.has_scripts(),
        }
    }
}
