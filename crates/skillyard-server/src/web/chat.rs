//! The chat. The page is a frame; its script follows the session and fills it.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse as _, Redirect};

use super::{Frame, NoPage, Page, elsewhere, shown};
use crate::access::Role;
use crate::chat::SessionSummary;
use crate::server::Server;

#[derive(Template)]
#[template(path = "chat.html")]
struct ChatPage {
    frame: Frame,
    active: &'static str,
    partner: String,
    sessions: Vec<SessionSummary>,
    session: String,
}

/// `GET /`: a chat that has not begun.
pub(crate) async fn start(server: State<Arc<Server>>, frame: Frame) -> Page {
    if frame.role < Some(Role::Chat) {
        return Ok(Redirect::to("/skills").into_response());
    }
    page(server, frame, String::new()).await
}

/// `GET /chat/{session}`.
pub(crate) async fn session(
    server: State<Arc<Server>>,
    frame: Frame,
    Path(session): Path<String>,
) -> Page {
    page(server, frame, session).await
}

async fn page(State(server): State<Arc<Server>>, frame: Frame, session: String) -> Page {
    let partner = server.register.partner();
    let listed = elsewhere(move || server.register.list()).await;
    match listed.and_then(|listed| Ok(listed?)) {
        Ok(sessions) => Ok(shown(&ChatPage {
            frame,
            active: "chat",
            partner,
            sessions,
            session,
        })),
        Err(problem) => Err(NoPage::new(frame, problem)),
    }
}
