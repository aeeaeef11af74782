//! `GET /skills`: search, pages, order.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::summary::Summary;
use crate::error::RegistryError;
use crate::search::{Question, Sort};
use crate::server::Server;

/// The most skills on one page, and the furthest page.
const MOST: usize = 100;
const FURTHEST: usize = 1_000_000;
/// The longest question.
const LONGEST: usize = 400;

#[derive(Debug, Deserialize)]
pub(crate) struct Parameters {
    q: Option<String>,
    limit: Option<usize>,
    offset: Option<usize>,
    sort: Option<String>,
    owner: Option<String>,
    license: Option<String>,
    tag: Option<String>,
    scripts: Option<bool>,
    signed: Option<bool>,
    verdict: Option<String>,
    facets: Option<bool>,
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

pub(crate) async fn list(
    State(server): State<Server>,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Json<Value>, RegistryError> {
    let wrong = |_| RegistryError::Parameter("a parameter cannot be read".to_owned());
    let parameters = parameters.map_err(wrong)?.0;
    let with_facets = parameters.facets == Some(true);
    let question = parameters.question()?;
    let picture = server.registry.picture().await?;
    let (found, total) = picture.ask(&question);
    let skills: Vec<Summary<'_>> = found
        .into_iter()
        .map(|skill| Summary::new(skill, &server.settings))
        .collect();
    let mut answer = json!({ "skills": skills, "total": total, "offset": question.offset });
    if with_facets {
        answer["facets"] = json!(picture.facets(&question));
    }
    Ok(Json(answer))
}
