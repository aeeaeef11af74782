//! What went wrong, as RFC 9457 problem details.

use axum::Json;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use skillyard_audit::AuditError;
use skillyard_catalog::resource::ResourceError;
use skillyard_http::cause::Cause;
use tokio::task::JoinError;
use utoipa::ToSchema;

use crate::contents::ContentsError;
use crate::host::HostError;
use crate::path_redactor::PathRedactor;

/// What somebody filled in of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormField {
    Name,
    Model,
    Skills,
}

/// What went wrong.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// The kind of problem; `about:blank` says that the status is all there is.
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    kind: &'static str,
    /// The status, in words.
    #[schema(value_type = String)]
    title: &'static str,
    /// The status.
    status: u16,
    /// What went wrong, for people.
    #[schema(value_type = String)]
    detail: Box<str>,
    /// The skill that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    skill: Option<Box<str>>,
    /// What the user of the server's machine can do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    remedy: Option<Box<str>>,
    /// What to send along as `consent` once the user has said yes to what `detail` asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    consent: Option<Box<str>>,
    /// What went wrong inside, for the log.
    #[serde(skip)]
    cause: Option<Box<str>>,
    /// The field of a form that it is about.
    #[serde(skip)]
    field: Option<FormField>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or_default(),
            status: status.as_u16(),
            detail: detail.into().into_boxed_str(),
            skill: None,
            remedy: None,
            consent: None,
            cause: None,
            field: None,
        }
    }

    /// The same about one field of what somebody filled in.
    pub(crate) fn of(self, field: FormField) -> Self {
        let field = Some(field);
        Self { field, ..self }
    }

    /// A question that the user has to answer first, and the name of a yes to it.
    pub(crate) fn question(text: String, consent: &str) -> Self {
        Self {
            consent: Some(consent.into()),
            ..Self::new(StatusCode::PRECONDITION_REQUIRED, text)
        }
    }

    pub(crate) fn no_skill(name: &str, nearest: Option<&str>) -> Self {
        let name = shortened(name);
        let detail = match nearest {
            Some(nearest) => format!("there is no skill `{name}`; did you mean `{nearest}`?"),
            None => format!("there is no skill `{name}`"),
        };
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    /// There is no such skill any more, though one is locked.
    pub(crate) fn revoked(name: &str, reason: &str) -> Self {
        let detail = format!("there is no skill `{name}`: it is locked and revoked: {reason}");
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    /// There is such a skill, but it is kept from models.
    pub(crate) fn unusable(name: &str, reason: &str) -> Self {
        Self::bad(format!("skill `{name}` cannot be used: {reason}"))
    }

    pub(crate) fn bad(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// The server's own trouble: whoever asked reads that it is none of theirs, and the log has the
    /// cause, which may name places of this machine.
    pub(crate) fn trouble(detail: impl Into<String>, cause: impl Into<String>) -> Self {
        Self {
            cause: Some(cause.into().into_boxed_str()),
            ..Self::new(StatusCode::INTERNAL_SERVER_ERROR, detail)
        }
    }

    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    pub(crate) fn detail(&self) -> &str {
        &self.detail
    }

    pub(crate) fn field(&self) -> Option<FormField> {
        self.field
    }

    pub(crate) fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    /// The same without the places of this machine.
    pub(crate) fn redacted(self, redactor: &PathRedactor) -> Self {
        let over = |text: &str| redactor.redact(text).into_boxed_str();
        Self {
            detail: over(&self.detail),
            remedy: self.remedy.as_deref().map(over),
            ..self
        }
    }
}

/// As much of what a stranger sent as an answer repeats.
pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

/// The problem of a body that is too large.
pub(crate) fn too_large() -> Problem {
    Problem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "the body is larger than 4 MiB",
    )
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let cause = self.cause.clone();
        let mut response = (self.status(), Json(&self)).into_response();
        response.extensions_mut().insert(self);
        if let Some(cause) = cause {
            response.extensions_mut().insert(Cause(cause.into()));
        }
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(CONTENT_TYPE, kind);
        response
    }
}

impl From<ContentsError> for Problem {
    fn from(error: ContentsError) -> Self {
        match &error {
            ContentsError::Resource(resource) if resource.is_trouble() => {
                Self::trouble("the server cannot read the file", resource.whole())
            }
            // The system's own words may name paths of this machine.
            ContentsError::Resource(ResourceError::Root { .. } | ResourceError::Io { .. }) => {
                Self::new(StatusCode::NOT_FOUND, "the file is gone")
            }
            ContentsError::Resource(ResourceError::NotFound { .. }) => {
                Self::new(StatusCode::NOT_FOUND, error.to_string())
            }
            ContentsError::Altered { name, remedy, .. }
            | ContentsError::Revoked { name, remedy, .. } => Self {
                skill: Some(name.as_str().into()),
                remedy: Some(remedy.as_str().into()),
                ..Self::new(StatusCode::FORBIDDEN, format!("{error}. {remedy}"))
            },
            ContentsError::ForUsers { name } | ContentsError::Unhashable { name, .. } => Self {
                skill: Some(name.as_str().into()),
                ..Self::new(StatusCode::FORBIDDEN, error.to_string())
            },
            _ => Self::new(StatusCode::BAD_REQUEST, error.to_string()),
        }
    }
}

impl From<HostError> for Problem {
    fn from(error: HostError) -> Self {
        let error = match error {
            HostError::Missing(text) => return Self::new(StatusCode::NOT_FOUND, text),
            HostError::Senseless(text) => return Self::bad(text),
            HostError::Unfitting(text) => return Self::new(StatusCode::CONFLICT, text),
            failed @ HostError::Failed(_) => failed,
        };
        let detail = "the server could not do this; its terminal and its log say why";
        Self::trouble(detail, error.whole())
    }
}

impl From<AuditError> for Problem {
    fn from(error: AuditError) -> Self {
        Self::trouble("the audit log cannot be read", Cause::of(&error).0)
    }
}

/// What is told to whoever asked for something that failed in the middle.
const FAILED: &str = "the server failed at this";

/// Something that was done elsewhere ended in the middle, which is a fault of ours.
impl From<JoinError> for Problem {
    fn from(error: JoinError) -> Self {
        Self::trouble(FAILED, error.to_string())
    }
}

impl From<Cause> for Problem {
    fn from(Cause(cause): Cause) -> Self {
        Self::trouble(FAILED, cause)
    }
}
