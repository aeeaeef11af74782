//! `GET /skills`: search, pages, order.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::summary::Summary;
use crate::error::RegistryError;
use crate::facets::Facets;
use crate::reached::Reached;
use crate::search::{Question, Sort};
use crate::server::Server;

/// The most skills on one page, and the furthest page.
const MOST: usize = 100;
const FURTHEST: usize = 1_000_000;
/// The longest question.
const LONGEST: usize = 400;

/// Which skills are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameters {
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
    skills: Vec<Summary<'a>>,
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

impl Parameters {
    fn question(self) -> Result<Question, RegistryError> {
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
        if words.len() > LONGEST {
            let reason = format!("`q` has at most {LONGEST} bytes");
            return Err(RegistryError::Parameter(reason));
        }
        Ok(Question {
            words,
            owner: self.owner,
            license: self.license,
            tag: self.tag,
            scripts: self.scripts,
            signed: self.signed,
            verdict: self.verdict,
            sort,
            offset: self.offset.unwrap_or(0).min(FURTHEST),
            limit: self.limit.unwrap_or(20).min(MOST),
        })
    }
}

/// Search skills, or list them
#[utoipa::path(get, path = "/skills", tag = "skills", params(Parameters),
    responses((status = 200, body = SkillList)))]
pub(crate) async fn list(
    State(server): State<Server>,
    reached: Reached,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Response, RegistryError> {
    let wrong = |rejection: QueryRejection| RegistryError::Parameter(rejection.body_text());
    let parameters = parameters.map_err(wrong)?.0;
    let with_facets = parameters.facets == Some(true);
    let question = parameters.question()?;
    let picture = server.registry.picture().await?;
    let (found, facets) = if with_facets {
        let (found, facets) = picture.survey(&question);
        (found, Some(facets))
    } else {
        (picture.ask(&question), None)
    };
    let total = found.total;
    let rows = server.registry.rows(&found).await?;
    let skills: Vec<Summary<'_>> = rows
        .iter()
        .map(|skill| Summary::new(skill, &reached))
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
