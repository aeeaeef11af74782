//! `GET /`: all skills, or those that fit some words.

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use serde::Deserialize;

use super::page;
use crate::error::RegistryError;
use crate::search::{Question, Sort};
use crate::server::Server;

/// How many skills stand on a page.
const PAGE: usize = 50;

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Parameters {
    q: Option<String>,
    offset: Option<usize>,
}

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    words: String,
    total: usize,
    skills: Vec<Row>,
    next: Option<String>,
}

struct Row {
    name: String,
    version: String,
    author: String,
    description: String,
    downloads: u64,
    deprecated: bool,
    signed: bool,
}

pub(crate) async fn home(
    State(server): State<Server>,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Response, RegistryError> {
    let parameters = parameters.map(|query| query.0).unwrap_or_default();
    let words: String = parameters.q.unwrap_or_default().chars().take(100).collect();
    let offset = parameters.offset.unwrap_or(0).min(1_000_000);
    let picture = server.registry.picture().await?;
    let (found, total) = picture.ask(&Question {
        words: words.clone(),
        sort: if words.is_empty() {
            Sort::Updated
        } else {
            Sort::Relevance
        },
        offset,
        limit: PAGE,
        ..Question::default()
    });
    let skills = found
        .into_iter()
        .map(|skill| Row {
            name: skill.name.clone(),
            version: skill.latest.version.to_string(),
            author: skill.latest.publisher.clone(),
            description: skill.latest.facts.description.clone(),
            downloads: skill.downloads,
            deprecated: skill.deprecated.is_some(),
            signed: skill.latest.signer.is_some(),
        })
        .collect();
    let next = (offset + PAGE < total).then(|| {
        let mut query = url::form_urlencoded::Serializer::new("/?".to_owned());
        query.append_pair("q", &words);
        query.append_pair("offset", &(offset + PAGE).to_string());
        query.finish()
    });
    page(&Home {
        words,
        total,
        skills,
        next,
    })
}
