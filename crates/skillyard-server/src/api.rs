//! The API for programs: one file a subject, problem details for errors, a document that says all.

mod admin;
mod agents;
mod audit;
mod files;
mod guard;
mod input;
mod messages;
mod openapi;
mod prompt;
mod remcochat;
mod sessions;
mod skill;
mod skills;
mod tools;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::{get, post, put};

use crate::gate;
use crate::server::Server;

/// Every route of the API.
pub(crate) fn router() -> Router<Arc<Server>> {
    let read = Router::new()
        .route("/api/v1/openapi.json", get(openapi::document))
        .route("/api/v1/skills", get(skills::list))
        .route("/api/v1/skills/{name}", get(skill::get))
        .route("/api/v1/skills/{name}/body", get(skill::body))
        .route("/api/v1/skills/{name}/findings", get(skill::findings))
        .route("/api/v1/skills/{name}/activate", post(skill::activate))
        .route("/api/v1/skills/{name}/files", get(files::list))
        .route("/api/v1/skills/{name}/files/{*path}", get(files::read))
        .route("/api/v1/search", get(skills::search))
        .route("/api/v1/match", get(skills::matching))
        .route("/api/v1/prompt", get(prompt::get))
        .route("/api/v1/guard/check", post(guard::check))
        .route("/api/v1/tools/{name}", post(tools::call));
    let talk = Router::new()
        .route("/api/v1/sessions", get(sessions::list).post(sessions::open))
        .route(
            "/api/v1/sessions/{id}",
            get(sessions::get).delete(sessions::delete),
        )
        .route("/api/v1/sessions/{id}/export", get(sessions::export))
        .route("/api/v1/sessions/{id}/fork", post(sessions::fork))
        .route("/api/v1/sessions/{id}/release", post(sessions::release))
        .route("/api/v1/sessions/{id}/messages", post(messages::say))
        .route("/api/v1/sessions/{id}/stop", post(messages::stop))
        .route("/api/v1/sessions/{id}/events", get(messages::follow))
        .route(
            "/api/v1/sessions/{id}/approvals/{question}",
            post(messages::decide),
        )
        .route("/api/v1/models", get(sessions::models))
        .route("/api/v1/agents", get(agents::list))
        .route("/api/v1/agents/{name}", get(agents::get))
        .route("/api/v1/agents/{name}/versions", get(agents::versions))
        .route(
            "/api/v1/agents/{name}/versions/{version}",
            get(agents::version),
        )
        .route_layer(from_fn(gate::talkers));
    let admin = Router::new()
        .route("/api/v1/skills/{name}/enable", post(admin::enable))
        .route("/api/v1/skills/{name}/disable", post(admin::disable))
        .route("/api/v1/reload", post(admin::reload))
        .route("/api/v1/install", post(admin::install))
        .route("/api/v1/audit", get(audit::query))
        .route("/api/v1/audit/verify", get(audit::verify))
        .route("/api/v1/audit/replay/{session}", get(audit::replay))
        .route("/api/v1/skills/{name}/usage", get(skill::usage))
        .route("/api/v1/agents", post(agents::create))
        .route("/api/v1/agents/{name}", put(agents::change))
        .route("/api/skills", get(remcochat::list))
        .route("/api/skills/reload", post(remcochat::reload))
        .route_layer(from_fn(gate::admins));
    read.merge(admin).merge(talk)
}
