//! A skill as lists and pages show it.

use std::borrow::Cow;

use serde::Serialize;
use utoipa::ToSchema;

use crate::reached::Reached;
use crate::store::skills::SkillRow;

/// What is told about a skill in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Summary<'a> {
    /// Its name.
    name: &'a str,
    /// Its namespace, if it is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    /// What it does and when to use it.
    #[schema(value_type = String)]
    description: Cow<'a, str>,
    /// The latest version.
    version: String,
    /// Whom that names as its author in `metadata`, which nobody has checked; who published it, if nobody.
    author: &'a str,
    /// The account that published it.
    publisher: &'a str,
    /// How often it was fetched, once per visitor and day.
    downloads: u64,
    /// Where the archive of the latest version is, unless that was withdrawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    download_url: Option<String>,
    /// Its licence.
    #[serde(skip_serializing_if = "Option::is_none")]
    license: Option<&'a str>,
    /// Its tags.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[schema(required = false)]
    tags: &'a [String],
    /// When the latest version was published.
    updated: &'a str,
    /// The worst that the scanner found: `clean` without a finding.
    verdict: &'a str,
    /// Who signed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<&'a str>,
    /// What to use instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecated: Option<&'a str>,
    /// Whether it brings scripts.
    has_scripts: bool,
}

impl<'a> Summary<'a> {
    pub(crate) fn new(skill: &'a SkillRow, reached: &Reached) -> Self {
        let latest = &skill.latest;
        Self {
            name: &skill.name,
            namespace: skill.namespace(),
            description: latest.facts.offer(),
            version: latest.version.to_string(),
            author: latest.facts.author.as_ref().unwrap_or(&latest.publisher),
            publisher: &latest.publisher,
            downloads: skill.downloads,
            download_url: latest.yanked.is_none().then(|| {
                let (place, name, version) = (&reached.0, &skill.name, &latest.version);
                format!("{place}/skills/{name}/{version}/download")
            }),
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
