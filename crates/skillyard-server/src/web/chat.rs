//! The chat. The page is a frame; its script follows the session and fills it. `GET /menu` lists the
//! skills that a user may name in it.

use std::sync::Arc;

use askama::Template;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::IntoResponse as _;
use axum::response::Redirect;
use serde::{Deserialize, Serialize};
use skillyard_agent::provider::offline;
use skillyard_agent::session::{SessionCursor, SessionSummary};
use skillyard_format::text::escape_control;

use super::{Frame, NoPage, Page, PathInput, elsewhere, shown};
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
    listing: ChatList,
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
pub(crate) struct ChatList {
    /// Those behind a place in the list; what is none is left out.
    #[serde(default)]
    before: String,
}

type ListQuery = Result<Query<ChatList>, QueryRejection>;

/// `GET /`: a chat that has not begun.
pub(crate) async fn start(server: State<Arc<Server>>, frame: Frame, wanted: ListQuery) -> Page {
    if frame.role() < Some(Role::Chat) {
        return Ok(Redirect::to("/skills").into_response());
    }
    page(server, frame, String::new(), wanted).await
}

/// `GET /chat/{session}`.
pub(crate) async fn session(
    server: State<Arc<Server>>,
    frame: Frame,
    PathInput(session): PathInput<String>,
    wanted: ListQuery,
) -> Page {
    page(server, frame, session, wanted).await
}

async fn page(
    State(server): State<Arc<Server>>,
    frame: Frame,
    session: String,
    wanted: ListQuery,
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
    mut listing: ChatList,
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

/// A skill of the menu.
#[derive(Debug, Serialize)]
pub(crate) struct MenuEntry {
    /// Its name, as it is sent.
    name: String,
    /// Its name, as it is shown.
    shown: String,
    /// Its description, as it is shown.
    description: String,
}

/// The skills, the strongest source first.
pub(crate) async fn menu(
    State(server): State<Arc<Server>>,
) -> Result<Json<Vec<MenuEntry>>, Problem> {
    let entries = elsewhere(move || {
        let snapshot = server.catalog.snapshot();
        let named = snapshot.catalog.enabled().map(|skill| &skill.record);
        let named = named.filter(|record| record.user_invocable);
        let entries = named.map(|record| MenuEntry {
            name: record.name.clone(),
            shown: escape_control(&record.name).into_owned(),
            description: escape_control(&record.description).into_owned(),
        });
        entries.collect()
    });
    Ok(Json(entries.await?))
}
