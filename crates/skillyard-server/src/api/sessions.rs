//! `/api/v1/sessions`: talking, following what happens, answering questions.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use utoipa::ToSchema;

use super::input::{Caller, Given, Named};
use crate::access::Role;
use crate::chat::{ChatEvent, Consent, Conversation, SessionSummary};
use crate::problem::Problem;
use crate::server::Server;
use crate::web::elsewhere;

/// The longest message, in characters.
const LONGEST: usize = 25_000;
/// How many events wait for a slow reader; the others wait where they are kept.
const WINDOW: usize = 16;

/// The sessions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Sessions {
    /// The newest first.
    sessions: Vec<SessionSummary>,
    /// Who answers.
    partner: String,
}

/// A session that began.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Opened {
    /// Its id.
    id: String,
}

/// What happened in a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct History {
    /// The events; the place of each, from 0, is its id.
    events: Vec<ChatEvent>,
}

/// What the user says.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Message {
    /// The text.
    #[schema(min_length = 1, max_length = 25_000, pattern = r"\S")]
    text: String,
}

/// The answer to a question.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decision {
    /// The answer.
    consent: Consent,
}

/// List sessions
#[utoipa::path(get, path = "/api/v1/sessions", tag = "chat",
    responses((status = 200, body = Sessions),
        (status = 403, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn list(State(server): State<Arc<Server>>) -> Result<Json<Sessions>, Problem> {
    let listed = elsewhere(move || {
        Ok::<_, Problem>(Sessions {
            sessions: server.register.list()?,
            partner: server.register.partner(),
        })
    });
    Ok(Json(listed.await??))
}

/// Begin a session
#[utoipa::path(post, path = "/api/v1/sessions", tag = "chat",
    responses((status = 201, body = Opened),
        (status = 403, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn open(
    State(server): State<Arc<Server>>,
) -> Result<(StatusCode, Json<Opened>), Problem> {
    let id = elsewhere(move || server.register.open()).await??;
    Ok((StatusCode::CREATED, Json(Opened { id })))
}

/// Get what happened in a session
#[utoipa::path(get, path = "/api/v1/sessions/{id}", tag = "chat", params(("id" = String, Path)),
    responses((status = 200, body = History),
        (status = 403, body = Problem, content_type = "application/problem+json"),
        (status = 404, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn get(
    State(server): State<Arc<Server>>,
    Named(id): Named<String>,
) -> Result<Json<History>, Problem> {
    let conversation = find(&server, &id).await?;
    let events = conversation.since(0);
    Ok(Json(History { events }))
}

/// Say something; what comes of it is told by the session's events
#[utoipa::path(post, path = "/api/v1/sessions/{id}/messages", tag = "chat", params(("id" = String, Path)),
    request_body = Message,
    responses((status = 202, description = "it is being answered"),
        (status = 400, body = Problem, content_type = "application/problem+json"),
        (status = 403, body = Problem, content_type = "application/problem+json"),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 409, body = Problem, content_type = "application/problem+json"),
        (status = 415, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn say(
    State(server): State<Arc<Server>>,
    Named(id): Named<String>,
    Given(message): Given<Message>,
) -> Result<StatusCode, Problem> {
    let text = message.text.trim();
    if text.is_empty() || text.chars().count() > LONGEST {
        return Err(Problem::bad("a message has between 1 and 25000 characters"));
    }
    let conversation = find(&server, &id).await?;
    server.take_turn(&id, conversation, text.to_owned())?;
    Ok(StatusCode::ACCEPTED)
}

/// Stop the answer that is under way
#[utoipa::path(post, path = "/api/v1/sessions/{id}/stop", tag = "chat", params(("id" = String, Path)),
    responses((status = 202, description = "it was told to stop"),
        (status = 403, body = Problem, content_type = "application/problem+json"),
        (status = 404, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn stop(
    State(server): State<Arc<Server>>,
    Named(id): Named<String>,
) -> Result<StatusCode, Problem> {
    find(&server, &id).await?.stop();
    Ok(StatusCode::ACCEPTED)
}

/// Answer a question that a session waits for
#[utoipa::path(post, path = "/api/v1/sessions/{id}/approvals/{question}", tag = "chat",
    params(("id" = String, Path), ("question" = String, Path)), request_body = Decision,
    responses((status = 202, description = "it was told"),
        (status = 400, body = Problem, content_type = "application/problem+json"),
        (status = 403, body = Problem, content_type = "application/problem+json"),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 415, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn decide(
    State(server): State<Arc<Server>>,
    caller: Caller,
    Named((id, question)): Named<(String, String)>,
    Given(decision): Given<Decision>,
) -> Result<StatusCode, Problem> {
    if !caller.may(Role::Run) && decision.consent != Consent::No {
        let text = "letting scripts run needs a token with the role `run`";
        return Err(Problem::new(StatusCode::FORBIDDEN, text));
    }
    if !find(&server, &id)
        .await?
        .decide(&question, decision.consent)
    {
        let text = "nobody waits for an answer to this";
        return Err(Problem::new(StatusCode::NOT_FOUND, text));
    }
    Ok(StatusCode::ACCEPTED)
}

/// Follow a session; `Last-Event-ID` says what is known already
#[utoipa::path(get, path = "/api/v1/sessions/{id}/events", tag = "chat", params(("id" = String, Path)),
    responses((status = 200, description = "events, each with its id", content_type = "text/event-stream"),
        (status = 403, body = Problem, content_type = "application/problem+json"),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 503, body = Problem, content_type = "application/problem+json")))]
pub(super) async fn follow(
    State(server): State<Arc<Server>>,
    Named(id): Named<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let conversation = find(&server, &id).await?;
    let Ok(place) = Arc::clone(&server.followers).try_acquire_owned() else {
        let text = "too many are following sessions already";
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, text));
    };
    let known = headers.get("last-event-id");
    let known = known.and_then(|id| id.to_str().ok()?.parse::<usize>().ok());
    let first = known.map_or(0, |known| known.saturating_add(1));
    let (sender, receiver) = mpsc::channel(WINDOW);
    tokio::spawn(async move {
        tell(&conversation, first, &sender).await;
        drop(place);
    });
    let events = Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::default());
    Ok(events.into_response())
}

/// Tells events until the reader goes.
async fn tell(
    conversation: &Conversation,
    mut next: usize,
    reader: &mpsc::Sender<Result<Event, Infallible>>,
) {
    let mut lengths = conversation.lengths();
    loop {
        for event in conversation.since(next) {
            let data = serde_json::to_string(&event).unwrap_or_default();
            let event = Event::default().id(next.to_string()).data(data);
            if reader.send(Ok(event)).await.is_err() {
                return;
            }
            next += 1;
        }
        tokio::select! {
            () = reader.closed() => return,
            changed = lengths.changed() => if changed.is_err() {
                return;
            },
        }
    }
}

async fn find(server: &Arc<Server>, id: &str) -> Result<Arc<Conversation>, Problem> {
    let (server, id) = (Arc::clone(server), id.to_owned());
    let found = elsewhere(move || server.register.find(&id)).await??;
    let missing = || Problem::new(StatusCode::NOT_FOUND, "there is no such session");
    found.ok_or_else(missing)
}
