//! How many of the skills that were found have what: to narrow a search down.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::store::skills::SkillRow;

/// The most values that are told of each.
const MOST: usize = 20;

/// How many skills have which value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Facets {
    /// Whose they are: the namespace, or else who published them.
    pub owners: Vec<Count>,
    /// Their licences.
    pub licenses: Vec<Count>,
    /// Their tags.
    pub tags: Vec<Count>,
    /// What the scanner said.
    pub verdicts: Vec<Count>,
    /// How many bring scripts.
    pub with_scripts: usize,
    /// How many somebody signed.
    pub signed: usize,
}

/// One value, and how many have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Count {
    /// The value.
    pub value: String,
    /// How many have it.
    pub count: usize,
}

impl Facets {
    /// The facets of these skills.
    pub(crate) fn of(skills: &[&SkillRow]) -> Self {
        let owner = |skill: &&SkillRow| {
            let publisher = skill.latest.publisher.as_str();
            Some(skill.namespace().unwrap_or(publisher).to_owned())
        };
        let tags = skills
            .iter()
            .flat_map(|skill| skill.latest.facts.tags.iter());
        Self {
            owners: counted(skills.iter().filter_map(owner)),
            licenses: counted(
                skills
                    .iter()
                    .filter_map(|skill| skill.latest.facts.license.clone()),
            ),
            tags: counted(tags.map(|tag| tag.to_lowercase())),
            verdicts: counted(skills.iter().map(|skill| skill.latest.verdict.clone())),
            with_scripts: skills
                .iter()
                .filter(|skill| skill.latest.facts.has_scripts())
                .count(),
            signed: skills
                .iter()
                .filter(|skill| skill.latest.signer.is_some())
                .count(),
        }
    }
}

/// The commonest values first, those that are equally common by name.
fn counted(values: impl Iterator<Item = String>) -> Vec<Count> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let mut counts: Vec<Count> = counts
        .into_iter()
        .map(|(value, count)| Count { value, count })
        .collect();
    counts.sort_by(|a, b| (b.count, &a.value).cmp(&(a.count, &b.value)));
    counts.truncate(MOST);
    counts
}
