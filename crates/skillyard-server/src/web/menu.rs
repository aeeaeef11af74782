//! `GET /menu`: the skills that a user may name in the chat, for its page. Programs ask the API, whose
//! texts are what they are; a reader sees here what would deceive, as on every page.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use skillyard_format::text::escape_control;

use super::elsewhere;
use crate::problem::Problem;
use crate::server::Server;

/// A skill of the menu.
#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    /// Its name, as it is sent.
    name: String,
    /// Its name, as it is shown.
    shown: String,
    /// Its description, as it is shown.
    description: String,
}

/// The skills, the strongest source first.
pub(crate) async fn list(State(server): State<Arc<Server>>) -> Result<Json<Vec<Entry>>, Problem> {
    let entries = elsewhere(move || {
        let snapshot = server.catalog.snapshot();
        let named = snapshot.catalog.enabled().map(|skill| &skill.record);
        let named = named.filter(|record| record.user_invocable);
        let entries = named.map(|record| Entry {
            name: record.name.clone(),
            shown: escape_control(&record.name).into_owned(),
            description: escape_control(&record.description).into_owned(),
        });
        entries.collect()
    });
    Ok(Json(entries.await?))
}
