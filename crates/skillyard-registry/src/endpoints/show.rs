//! `GET /skills/{name}`: a skill with all its versions.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use skillyard_format::Digest;
use utoipa::ToSchema;

use super::list::SkillSummary;
use super::named;
use crate::error::RegistryError;
use crate::extract::PublicUrl;
use crate::extract::Segments;
use crate::package::{FileFact, FindingFact};
use crate::server::Server;
use crate::store::{owners, skills, tags, versions};

/// All that is known about a skill.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SkillDetail<'a> {
    #[serde(flatten)]
    summary: SkillSummary<'a>,
    /// Words that stand for versions.
    dist_tags: BTreeMap<String, String>,
    /// Who owns it.
    owners: Vec<String>,
    /// The files of the latest version.
    files: &'a [FileFact],
    /// What the scanner found in the latest version.
    findings: &'a [FindingFact],
    /// The commands that it needs.
    requires: &'a [String],
    /// What it needs around it.
    compatibility: Option<&'a str>,
    /// Its versions, the last published first.
    versions: Vec<VersionDetail<'a>>,
}

/// One version of a skill.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VersionDetail<'a> {
    /// The version.
    version: String,
    /// The digest of its archive.
    #[schema(value_type = String, example = "sha256:…")]
    digest: Digest,
    /// The length of its archive.
    size: u64,
    /// When it was published.
    published: &'a str,
    /// By whom.
    publisher: &'a str,
    /// Who signed it.
    signer: Option<&'a str>,
    /// The worst that the scanner found.
    verdict: &'a str,
    /// Whether it was withdrawn.
    yanked: bool,
    /// Why.
    yank_reason: Option<&'a str>,
}

/// Show a skill with all its versions
#[utoipa::path(get, path = "/skills/{name}", tag = "skills",
    params(("name" = String, Path, description = "the skill")),
    responses((status = 200, body = SkillDetail)))]
pub(crate) async fn show(
    State(server): State<Server>,
    reached: PublicUrl,
    Segments(name): Segments<String>,
) -> Result<Response, RegistryError> {
    let name = named(&name)?;
    // All of it as it is at one moment, while others publish.
    let mut moment = server.registry.database.snapshot().await?;
    let skill = skills::one(&mut *moment, name.as_str()).await?;
    let skill = skill.ok_or_else(|| RegistryError::NoSkill(name.to_string()))?;
    let all = versions::of(&mut *moment, name.as_str()).await?;
    let versions = all.iter().rev().map(|each| VersionDetail {
        version: each.version.to_string(),
        digest: each.digest,
        size: each.size,
        published: &each.published,
        publisher: &each.publisher,
        signer: each.signer.as_deref(),
        verdict: &each.verdict,
        yanked: each.yanked.is_some(),
        yank_reason: each.yanked.as_deref(),
    });
    let facts = &skill.latest.facts;
    let detail = SkillDetail {
        summary: SkillSummary::new(&skill, &reached),
        dist_tags: tags::offered(&mut *moment, name.as_str()).await?,
        owners: owners::of(&mut *moment, name.as_str()).await?,
        files: &facts.files,
        findings: &facts.findings,
        requires: &facts.requires,
        compatibility: facts.compatibility.as_deref(),
        versions: versions.collect(),
    };
    Ok(Json(detail).into_response())
}
