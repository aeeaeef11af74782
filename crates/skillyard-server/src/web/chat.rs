//! The chat. The page is a frame; its script follows the session and fills it.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect};
use skillyard_agent::session::Summary;

use super::part::Part;
use super::{Frame, NoPage, Page, elsewhere, shown};
use crate::access::Role;
use crate::problem::Problem;
use crate::server::Server;

#[derive(Template)]
#[template(path = "chat.html")]
struct ChatPage {
    frame: Frame,
    active: &'static str,
    sessions: Vec<Summary>,
    session: String,
    title: String,
    /// The agent and the model of a session that has begun.
    with: Vec<String>,
    /// What a new one can choose from.
    agents: Vec<String>,
    models: Vec<String>,
    model: String,
}

/// `GET /`: a chat that has not begun.
pub(crate) async fn start(server: State<Arc<Server>>, frame: Frame) -> Page {
    if frame.role() < Some(Role::Chat) {
        return Ok(Redirect::to("/skills").into_response());
    }
    page(server, frame, String::new()).await
}

/// `GET /chat/{session}`.
pub(crate) async fn session(
    server: State<Arc<Server>>,
    frame: Frame,
    Part(session): Part<String>,
) -> Page {
    page(server, frame, session).await
}

async fn page(State(server): State<Arc<Server>>, frame: Frame, session: String) -> Page {
    let within = frame.clone();
    let composed = elsewhere(move || compose(&server, within, session)).await;
    match composed.and_then(|page| page) {
        Ok(page) => Ok(shown(&page)),
        Err(problem) => Err(NoPage::new(frame, problem)),
    }
}

fn compose(server: &Server, frame: Frame, session: String) -> Result<ChatPage, Problem> {
    let agents = server.register.agents()?;
    let models = agents.models()?;
    let mut page = ChatPage {
        active: "chat",
        sessions: server.register.list(&frame.keeper)?,
        agents: agents.definitions().names(),
        models: models.known,
        model: models.default,
        title: String::new(),
        with: Vec::new(),
        session,
        frame,
    };
    if !page.session.is_empty() {
        let conversation = server.register.find(&page.session, &page.frame.keeper)?;
        let session = server.register.session(&conversation)?;
        page.title = session.title();
        let agent = session.agent.as_ref();
        page.with
            .extend(agent.map(|agent| format!("{} version {}", agent.name, agent.version)));
        page.with.push(session.prompt.settings.model);
    }
    Ok(page)
}
