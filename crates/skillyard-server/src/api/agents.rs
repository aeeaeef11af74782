//! `/api/v1/agents`: agents that have a name, and their versions.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use skillyard_agent::agent::{AgentError, Definition};
use skillyard_agent::settings::{LimitChanges, Strategy, ToolMode};
use utoipa::ToSchema;

use super::input::{Caller, JsonBody, PathInput};
use super::openapi::{Forbidden, Missing, NotJson, Senseless, Untimely};
use crate::agent_cards::{Card, DamagedAgent, Draft};
use crate::problem::{FormField, Problem};
use crate::server::Server;
use crate::web::elsewhere;

/// The agents.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AgentList {
    /// By name.
    agents: Vec<Card>,
    /// Those that cannot be used as they are.
    damaged: Vec<DamagedAgent>,
}

/// What a new agent is to be like.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewAgent {
    /// Its name: small letters, digits and hyphens.
    #[schema(min_length = 1, max_length = 64)]
    name: String,
    #[serde(flatten)]
    said: Said,
}

/// What an agent is like; what is not said is as configured, or stays as it is.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Said {
    /// The model, as `SERVER/NAME`.
    #[schema(min_length = 1, max_length = 256, pattern = r"\S")]
    model: Option<String>,
    /// What it is for, in a line.
    description: Option<String>,
    /// What it is told.
    instructions: Option<String>,
    /// Its skills, which are pinned as they are now, and patterns such as `pdf-*`.
    skills: Option<Vec<String>>,
    /// Names and patterns of skills that it never has.
    denied: Option<Vec<String>>,
    /// Who picks skills: `tool`, `router` or `hybrid`.
    #[schema(value_type = Option<String>)]
    strategy: Option<Strategy>,
    /// How the model calls tools: `native`, `json_schema` or `text`.
    #[schema(value_type = Option<String>)]
    tool_mode: Option<ToolMode>,
    /// How much it may use.
    limits: Option<SaidLimits>,
}

/// How much an agent may use; what is not said is as usual, or stays as it is.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SaidLimits {
    /// How often the model is asked in one turn.
    #[schema(value_type = Option<usize>, minimum = 1)]
    steps: Option<NonZeroUsize>,
    /// All tokens of a session; 0 for as many as it takes.
    session_tokens: Option<u64>,
    /// Scripts, commands and changes of a session.
    runs: Option<usize>,
    /// Tokens of what a model is given of one skill in a session; 0 for as many as it takes.
    skill_tokens: Option<usize>,
    /// Scripts of one skill in a session; 0 for as many as the session may run.
    skill_runs: Option<usize>,
    /// Tokens that the model takes at once; 0 for what the configuration says.
    context_tokens: Option<usize>,
    /// Tokens of the catalog; 0 for 2% of the context.
    catalog_tokens: Option<usize>,
    /// Tokens of one answer.
    #[schema(value_type = Option<u32>, minimum = 1)]
    answer_tokens: Option<NonZeroU32>,
    /// Skills that a router may pick for one message.
    routed_skills: Option<usize>,
}

impl From<Said> for Draft {
    fn from(said: Said) -> Self {
        Self {
            model: said.model,
            description: said.description,
            instructions: said.instructions,
            skills: said.skills,
            denied: said.denied,
            strategy: said.strategy,
            tool_mode: said.tool_mode,
            limits: said.limits.unwrap_or_default().into(),
        }
    }
}

impl From<SaidLimits> for LimitChanges {
    fn from(said: SaidLimits) -> Self {
        Self {
            steps: said.steps,
            session_tokens: said.session_tokens,
            runs: said.runs,
            skill_tokens: said.skill_tokens,
            skill_runs: said.skill_runs,
            catalog_tokens: said.catalog_tokens,
            context_tokens: said.context_tokens,
            answer_tokens: said.answer_tokens,
            routed_skills: said.routed_skills,
        }
    }
}

/// The versions of an agent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct History {
    /// The agent.
    name: String,
    /// The version that holds.
    current: u32,
    /// All of them, the oldest first.
    versions: Vec<Version>,
}

/// A version of an agent.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Version {
    /// Its number.
    version: u32,
    /// The hash of what it says.
    hash: String,
}

/// List agents
#[utoipa::path(get, path = "/api/v1/agents", tag = "agents",
    responses((status = 200, body = AgentList),
        Forbidden, Missing))]
pub(super) async fn list(
    State(server): State<Arc<Server>>,
    caller: Caller,
) -> Result<Json<AgentList>, Problem> {
    let read = elsewhere(move || {
        let viewer = caller.viewer(&server);
        let (agents, damaged) = server.agent_cards()?;
        let agents = agents.into_iter();
        let damaged = damaged.into_iter();
        Ok::<_, Problem>(AgentList {
            agents: agents
                .map(|card| card.redacted(viewer.redactor()))
                .collect(),
            damaged: damaged
                .map(|each| each.redacted(viewer.redactor()))
                .collect(),
        })
    });
    Ok(Json(read.await??))
}

/// Make an agent
#[utoipa::path(post, path = "/api/v1/agents", tag = "agents", request_body = NewAgent,
    responses((status = 201, body = Card),
        Senseless, Forbidden, Missing, Untimely, NotJson))]
pub(super) async fn create(
    State(server): State<Arc<Server>>,
    caller: Caller,
    JsonBody(new): JsonBody<NewAgent>,
) -> Result<(StatusCode, Json<Card>), Problem> {
    let made = elsewhere(move || server.make_agent(&new.name, new.said.into(), &caller.holder));
    Ok((StatusCode::CREATED, Json(made.await??)))
}

/// Get an agent, and whether its skills are what they were
#[utoipa::path(get, path = "/api/v1/agents/{name}", tag = "agents", params(("name" = String, Path)),
    responses((status = 200, body = Card),
        Forbidden, Missing, Untimely))]
pub(super) async fn get(
    State(server): State<Arc<Server>>,
    caller: Caller,
    PathInput(name): PathInput<String>,
) -> Result<Json<Card>, Problem> {
    let read = elsewhere(move || {
        let viewer = caller.viewer(&server);
        Ok::<_, Problem>(server.agent_card(&name)?.redacted(viewer.redactor()))
    });
    Ok(Json(read.await??))
}

/// Change an agent, which makes a new version
#[utoipa::path(put, path = "/api/v1/agents/{name}", tag = "agents", params(("name" = String, Path)),
    request_body = Said,
    responses((status = 200, body = Card),
        Senseless, Forbidden, Missing, Untimely, NotJson))]
pub(super) async fn change(
    State(server): State<Arc<Server>>,
    caller: Caller,
    PathInput(name): PathInput<String>,
    JsonBody(said): JsonBody<Said>,
) -> Result<Json<Card>, Problem> {
    let changed = elsewhere(move || server.change_agent(&name, &said.into(), &caller.holder));
    Ok(Json(changed.await??))
}

/// List the versions of an agent
#[utoipa::path(get, path = "/api/v1/agents/{name}/versions", tag = "agents", params(("name" = String, Path)),
    responses((status = 200, body = History),
        Forbidden, Missing, Untimely))]
pub(super) async fn versions(
    State(server): State<Arc<Server>>,
    PathInput(name): PathInput<String>,
) -> Result<Json<History>, Problem> {
    let read = elsewhere(move || {
        let kept = server.chats.agents()?.definitions().load(&name)?;
        let versions = kept.versions.into_iter();
        Ok::<_, Problem>(History {
            name: kept.name,
            current: kept.version,
            versions: versions
                .map(|(version, hash)| Version { version, hash })
                .collect(),
        })
    });
    Ok(Json(read.await??))
}

/// Get what a version of an agent says
#[utoipa::path(get, path = "/api/v1/agents/{name}/versions/{version}", tag = "agents",
    params(("name" = String, Path), ("version" = u32, Path)),
    responses((status = 200, body = Object),
        Senseless, Forbidden, Missing, Untimely))]
pub(super) async fn version(
    State(server): State<Arc<Server>>,
    caller: Caller,
    PathInput((name, version)): PathInput<(String, u32)>,
) -> Result<Json<Value>, Problem> {
    let read = elsewhere(move || {
        let definitions = server.chats.agents()?.definitions();
        let definition: Definition = definitions.version(&name, version)?;
        let value = serde_json::to_value(definition).unwrap_or_default();
        Ok::<_, Problem>(caller.viewer(&server).redactor().value(value))
    });
    Ok(Json(read.await??))
}

impl From<AgentError> for Problem {
    fn from(error: AgentError) -> Self {
        match &error {
            AgentError::Name { .. } => Self::bad(error.to_string()).of(FormField::Name),
            AgentError::Unknown { nearest, .. } => {
                let near = nearest.as_ref();
                let near = near.map(|near| format!("; did you mean `{near}`?"));
                let text = format!("{error}{}", near.unwrap_or_default());
                Self::new(StatusCode::NOT_FOUND, text)
            }
            AgentError::NoVersion { .. } => Self::new(StatusCode::NOT_FOUND, error.to_string()),
            AgentError::Exists(_) => {
                Self::new(StatusCode::CONFLICT, error.to_string()).of(FormField::Name)
            }
            _ => match error.damage() {
                // An agent that cannot be read is no fault of the server, nor of whoever asks.
                Some(damage) => Self::new(
                    StatusCode::CONFLICT,
                    format!("the agent is damaged: {damage}"),
                ),
                None => crate::host::HostError::new(error).into(),
            },
        }
    }
}
