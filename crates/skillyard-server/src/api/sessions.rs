//! `/api/v1/sessions`: open, list, show, copy and delete sessions; `/api/v1/models`: their models.

use std::str::FromStr as _;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use skillyard_agent::session::{Session, SessionCursor, SessionSummary};
use skillyard_agent::settings::Strategy;
use utoipa::{IntoParams, ToSchema};

use super::input::FoundSession;
use super::input::{Caller, JsonBody, QueryInput};
use super::openapi::{Forbidden, Missing, NotJson, Senseless, Untimely};
use crate::access::{Role, SessionOwner};
use crate::agents::NewSession;
use crate::chat::{ActiveSkill, ChatEvent, MAX_LISTED, Tokens};
use crate::problem::Problem;
use crate::server::Server;
use crate::web::elsewhere;

/// What a new session is to be like; what is not said is as configured.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Opening {
    /// An agent.
    agent: Option<String>,
    /// The model, as `SERVER/NAME`.
    #[schema(max_length = 256)]
    model: Option<String>,
    /// Who picks skills: `tool`, `router` or `hybrid`.
    #[schema(value_type = Option<String>)]
    strategy: Option<Strategy>,
}

/// A session that began.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Opened)]
pub(crate) struct OpenedSession {
    /// Its id.
    id: String,
}

/// A session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionDetail {
    /// Its id.
    id: String,
    /// How it began.
    title: String,
    /// The agent, as `name@version`.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// The model, as `SERVER/NAME`.
    model: String,
    /// Who picks skills.
    strategy: String,
    /// When it began.
    created: String,
    /// The skills that are active.
    active_skills: Vec<ActiveSkill>,
    /// All tokens that it cost.
    tokens: Tokens,
    /// Whether a message is being answered.
    busy: bool,
    /// What happened.
    events: Vec<ChatEvent>,
}

/// The skill that is to go.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Release {
    /// Its name.
    skill: String,
}

/// Whether something changed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Released {
    /// Whether the skill was active.
    released: bool,
}

/// Begin a session
#[utoipa::path(post, path = "/api/v1/sessions", tag = "chat",
    request_body(content = Option<Opening>, description = "may be left out"),
    responses((status = 201, body = OpenedSession),
        Senseless, Forbidden, Missing))]
pub(super) async fn open(
    State(server): State<Arc<Server>>,
    caller: Caller,
    body: Bytes,
) -> Result<(StatusCode, Json<OpenedSession>), Problem> {
    let opening: Option<Opening> = if body.is_empty() {
        None
    } else {
        serde_json::from_slice(&body).map_err(|error| Problem::bad(error.to_string()))?
    };
    let opening = opening.unwrap_or_default();
    let is_bound = !caller.may(Role::Admin);
    let wish = NewSession {
        agent: opening.agent,
        model: opening.model,
        strategy: opening.strategy,
        owner: match caller.session_owner {
            SessionOwner::All => None,
            SessionOwner::Token(name) => Some(name),
        },
    };
    let opened = elsewhere(move || {
        if is_bound {
            only_offered(&server, &wish)?;
        }
        server.chats.open(&wish)
    });
    let opened = opened.await??;
    let id = opened.id.clone();
    Ok((StatusCode::CREATED, Json(OpenedSession { id })))
}

/// Refuses a model that nobody offers: it is asked with the key of whoever runs the server, who pays
/// for it.
fn only_offered(server: &Server, wish: &NewSession) -> Result<(), Problem> {
    let Some(model) = &wish.model else {
        return Ok(());
    };
    let models = server.chats.agents()?.models()?;
    if models.known.contains(model) {
        return Ok(());
    }
    let known = models.known.join("`, `");
    let text = format!("your token is for these models: `{known}`; others are for admins");
    Err(Problem::new(StatusCode::FORBIDDEN, text))
}

/// Get a session and what happened in it
#[utoipa::path(get, path = "/api/v1/sessions/{id}", tag = "chat", params(("id" = String, Path)),
    responses((status = 200, body = SessionDetail),
        Forbidden, Missing))]
pub(super) async fn get(talk: FoundSession) -> Result<Json<SessionDetail>, Problem> {
    let detail = talk.then(|talk| {
        // Before the rest: who reads that a turn is over relies on all that it left.
        let busy = talk.conversation.is_busy();
        let talk = if busy { talk } else { talk.again()? };
        let session = talk.session()?;
        let viewer = talk.caller.viewer(&talk.server);
        Ok(SessionDetail {
            id: session.id.clone(),
            title: session.title(),
            agent: agent(&session),
            strategy: strategy(&session).to_owned(),
            created: session.created.to_string(),
            active_skills: active(&session),
            tokens: (&session.state.usage).into(),
            busy,
            events: viewer.events(&talk.conversation),
            model: session.prompt.settings.model,
        })
    });
    Ok(Json(detail.await?))
}

/// Forget a session
#[utoipa::path(delete, path = "/api/v1/sessions/{id}", tag = "chat", params(("id" = String, Path)),
    responses((status = 204, description = "it is gone"),
        Forbidden, Missing))]
pub(super) async fn delete(talk: FoundSession) -> Result<StatusCode, Problem> {
    let deleted = talk.then(|talk| talk.server.chats.delete(&talk.conversation));
    deleted.await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Get all of a session: its prompt, its messages, what was allowed
#[utoipa::path(get, path = "/api/v1/sessions/{id}/export", tag = "chat", params(("id" = String, Path)),
    responses((status = 200, body = Object),
        Forbidden, Missing))]
pub(super) async fn export(talk: FoundSession) -> Result<Json<Value>, Problem> {
    let exported = talk.then(|talk| {
        let session = talk.session()?;
        let mut value = json!({
            "id": session.id,
            "agent": agent(&session),
            "created": session.created.to_string(),
            "prompt": session.prompt,
            "messages": session.messages,
            "state": session.state,
        });
        if talk.caller.may(Role::Admin) {
            value["workspace"] = session.workspace.into();
        }
        Ok(talk.caller.viewer(&talk.server).redactor().value(value))
    });
    Ok(Json(exported.await?))
}

/// Copy a session; what was allowed in it stays behind
#[utoipa::path(post, path = "/api/v1/sessions/{id}/fork", tag = "chat", params(("id" = String, Path)),
    responses((status = 201, body = OpenedSession),
        Forbidden, Missing))]
pub(super) async fn fork(talk: FoundSession) -> Result<(StatusCode, Json<OpenedSession>), Problem> {
    let forked = talk.then(|talk| talk.server.chats.fork(&talk.conversation));
    let id = forked.await?;
    Ok((StatusCode::CREATED, Json(OpenedSession { id })))
}

/// Let a skill of a session go
#[utoipa::path(post, path = "/api/v1/sessions/{id}/release", tag = "chat", params(("id" = String, Path)),
    request_body = Release,
    responses((status = 200, body = Released),
        Senseless, Forbidden, Missing, Untimely, NotJson))]
pub(super) async fn release(
    talk: FoundSession,
    JsonBody(release): JsonBody<Release>,
) -> Result<Json<Released>, Problem> {
    let done = talk.then(move |talk| {
        let holder = talk.caller.holder.clone();
        let server = &talk.server;
        server.release(&talk.conversation, &release.skill, holder)
    });
    let released = done.await?;
    Ok(Json(Released { released }))
}

fn agent(session: &Session) -> Option<String> {
    let agent = session.agent.as_ref()?;
    Some(format!("{}@{}", agent.name, agent.version))
}

fn strategy(session: &Session) -> &'static str {
    match session.prompt.settings.strategy {
        Strategy::Tool => "tool",
        Strategy::Router => "router",
        Strategy::Hybrid => "hybrid",
    }
}

fn active(session: &Session) -> Vec<ActiveSkill> {
    let skills = session.state.activated.iter().map(|each| ActiveSkill {
        name: each.name.clone(),
        digest: each.digest.clone(),
    });
    skills.collect()
}

/// The sessions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Sessions {
    /// Those first that were used last.
    sessions: Vec<SessionItem>,
    /// Where there are older ones: what to ask for them with, as `before`.
    #[serde(skip_serializing_if = "Option::is_none")]
    older: Option<String>,
}

/// Which sessions are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionsQuery {
    /// Only so many; 200 are the most, and as many as are given without a number.
    limit: Option<usize>,
    /// Only those behind a place in the list, as `older` of another answer says it.
    before: Option<String>,
}

/// A session in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionItem {
    /// Its id, which `skillyard chat --resume` takes, too.
    id: String,
    /// How it began.
    title: String,
    /// The agent, as `name@version`.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// When it began.
    created: String,
    /// When it was last used.
    updated: String,
    /// How many messages it has.
    messages: usize,
}

impl From<SessionSummary> for SessionItem {
    fn from(summary: SessionSummary) -> Self {
        Self {
            id: summary.id,
            title: summary.title,
            agent: summary.agent,
            created: summary.created,
            updated: summary.updated,
            messages: usize::try_from(summary.messages).unwrap_or_default(),
        }
    }
}

/// List sessions
#[utoipa::path(get, path = "/api/v1/sessions", tag = "chat", params(SessionsQuery),
    responses((status = 200, body = Sessions),
        Senseless, Forbidden, Missing))]
pub(super) async fn list(
    State(server): State<Arc<Server>>,
    caller: Caller,
    QueryInput(listing): QueryInput<SessionsQuery>,
) -> Result<Json<Sessions>, Problem> {
    let before = listing
        .before
        .as_deref()
        .map(SessionCursor::from_str)
        .transpose();
    let before = before.map_err(|_| Problem::bad("`before` is `older` of another answer"))?;
    let limit = listing.limit.unwrap_or(MAX_LISTED);
    let listed = elsewhere(move || {
        let register = &server.chats;
        register.list(&caller.session_owner, before.as_ref(), limit)
    });
    let (listed, older) = listed.await??;
    Ok(Json(Sessions {
        sessions: listed.into_iter().map(SessionItem::from).collect(),
        older: older.map(|place| place.to_string()),
    }))
}

/// The models that can be chosen.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Choices {
    /// What is taken when nobody chooses.
    default: String,
    /// What the configuration and the agents name; other models of those servers work for admins, too.
    models: Vec<String>,
}

/// List models
#[utoipa::path(get, path = "/api/v1/models", tag = "chat",
    responses((status = 200, body = Choices),
        Forbidden, Missing))]
pub(super) async fn models(State(server): State<Arc<Server>>) -> Result<Json<Choices>, Problem> {
    let models = elsewhere(move || Ok::<_, Problem>(server.chats.agents()?.models()?));
    let models = models.await??;
    Ok(Json(Choices {
        default: models.default,
        models: models.known,
    }))
}
