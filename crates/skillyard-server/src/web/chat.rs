//! The chat. The page is a frame; its script follows the session and fills it.

use std::sync::Arc;

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse as _, Redirect};
use serde::Deserialize;
use skillyard_agent::provider::offline;
use skillyard_agent::session::{SessionCursor, SessionSummary};

use super::part::Part;
use super::{Frame, NoPage, Page, elsewhere, shown};
use crate::access::Role;
use crate::chat::MAX_LISTED;
use crate::problem::Problem;
use crate::server::Server;

#[derive(Template)]
#[template(path = "chat.html")]
struct ChatPage {
    frame: Frame,
    active: &'static str,
    sessions: Vec<SessionSummary>,
    /// Which chats are listed.
    listing: Listing,
    /// Where the older ones are.
    older: Option<String>,
    session: String,
    title: String,
    /// The agent and the model of a session that has begun.
    with: Vec<String>,
    /// What a new one can choose from.
    agents: Vec<String>,
    models: Vec<String>,
    model: String,
    /// Whether no model answers in this chat.
    is_offline: bool,
}

/// Which chats are listed beside one.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Listing {
    /// Those behind a place in the list; what is none is left out.
    #[serde(default)]
    before: String,
}

type Wanted = Result<Query<Listing>, QueryRejection>;

/// `GET /`: a chat that has not begun.
pub(crate) async fn start(server: State<Arc<Server>>, frame: Frame, wanted: Wanted) -> Page {
    if frame.role() < Some(Role::Chat) {
        return Ok(Redirect::to("/skills").into_response());
    }
    page(server, frame, String::new(), wanted).await
}

/// `GET /chat/{session}`.
pub(crate) async fn session(
    server: State<Arc<Server>>,
    frame: Frame,
    Part(session): Part<String>,
    wanted: Wanted,
) -> Page {
    page(server, frame, session, wanted).await
}

async fn page(
    State(server): State<Arc<Server>>,
    frame: Frame,
    session: String,
    wanted: Wanted,
) -> Page {
    let within = frame.clone();
    let Query(listing) = wanted.unwrap_or_default();
    let composed = elsewhere(move || compose(&server, within, session, listing)).await;
    match composed.and_then(|page| page) {
        Ok(page) => Ok(shown(&page)),
        Err(problem) => Err(NoPage::new(frame, problem)),
    }
}

fn compose(
    server: &Server,
    frame: Frame,
    session: String,
    mut listing: Listing,
) -> Result<ChatPage, Problem> {
    let agents = server.chats.agents()?;
    let place: Option<SessionCursor> = listing.before.parse().ok();
    if place.is_none() {
        listing.before.clear();
    }
    let listed = server
        .chats
        .list(&frame.session_owner, place.as_ref(), MAX_LISTED);
    let (sessions, older) = listed?;
    let models = agents.models()?;
    let mut page = ChatPage {
        active: "chat",
        sessions,
        listing,
        older: older.map(|place| {
            let place = place.to_string();
            form_urlencoded::byte_serialize(place.as_bytes()).collect()
        }),
        agents: agents.definitions().names(),
        models: models.known,
        is_offline: models.default == offline::NAME,
        model: models.default,
        title: String::new(),
        with: Vec::new(),
        session,
        frame,
    };
    if !page.session.is_empty() {
        let conversation = server
            .chats
            .find(&page.session, &page.frame.session_owner)?;
        let session = server.chats.session(&conversation)?;
        page.title = session.title();
        let agent = session.agent.as_ref();
        page.with
            .extend(agent.map(|agent| format!("{} version {}", agent.name, agent.version)));
        let model = session.prompt.settings.model;
        page.is_offline = model == offline::NAME;
        page.with.push(model);
    }
    Ok(page)
}
