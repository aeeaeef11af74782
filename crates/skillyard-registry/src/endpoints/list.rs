//! `GET /skills`: search and list skills.

use std::borrow::Cow;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::IntoResponse as _;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::error::RegistryError;
use crate::extract::PublicUrl;
use crate::facets::Facets;
use crate::search::{SearchQuery, Sort};
use crate::server::Server;
use crate::store::skills::SkillRow;

/// The most skills on one page, and the furthest page.
const MAX_SKILLS: usize = 100;
const MAX_OFFSET: usize = 1_000_000;
/// The longest question.
const MAX_QUERY_LENGTH: usize = 400;

/// Which skills are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListQuery {
    /// Words to look for.
    #[param(max_length = 400)]
    q: Option<String>,
    /// How many; at most 100.
    limit: Option<usize>,
    /// How many to leave out at the start.
    offset: Option<usize>,
    /// `relevance`, `name`, `downloads` or `updated`.
    sort: Option<String>,
    /// Only of this owner.
    owner: Option<String>,
    /// Only with this licence.
    license: Option<String>,
    /// Only with this tag.
    tag: Option<String>,
    /// Only with scripts, or only without.
    scripts: Option<bool>,
    /// Only what somebody signed, or only what nobody did.
    signed: Option<bool>,
    /// Only with this verdict of the scanner.
    verdict: Option<String>,
    /// Whether to count owners, licences, tags and so on among all that fit.
    facets: Option<bool>,
}

/// A page of skills.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SkillList<'a> {
    /// The skills.
    skills: Vec<SkillSummary<'a>>,
    /// How many fit in all.
    total: usize,
    /// How many were left out at the start.
    offset: usize,
    /// Where the next page begins, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// How many of all that fit have what, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    facets: Option<Facets>,
}

impl ListQuery {
    fn question(self) -> Result<SearchQuery, RegistryError> {
        let sort = match self.sort.as_deref() {
            None | Some("relevance") => Sort::Relevance,
            Some("name") => Sort::Name,
            Some("downloads") => Sort::Downloads,
            Some("updated") => Sort::Updated,
            Some(_) => {
                let reason = "`sort` is one of relevance, name, downloads, updated";
                return Err(RegistryError::Parameter(reason.to_owned()));
            }
        };
        let words = self.q.unwrap_or_default();
        if words.len() > MAX_QUERY_LENGTH {
            let reason = format!("`q` has at most {MAX_QUERY_LENGTH} bytes");
            return Err(RegistryError::Parameter(reason));
        }
        Ok(SearchQuery {
            words,
            owner: self.owner,
            license: self.license,
            tag: self.tag,
            scripts: self.scripts,
            signed: self.signed,
            verdict: self.verdict,
            sort,
            offset: self.offset.unwrap_or(0).min(MAX_OFFSET),
            limit: self.limit.unwrap_or(20).min(MAX_SKILLS),
        })
    }
}

/// Search skills, or list them
#[utoipa::path(get, path = "/skills", tag = "skills", params(ListQuery),
    responses((status = 200, body = SkillList)))]
pub(crate) async fn list(
    State(server): State<Server>,
    reached: PublicUrl,
    parameters: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Response, RegistryError> {
    let wrong = |rejection: QueryRejection| RegistryError::Parameter(rejection.body_text());
    let parameters = parameters.map_err(wrong)?.0;
    let with_facets = parameters.facets == Some(true);
    let question = parameters.question()?;
    let picture = server.registry.search_snapshot().await?;
    let (found, facets) = if with_facets {
        let (found, facets) = picture.survey(&question);
        (found, Some(facets))
    } else {
        (picture.ask(&question), None)
    };
    let total = found.total;
    let rows = server.registry.rows(&found).await?;
    let skills: Vec<SkillSummary<'_>> = rows
        .iter()
        .map(|skill| SkillSummary::new(skill, &reached))
        .collect();
    let end = question.offset + skills.len();
    let listed = SkillList {
        next_offset: (end < total && !skills.is_empty()).then_some(end),
        skills,
        total,
        offset: question.offset,
        facets,
    };
    Ok(Json(listed).into_response())
}

/// What is told about a skill in a list.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Summary)]
pub(crate) struct SkillSummary<'a> {
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

impl<'a> SkillSummary<'a> {
    pub(crate) fn new(skill: &'a SkillRow, reached: &PublicUrl) -> Self {
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
