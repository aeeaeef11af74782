//! Errors over HTTP, as RFC 9457 has them.

use std::error::Error as _;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use skillyard_http::cause::Cause;
use utoipa::ToSchema;

use crate::error::RegistryError;
use crate::package::{FindingFact, Refusal};

/// Why there is no answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// The kind of problem, which stays the same whatever the words are.
    #[serde(rename = "type")]
    #[schema(example = "urn:skillyard:registry:no-such-skill")]
    kind: String,
    /// The status, in words.
    title: &'static str,
    /// The status.
    status: u16,
    /// What went wrong, for people.
    detail: String,
    /// All that is wrong with a skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<Vec<String>>,
    /// What the scanner found.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Vec<FindingFact>>,
}

/// What a page about the problem needs to know; it travels with the answer.
#[derive(Debug, Clone)]
pub(crate) struct Trouble {
    pub(crate) detail: String,
    pub(crate) about: About,
}

/// What the problem is about, which says where to go from there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum About {
    /// A name that is not there.
    Missing(String),
    /// A skill that is there.
    Skill(String),
    /// Something else.
    Other,
}

impl IntoResponse for RegistryError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status()).unwrap_or(StatusCode::SERVICE_UNAVAILABLE);
        // Sources may tell what is inside; the phrase does not.
        let detail = self.to_string();
        let problem = Problem {
            kind: format!("urn:skillyard:registry:{}", self.kind()),
            title: status.canonical_reason().unwrap_or_default(),
            status: status.as_u16(),
            detail: detail.clone(),
            errors: match &self {
                Self::Refused(Refusal::Invalid(errors)) => Some(errors.clone()),
                _ => None,
            },
            findings: match &self {
                Self::Refused(Refusal::Findings(findings)) => Some(findings.clone()),
                _ => None,
            },
        };
        let mut response = (status, Json(problem)).into_response();
        let headers = response.headers_mut();
        let kind = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, kind);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        match &self {
            Self::NoToken | Self::BadToken => {
                let challenge = HeaderValue::from_static("Bearer realm=\"skillyard\"");
                headers.insert(header::WWW_AUTHENTICATE, challenge);
            }
            Self::TooMany(seconds) => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(*seconds));
            }
            _ => {}
        }
        // Causes of internal errors are for the administrator only.
        if let Some(source) = self.source().filter(|_| status.is_server_error()) {
            response.extensions_mut().insert(Cause::of(source));
        }
        let about = match self {
            Self::NoSkill(name) => About::Missing(name),
            Self::NoVersion { skill, .. } | Self::NoFile { skill, .. } | Self::Withdrawn(skill) => {
                About::Skill(skill)
            }
            _ => About::Other,
        };
        response.extensions_mut().insert(Trouble { detail, about });
        response
    }
}
