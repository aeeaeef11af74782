//! Sessions of older protocol revisions over HTTP: their owners, their number, and responses as
//! clients expect them.
//!
//! A client that opens one session too many loses its own session that was idle longest; clients
//! open another one, as the protocol says. Where `rmcp` differs from what clients expect, the response is
//! changed: an invalid message is a `400` with a JSON-RPC error, the end of a session a `204`, and a
//! resumed stream does not repeat the last event.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Json;
use axum::body::HttpBody as _;
use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::IntoResponse as _;
use axum::response::Response;
use http_body_util::BodyExt as _;
use parking_lot::{Mutex, MutexGuard};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio_stream::Stream;

use super::lines::complaint;
use crate::access::{SessionOwner, Visitor};
use crate::problem::Problem;

/// How many sessions all have together.
const MAX_SESSIONS: usize = 1_024;
/// How many sessions one token has, or the user of this machine.
const MAX_SESSIONS_EACH: usize = 128;
/// How long a session lasts that nobody uses.
const IDLE_TIMEOUT: Duration = Duration::from_mins(30);
/// How long a session may take to say hello.
const INIT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an answer can be asked for again by who lost the connection. Each request looks through
/// all that are kept, so a minute of a busy session would slow it down and fill the memory.
const RESUME_WINDOW: Duration = Duration::from_secs(5);
/// How many answers of a session may be left behind.
const MAX_ABANDONED: usize = 1_000;
/// The header that names a session.
const HEADER: &str = "mcp-session-id";

/// The sessions that are open.
pub(super) struct McpSessions {
    pub(super) manager: Arc<LocalSessionManager>,
    /// Those that were used longest ago come first.
    open: Mutex<Vec<OpenSession>>,
}

/// One of them.
struct OpenSession {
    id: String,
    session_owner: SessionOwner,
    /// Held by every answer that is under way.
    used: Arc<Used>,
}

/// How a session is used.
#[derive(Default)]
struct Used {
    /// How many answers nobody waited for. Each may leave something behind until the session ends.
    abandoned: AtomicUsize,
}

/// What the name of a session leads to.
enum SessionLookup {
    /// A session of who names it.
    Theirs(Arc<Used>),
    /// A session whose answers were left behind too often.
    Spent,
    /// A session of somebody else.
    Foreign,
    /// None; the newer protocol does not care what stands there.
    None,
}

/// There is no room for another.
#[derive(Debug, PartialEq, Eq)]
struct Full;

impl McpSessions {
    /// None yet.
    pub(super) fn new() -> Self {
        let mut manager = LocalSessionManager::default();
        manager.session_config.completed_cache_ttl = RESUME_WINDOW;
        manager.session_config.keep_alive = Some(IDLE_TIMEOUT);
        manager.session_config.init_timeout = Some(INIT_TIMEOUT);
        Self {
            manager: Arc::new(manager),
            open: Mutex::default(),
        }
    }

    /// Somebody uses a session.
    fn using(&self, id: &str, session_owner: &SessionOwner) -> SessionLookup {
        let mut open = self.open();
        let Some(at) = open.iter().position(|each| each.id == id) else {
            return SessionLookup::None;
        };
        if open[at].session_owner != *session_owner {
            return SessionLookup::Foreign;
        }
        let session = open.remove(at);
        if session.used.abandoned.load(Ordering::Relaxed) >= MAX_ABANDONED {
            return SessionLookup::Spent;
        }
        let used = Arc::clone(&session.used);
        open.push(session);
        SessionLookup::Theirs(used)
    }

    /// Takes note of a session that somebody opened; gives the one that has to go for it.
    fn admit(&self, id: &str, session_owner: &SessionOwner) -> Result<Option<String>, Full> {
        let mut open = self.open();
        let theirs = open
            .iter()
            .filter(|each| each.session_owner == *session_owner)
            .count();
        let too_many = theirs >= MAX_SESSIONS_EACH || open.len() >= MAX_SESSIONS;
        let gone = if too_many {
            let spare = |each: &OpenSession| {
                (theirs < MAX_SESSIONS_EACH || each.session_owner == *session_owner)
                    && Arc::strong_count(&each.used) == 1
            };
            let at = open.iter().position(spare).ok_or(Full)?;
            Some(open.remove(at).id)
        } else {
            None
        };
        open.push(OpenSession {
            id: id.to_owned(),
            session_owner: session_owner.clone(),
            used: Arc::default(),
        });
        Ok(gone)
    }

    /// Whether a session has not ended.
    pub(super) async fn is_live(&self, id: &str) -> bool {
        self.manager.sessions.read().await.contains_key(id)
    }

    /// Forgets those that ended of themselves.
    async fn tidy(&self) {
        let live = self.manager.sessions.read().await;
        self.open().retain(|each| live.contains_key(&*each.id));
    }

    /// Ends a session. Nobody finds it from now on; one that does not listen is not waited for.
    async fn close(&self, id: &str) {
        let handle = self.manager.sessions.write().await.remove(id);
        if let Some(handle) = handle {
            tokio::spawn(async move { handle.close().await });
        }
    }

    fn open(&self) -> MutexGuard<'_, Vec<OpenSession>> {
        self.open.lock()
    }
}

/// Lets a request pass to the session that it names, or to a new one if there is room.
pub(super) async fn bounded(
    State(sessions): State<Arc<McpSessions>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(visitor) = request.extensions().get::<Visitor>() else {
        return Problem::new(StatusCode::UNAUTHORIZED, "a token is needed").into_response();
    };
    let session_owner = visitor.session_owner.clone();
    if let Some(id) = named(request.headers()) {
        let used = match sessions.using(&id, &session_owner) {
            SessionLookup::Theirs(used) => used,
            SessionLookup::None => Arc::default(),
            SessionLookup::Spent => {
                sessions.close(&id).await;
                let text = "the session has left too many answers behind; begin another";
                return Problem::new(StatusCode::NOT_FOUND, text).into_response();
            }
            SessionLookup::Foreign => {
                let text = "there is no such session";
                return Problem::new(StatusCode::NOT_FOUND, text).into_response();
            }
        };
        // Who goes before there is an answer has left it behind as well.
        let answering = Answering { used, ended: false };
        let response = next.run(request).await;
        return response.map(|body| answering.with(body));
    }
    let response = next.run(request).await;
    let Some(id) = named(response.headers()) else {
        return response;
    };
    sessions.tidy().await;
    match sessions.admit(&id, &session_owner) {
        Ok(None) => response,
        Ok(Some(gone)) => {
            sessions.close(&gone).await;
            response
        }
        Err(Full) => {
            sessions.close(&id).await;
            let text = "too many MCP sessions are being used; end one, or try again later";
            let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, text);
            let mut response = problem.into_response();
            let later = HeaderValue::from_static("10");
            response.headers_mut().insert(RETRY_AFTER, later);
            response
        }
    }
}

/// The session that a request names.
pub(super) fn named(headers: &HeaderMap) -> Option<String> {
    Some(headers.get(HEADER)?.to_str().ok()?.to_owned())
}

/// A session that is in use, until the response was read to its end or abandoned.
struct Answering {
    used: Arc<Used>,
    ended: bool,
}

impl Answering {
    /// The body of the response.
    fn with(mut self, body: Body) -> Body {
        if body.is_end_stream() {
            self.ended = true;
            return body;
        }
        Body::from_stream(TrackedBody {
            pieces: body.into_data_stream(),
            answering: self,
        })
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        if !self.ended {
            self.used.abandoned.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// An answer on its way to whoever takes it.
struct TrackedBody {
    pieces: BodyDataStream,
    answering: Answering,
}

impl Stream for TrackedBody {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut self.pieces).poll_next(context);
        if let Poll::Ready(None) = &polled {
            self.answering.ended = true;
        }
        polled
    }
}

/// The header that names the last event that a reader has.
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// Passes a request on, and gives the answer as clients expect it.
pub(super) async fn with_expected_status(
    State(sessions): State<Arc<McpSessions>>,
    mut request: Request,
    next: Next,
) -> Response {
    match *request.method() {
        Method::POST => understood(request, next).await,
        Method::DELETE => {
            let known = match named(request.headers()) {
                Some(id) => sessions.is_live(&id).await,
                None => false,
            };
            let response = next.run(request).await;
            match (response.status(), known) {
                (StatusCode::ACCEPTED, true) => StatusCode::NO_CONTENT.into_response(),
                (StatusCode::ACCEPTED, false) => {
                    let text = "there is no such session";
                    Problem::new(StatusCode::NOT_FOUND, text).into_response()
                }
                _ => response,
            }
        }
        _ => {
            skip_known(request.headers_mut());
            next.run(request).await
        }
    }
}

/// Tells who sends what is no message so, as over standard input.
async fn understood(request: Request, next: Next) -> Response {
    let kind = request.headers().get(CONTENT_TYPE);
    let is_json = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let (parts, body) = request.into_parts();
    let Ok(body) = body.collect().await else {
        // The gate knows whether it was too large.
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        return Problem::new(status, "the body could not be read").into_response();
    };
    let bytes = body.to_bytes();
    let request = Request::from_parts(parts, Body::from(bytes.clone()));
    let response = next.run(request).await;
    if is_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return (StatusCode::BAD_REQUEST, Json(complaint(&bytes))).into_response();
    }
    response
}

/// Asks for what comes behind the last event that a reader has: the library tells that one again.
fn skip_known(headers: &mut HeaderMap) {
    let last = headers.get(LAST_EVENT).and_then(|id| id.to_str().ok());
    if let Some(next) = last.and_then(behind)
        && let Ok(next) = HeaderValue::from_str(&next)
    {
        headers.insert(LAST_EVENT, next);
    }
}

/// The id behind one, such as `2/7` behind `1/7` of the request `7`.
fn behind(id: &str) -> Option<String> {
    let (number, request) = match id.split_once('/') {
        Some((number, request)) => (number, Some(request)),
        None => (id, None),
    };
    let next = number.parse::<u64>().ok()?.checked_add(1)?;
    match request {
        Some(request) => Some(format!("{next}/{request}")),
        // Of no request, `0` is the first event and also what stands before it.
        None => (next > 1).then(|| next.to_string()),
    }
}
