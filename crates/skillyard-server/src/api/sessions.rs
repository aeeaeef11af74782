//! `/api/v1/sessions`: beginning, looking at, copying and forgetting sessions.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use skillyard_agent::session::Session;
use skillyard_agent::settings::Strategy;
use utoipa::ToSchema;

use super::input::{Caller, Given};
use super::refusals::{Forbidden, Missing, NotJson, Senseless, Untimely};
use super::talk::Talk;
use crate::access::Role;
use crate::access::SessionOwner;
use crate::agents::NewSession;
use crate::chat::{ActiveSkill, ChatEvent, Tokens};
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
pub(crate) struct Opened {
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
    responses((status = 201, body = Opened),
        Senseless, Forbidden, Missing))]
pub(super) async fn open(
    State(server): State<Arc<Server>>,
    caller: Caller,
    body: Bytes,
) -> Result<(StatusCode, Json<Opened>), Problem> {
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
    Ok((StatusCode::CREATED, Json(Opened { id })))
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
pub(super) async fn get(talk: Talk) -> Result<Json<SessionDetail>, Problem> {
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
pub(super) async fn delete(talk: Talk) -> Result<StatusCode, Problem> {
    let deleted = talk.then(|talk| talk.server.chats.delete(&talk.conversation));
    deleted.await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Get all of a session: its prompt, its messages, what was allowed
#[utoipa::path(get, path = "/api/v1/sessions/{id}/export", tag = "chat", params(("id" = String, Path)),
    responses((status = 200, body = Object),
        Forbidden, Missing))]
pub(super) async fn export(talk: Talk) -> Result<Json<Value>, Problem> {
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
    responses((status = 201, body = Opened),
        Forbidden, Missing))]
pub(super) async fn fork(talk: Talk) -> Result<(StatusCode, Json<Opened>), Problem> {
    let forked = talk.then(|talk| talk.server.chats.fork(&talk.conversation));
    let id = forked.await?;
    Ok((StatusCode::CREATED, Json(Opened { id })))
}

/// Let a skill of a session go
#[utoipa::path(post, path = "/api/v1/sessions/{id}/release", tag = "chat", params(("id" = String, Path)),
    request_body = Release,
    responses((status = 200, body = Released),
        Senseless, Forbidden, Missing, Untimely, NotJson))]
pub(super) async fn release(
    talk: Talk,
    Given(release): Given<Release>,
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
