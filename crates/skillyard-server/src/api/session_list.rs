//! `GET /api/v1/sessions`.

use std::str::FromStr as _;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use skillyard_agent::session::{SessionCursor, SessionSummary};
use utoipa::{IntoParams, ToSchema};

use super::input::{Asked, Caller};
use super::refusals::{Forbidden, Missing, Senseless};
use crate::chat::MAX_LISTED;
use crate::problem::Problem;
use crate::server::Server;
use crate::web::elsewhere;

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
pub(crate) struct Listing {
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
#[utoipa::path(get, path = "/api/v1/sessions", tag = "chat", params(Listing),
    responses((status = 200, body = Sessions),
        Senseless, Forbidden, Missing))]
pub(super) async fn list(
    State(server): State<Arc<Server>>,
    caller: Caller,
    Asked(listing): Asked<Listing>,
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
