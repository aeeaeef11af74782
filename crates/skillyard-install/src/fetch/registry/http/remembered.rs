//! A search in what was seen of a registry before.

use super::HttpRegistry;
use crate::fetch::registry::memory::RegistryMemory;
use crate::fetch::registry::{SearchQuery, SearchResults, SkillSummary};

impl HttpRegistry {
    /// What was seen before of skills that fit.
    pub(super) fn remembered(&self, query: &SearchQuery<'_>) -> SearchResults {
        let seen = self
            .memory
            .as_ref()
            .map(RegistryMemory::known)
            .unwrap_or_default();
        let words: Vec<String> = query
            .words
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        let fits = |skill: &SkillSummary| {
            let text = format!(
                "{} {} {}",
                skill.name,
                skill.description,
                skill.tags.join(" ")
            );
            let text = text.to_lowercase();
            let is = |asked: Option<&str>, found: Option<&str>| {
                asked.is_none_or(|asked| {
                    found.is_some_and(|found| found.eq_ignore_ascii_case(asked))
                })
            };
            let namespace = skill
                .name
                .strip_prefix('@')
                .and_then(|name| name.split('/').next());
            words.iter().all(|word| text.contains(word.as_str()))
                && (is(query.owner, skill.published_by()) || is(query.owner, namespace))
                && is(query.license, skill.license.as_deref())
                && query
                    .tag
                    .is_none_or(|tag| skill.tags.iter().any(|each| each == tag))
                && query
                    .scripts
                    .is_none_or(|wanted| wanted == skill.has_scripts)
                && query
                    .signed
                    .is_none_or(|wanted| wanted == skill.signer.is_some())
        };
        let mut skills: Vec<SkillSummary> = seen
            .into_iter()
            .map(|each| each.summary)
            .filter(fits)
            .collect();
        // The name itself first, then names that begin so.
        let rank = |skill: &SkillSummary| {
            let name = skill.name.rsplit('/').next().unwrap_or_default();
            (name != query.words, !name.starts_with(query.words))
        };
        skills.sort_by(|a, b| (rank(a), &a.name).cmp(&(rank(b), &b.name)));
        let total = skills.len() as u64;
        skills.truncate(query.limit);
        SearchResults {
            skills,
            total,
            unkept: None,
        }
    }
}
