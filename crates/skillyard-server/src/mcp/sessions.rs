//! Sessions of the older protocol: whose they are, and how many there may be.
//!
//! Whoever opens one too many loses the one that was used longest ago, and nobody else's: clients
//! begin again when their session is gone, as the protocol wants it. Only when each of them is
//! being used is there no room.

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use rmcp::model::RequestId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use serde_json::Value;
use tokio_stream::Stream;

use super::batched::event;
use super::pending::{Pending, is_answer};
use crate::access::SessionOwner;
use crate::access::Visitor;
use crate::problem::Problem;

/// How many sessions all have together.
const MOST: usize = 1_024;
/// How many sessions one token has, or the user of this machine.
const MAX_EACH: usize = 128;
/// How long a session lasts that nobody uses.
const IDLE: Duration = Duration::from_mins(30);
/// How long a session may take to say hello.
const HELLO: Duration = Duration::from_secs(10);
/// How long an answer can be asked for again by who lost the connection. Each request looks through
/// all that are kept, so a minute of a busy session would slow it down and fill the memory.
const KEPT: Duration = Duration::from_secs(5);
/// How many answers of a session may be left behind.
const MAX_ABANDONED: usize = 1_000;
/// The header that names a session.
const HEADER: &str = "mcp-session-id";

/// The sessions that are open.
pub(super) struct Sessions {
    pub(super) manager: Arc<LocalSessionManager>,
    /// Those that were used longest ago come first.
    open: Mutex<Vec<Open>>,
}

/// One of them.
struct Open {
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
    pending: Pending,
}

/// The request that a message is.
#[derive(Debug, Clone)]
pub(super) struct Asked(pub(super) RequestId);

/// What the name of a session leads to.
enum Found {
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

impl Sessions {
    /// None yet.
    pub(super) fn new() -> Self {
        let mut manager = LocalSessionManager::default();
        manager.session_config.completed_cache_ttl = KEPT;
        manager.session_config.keep_alive = Some(IDLE);
        manager.session_config.init_timeout = Some(HELLO);
        Self {
            manager: Arc::new(manager),
            open: Mutex::default(),
        }
    }

    /// Somebody uses a session.
    fn using(&self, id: &str, session_owner: &SessionOwner) -> Found {
        let mut open = self.open();
        let Some(at) = open.iter().position(|each| each.id == id) else {
            return Found::None;
        };
        if open[at].session_owner != *session_owner {
            return Found::Foreign;
        }
        let session = open.remove(at);
        if session.used.abandoned.load(Ordering::Relaxed) >= MAX_ABANDONED {
            return Found::Spent;
        }
        let used = Arc::clone(&session.used);
        open.push(session);
        Found::Theirs(used)
    }

    /// Takes note of a session that somebody opened; gives the one that has to go for it.
    fn admit(&self, id: &str, session_owner: &SessionOwner) -> Result<Option<String>, Full> {
        let mut open = self.open();
        let theirs = open
            .iter()
            .filter(|each| each.session_owner == *session_owner)
            .count();
        let too_many = theirs >= MAX_EACH || open.len() >= MOST;
        let gone = if too_many {
            let spare = |each: &Open| {
                (theirs < MAX_EACH || each.session_owner == *session_owner)
                    && Arc::strong_count(&each.used) == 1
            };
            let at = open.iter().position(spare).ok_or(Full)?;
            Some(open.remove(at).id)
        } else {
            None
        };
        open.push(Open {
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

    fn open(&self) -> MutexGuard<'_, Vec<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets a request pass to the session that it names, or to a new one if there is room.
pub(super) async fn bounded(
    State(sessions): State<Arc<Sessions>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(visitor) = request.extensions().get::<Visitor>() else {
        return Problem::new(StatusCode::UNAUTHORIZED, "a token is needed").into_response();
    };
    let session_owner = visitor.session_owner.clone();
    if let Some(id) = named(request.headers()) {
        let used = match sessions.using(&id, &session_owner) {
            Found::Theirs(used) => used,
            Found::None => Arc::default(),
            Found::Spent => {
                sessions.close(&id).await;
                let text = "the session has left too many answers behind; begin another";
                return Problem::new(StatusCode::NOT_FOUND, text).into_response();
            }
            Found::Foreign => {
                let text = "there is no such session";
                return Problem::new(StatusCode::NOT_FOUND, text).into_response();
            }
        };
        // Who goes before there is an answer has left it behind as well.
        let asked = request.extensions().get().cloned();
        let answering = match Answering::begin(used, asked) {
            Ok(answering) => answering,
            Err(twin) => return event(&twin),
        };
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

/// A session that is being used, until the answer was taken or left behind.
struct Answering {
    used: Arc<Used>,
    /// The request that has no answer yet.
    asked: Option<Asked>,
    ended: bool,
}

impl Answering {
    /// Begins to answer, unless another request with this id has no answer yet.
    fn begin(used: Arc<Used>, asked: Option<Asked>) -> Result<Self, Value> {
        if let Some(Asked(id)) = &asked {
            used.pending.begin(id)?;
        }
        Ok(Self {
            used,
            asked,
            ended: false,
        })
    }

    /// Looks at what is said, or that no more is.
    fn said(&mut self, piece: Option<&Bytes>) {
        self.ended |= piece.is_none();
        // Whoever has the answer may use its id again, also before the stream has ended.
        let is_answered = |Asked(id): &mut Asked| piece.is_none_or(|piece| is_answer(piece, id));
        if let Some(Asked(id)) = self.asked.take_if(is_answered) {
            self.used.pending.end(&id);
        }
    }

    /// The body of the answer.
    fn with(mut self, body: Body) -> Body {
        if body.is_end_stream() {
            self.said(None);
            return body;
        }
        Body::from_stream(Taken {
            pieces: body.into_data_stream(),
            answering: self,
        })
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        if !self.ended {
            self.said(None);
            self.used.abandoned.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// An answer on its way to whoever takes it.
struct Taken {
    pieces: BodyDataStream,
    answering: Answering,
}

impl Stream for Taken {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut self.pieces).poll_next(context);
        match &polled {
            Poll::Ready(None) => self.answering.said(None),
            Poll::Ready(Some(Ok(piece))) => self.answering.said(Some(piece)),
            Poll::Ready(Some(Err(_))) | Poll::Pending => {}
        }
        polled
    }
}
