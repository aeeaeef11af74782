//! What programs send: everything that cannot be understood is a problem with words.

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::access::{Holder, Role, SessionOwner, Visitor};
use crate::problem::{Problem, too_large};
use crate::request_context::RequestContext;
use crate::server::Server;
use crate::view::Viewer;

/// How long the name may be that a caller gives a session or a task of theirs.
const MAX_NAME_LENGTH: usize = 64;

/// Refuses a name of a caller's own that does not belong into a log.
pub(super) fn plain(key: &str, name: Option<&str>) -> Result<(), Problem> {
    let is_plain = |name: &str| {
        name.len() <= MAX_NAME_LENGTH && name.bytes().all(|byte| byte.is_ascii_graphic())
    };
    if name.is_none_or(is_plain) {
        return Ok(());
    }
    Err(Problem::bad(format!(
        "`{key}` has at most 64 characters: letters, digits and signs of ASCII"
    )))
}

/// A body of JSON.
pub(super) struct Given<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Given<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let read = Json::<T>::from_request(request, state).await;
        let refused = |rejection: JsonRejection| match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => too_large(),
            StatusCode::UNPROCESSABLE_ENTITY => Problem::bad(rejection.body_text()),
            other => Problem::new(other, rejection.body_text()),
        };
        read.map(|Json(value)| Self(value)).map_err(refused)
    }
}

/// The parameters behind the `?`.
pub(super) struct Asked<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read = Query::<T>::from_request_parts(parts, state).await;
        read.map(|Query(value)| Self(value))
            .map_err(|rejection: QueryRejection| Problem::bad(rejection.body_text()))
    }
}

/// The parts of the address.
pub(super) struct Named<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Named<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read = Path::<T>::from_request_parts(parts, state).await;
        read.map(|Path(value)| Self(value))
            .map_err(|rejection: PathRejection| Problem::bad(rejection.body_text()))
    }
}

/// Who asks.
pub(super) struct Caller {
    /// Who they are, and what they may do.
    pub(super) holder: Holder,
    /// Whose sessions they see.
    pub(super) session_owner: SessionOwner,
}

impl Caller {
    /// Whether they may do what the role may.
    pub(super) fn may(&self, role: Role) -> bool {
        self.holder.role >= role
    }

    /// What they see of the server.
    pub(super) fn viewer<'a>(&self, server: &'a Server) -> Viewer<'a> {
        Viewer::new(self.holder.role, server)
    }

    /// As the rest of the server knows who asks.
    pub(super) fn request_context(&self) -> RequestContext<'_> {
        RequestContext {
            trigger: "api",
            acting: Some(&self.holder.name),
            role: self.holder.role,
            token: &self.holder.name,
            ..RequestContext::default()
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let visitor = parts.extensions.get::<Visitor>();
        let unknown = || Problem::new(StatusCode::UNAUTHORIZED, "a token is needed");
        let visitor = visitor.ok_or_else(unknown)?;
        Ok(Self {
            holder: visitor.holder.clone(),
            session_owner: visitor.session_owner.clone(),
        })
    }
}
