//! `/api/v1/sessions/{id}/…`: talking, following what happens, answering questions.

use std::convert::Infallible;

use axum::http::header::CACHE_CONTROL;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use utoipa::{IntoParams, ToSchema};

use super::input::FoundSession;
use super::input::{JsonBody, PathInput, QueryInput, plain};
use super::openapi::{Forbidden, Full, Missing, NotJson, Senseless, Untimely};
use crate::access::Role;
use crate::chat::{Consent, Conversation, EventId};
use crate::path_redactor::PathRedactor;
use crate::problem::Problem;
use crate::telemetry::parent_of;
use crate::turn::UserMessage;
use crate::web::elsewhere;

/// The longest message, in characters.
const MAX_MESSAGE_LENGTH: usize = 25_000;
/// How many events wait for a slow reader; the others wait where they are kept.
const WINDOW: usize = 16;

/// What the user says.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Message)]
pub(crate) struct ChatMessage {
    /// The text.
    #[schema(min_length = 1, max_length = 25_000, pattern = r"\S")]
    text: String,
    /// What the caller calls the task that it is for: `task` of every audit event of the turn.
    #[schema(max_length = 64, pattern = "^[!-~]*$")]
    task: Option<String>,
}

/// The answer to a question.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decision {
    /// The answer.
    consent: Consent,
}

/// Say something; what comes of it is told by the session's events
#[utoipa::path(post, path = "/api/v1/sessions/{id}/messages", tag = "chat", params(("id" = String, Path)),
    request_body = ChatMessage,
    responses((status = 202, description = "it is being answered"),
        Senseless, Forbidden, Missing, Untimely, NotJson, Full))]
pub(super) async fn say(
    talk: FoundSession,
    headers: HeaderMap,
    JsonBody(message): JsonBody<ChatMessage>,
) -> Result<StatusCode, Problem> {
    let text = message.text.trim();
    if text.is_empty() || text.chars().count() > MAX_MESSAGE_LENGTH {
        return Err(Problem::bad("a message has between 1 and 25000 characters"));
    }
    plain("task", message.task.as_deref())?;
    let said = UserMessage {
        text: text.to_owned(),
        task: message.task.clone(),
        holder: talk.caller.holder.clone(),
        trace: parent_of(&headers),
    };
    let talk = talk.then(|talk| {
        let register = &talk.server.chats;
        register.unless_elsewhere(&talk.conversation)?;
        Ok(talk)
    });
    let FoundSession {
        server,
        conversation,
        ..
    } = talk.await?;
    server.take_turn(conversation, said)?;
    Ok(StatusCode::ACCEPTED)
}

/// Stop the answer that is under way
#[utoipa::path(post, path = "/api/v1/sessions/{id}/stop", tag = "chat", params(("id" = String, Path)),
    responses((status = 202, description = "it was told to stop"),
        Forbidden, Missing))]
pub(super) async fn stop(talk: FoundSession) -> StatusCode {
    talk.conversation.stop();
    StatusCode::ACCEPTED
}

/// Answer a question that a session waits for
///
/// Yes needs the role `run`; yes for as long as a skill stays the same, which is remembered on
/// the machine, needs `admin`.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/approvals/{question}", tag = "chat",
    params(("id" = String, Path), ("question" = String, Path)), request_body = Decision,
    responses((status = 202, description = "it was told"),
        Senseless, Forbidden, Missing, NotJson))]
pub(super) async fn decide(
    talk: FoundSession,
    PathInput((_, question)): PathInput<(String, String)>,
    JsonBody(decision): JsonBody<Decision>,
) -> Result<StatusCode, Problem> {
    let (needed, text) = match decision.consent {
        Consent::No => (Role::Chat, ""),
        Consent::Once | Consent::Session => (
            Role::Run,
            "letting scripts run needs a token with the role `run`",
        ),
        Consent::Digest => (
            Role::Admin,
            "what is remembered on this machine needs a token with the role `admin`",
        ),
    };
    if !talk.caller.may(needed) {
        return Err(Problem::new(StatusCode::FORBIDDEN, text));
    }
    let holder = talk.caller.holder.clone();
    if !talk
        .conversation
        .decide(&question, decision.consent, holder)
    {
        let text = "nobody waits for an answer to this";
        return Err(Problem::new(StatusCode::NOT_FOUND, text));
    }
    Ok(StatusCode::ACCEPTED)
}

/// What a reader knows already.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventsQuery {
    /// The id of the last event that is known, for whoever cannot send `Last-Event-ID`, which
    /// counts first.
    after: Option<String>,
}

/// Follow a session; `Last-Event-ID` says what is known already
#[utoipa::path(get, path = "/api/v1/sessions/{id}/events", tag = "chat",
    params(("id" = String, Path), EventsQuery),
    responses((status = 200, description = "events, each with its id", content_type = "text/event-stream"),
        Senseless, Forbidden, Missing, Full))]
pub(super) async fn follow(
    talk: FoundSession,
    headers: HeaderMap,
    QueryInput(known): QueryInput<EventsQuery>,
) -> Result<Response, Problem> {
    let FoundSession {
        server,
        caller,
        conversation,
    } = talk;
    let permit = server.followers.acquire(&caller.holder)?;
    let redactor = elsewhere(move || caller.viewer(&server).redactor().clone()).await?;
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let known = last.or(known.after.as_deref()).and_then(EventId::parse);
    let (sender, receiver) = mpsc::channel(WINDOW);
    tokio::spawn(async move {
        tell(&conversation, known, &redactor, &sender).await;
        drop(permit);
    });
    let events = Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::default());
    // A proxy that gathers what it passes on would keep every event to itself.
    let unkept = [
        (CACHE_CONTROL, "no-cache, no-transform"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((unkept, events).into_response())
}

/// Tells events until the reader goes, or the conversation is told elsewhere.
async fn tell(
    conversation: &Conversation,
    mut known: Option<EventId>,
    redactor: &PathRedactor,
    reader: &mpsc::Sender<Result<Event, Infallible>>,
) {
    let mut lengths = conversation.lengths();
    loop {
        for (place, event) in
            conversation.since(known.as_ref(), |text| redactor.stable_length(text))
        {
            let data = serde_json::to_string(&event.redacted(redactor)).unwrap_or_default();
            let event = Event::default().id(place.to_string()).data(data);
            if reader.send(Ok(event)).await.is_err() {
                return;
            }
            known = Some(place);
        }
        if conversation.is_over() {
            return;
        }
        tokio::select! {
            () = reader.closed() => return,
            changed = lengths.changed() => if changed.is_err() {
                return;
            },
        }
    }
}
