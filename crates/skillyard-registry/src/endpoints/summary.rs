//! A skill as lists and pages show it.

use serde::Serialize;

use crate::server::Settings;
use crate::store::skills::SkillRow;

/// What is told about a skill in a list.
#[derive(Debug, Serialize)]
pub(crate) struct Summary<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    description: &'a str,
    version: String,
    author: &'a str,
    downloads: u64,
    download_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    license: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    tags: &'a [String],
    updated: &'a str,
    verdict: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecated: Option<&'a str>,
    has_scripts: bool,
}

impl<'a> Summary<'a> {
    pub(crate) fn new(skill: &'a SkillRow, settings: &Settings) -> Self {
        let latest = &skill.latest;
        Self {
            name: &skill.name,
            namespace: skill.namespace(),
            description: &latest.facts.description,
            version: latest.version.to_string(),
            author: &latest.publisher,
            downloads: skill.downloads,
            download_url: format!(
                "{}/skills/{}/{}/download",
                settings.url, skill.name, latest.version
            ),
            license: latest.facts.license.as_deref(),
            tags: &latest.facts.tags,
            updated: &latest.published,
            verdict: &latest.verdict,
            signer: latest.signer.as_deref(),
            deprecated: skill.deprecated.as_deref(),
            has_scripts: latest.facts.has_scripts(),
        }
    }
}
