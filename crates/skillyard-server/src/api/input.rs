//! Extractors and answers of the API; input that cannot be parsed is a problem with a reason.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use skillyard_agent::session::Session;
use skillyard_format::package::Digest;
use skillyard_http::headers::matches_tag;

use crate::access::{Holder, Role, SessionOwner, Visitor};
use crate::chat::Conversation;
use crate::problem::{Problem, too_large};
use crate::request_context::RequestContext;
use crate::server::Server;
use crate::view::Viewer;
use crate::web::elsewhere;

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
pub(super) struct JsonBody<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
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
pub(super) struct QueryInput<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for QueryInput<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read = Query::<T>::from_request_parts(parts, state).await;
        read.map(|Query(value)| Self(value))
            .map_err(|rejection: QueryRejection| Problem::bad(rejection.body_text()))
    }
}

/// The parts of the address.
pub(super) struct PathInput<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathInput<T> {
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

/// A session that the caller may see.
pub(super) struct FoundSession {
    /// Where it is.
    pub(super) server: Arc<Server>,
    /// Who asks.
    pub(super) caller: Caller,
    /// The session.
    pub(super) conversation: Arc<Conversation>,
}

impl FoundSession {
    /// As it is kept.
    pub(super) fn session(&self) -> Result<Session, Problem> {
        self.server.chats.session(&self.conversation)
    }

    /// Finds the session again: a turn that ended since may have found that the session had
    /// gone on elsewhere.
    pub(super) fn again(self) -> Result<Self, Problem> {
        let register = &self.server.chats;
        let conversation = register.find(&self.conversation.id, &self.caller.session_owner)?;
        Ok(Self {
            conversation,
            ..self
        })
    }

    /// Does something with it that may take a while.
    pub(super) async fn then<T: Send + 'static>(
        self,
        work: impl FnOnce(Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        elsewhere(move || work(self)).await?
    }
}

impl FromRequestParts<Arc<Server>> for FoundSession {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<Server>) -> Result<Self, Problem> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let named = PathInput::<BTreeMap<String, String>>::from_request_parts(parts, state).await?;
        let id = named.0.get("id").cloned().unwrap_or_default();
        let (server, session_owner) = (Arc::clone(state), caller.session_owner.clone());
        let found = elsewhere(move || server.chats.find(&id, &session_owner)).await??;
        Ok(Self {
            server: Arc::clone(state),
            caller,
            conversation: found,
        })
    }
}

/// `value` with its tag, or only the word that it has not changed.
pub(super) fn tagged(headers: &HeaderMap, value: &impl Serialize) -> Result<Response, Problem> {
    let failed = |_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the answer has no JSON");
    let value = serde_json::to_value(value).map_err(failed)?;
    let tag = format!(
        "\"{}\"",
        &Digest::of(value.to_string().as_bytes()).to_hex()[..32]
    );
    let known = headers.get_all(IF_NONE_MATCH).iter();
    let known = known.filter_map(|known| known.to_str().ok());
    let is_known = matches_tag(known, &tag);
    let head = [(ETAG, tag), (CACHE_CONTROL, "private, no-cache".to_owned())];
    if is_known {
        return Ok((StatusCode::NOT_MODIFIED, head).into_response());
    }
    Ok((head, Json(value)).into_response())
}
