//! The document that says what the API can do, made from the code that does it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use utoipa::OpenApi;

use super::{
    agents, audit, files, find, guard, install, manage, messages, models, prompt, remcochat,
    sessions, skill, skills, tools,
};
use crate::problem::Problem;
use crate::server::Server;

#[derive(OpenApi)]
#[openapi(
    info(title = "Skillyard", description = "Agent Skills for programs"),
    paths(
        skills::list,
        skill::get,
        skill::body,
        skill::activate,
        skill::findings,
        skill::usage,
        files::list,
        files::read,
        find::search,
        find::matching,
        prompt::get,
        guard::check,
        tools::call,
        manage::enable,
        manage::disable,
        manage::reload,
        install::install,
        audit::query,
        audit::verify,
        audit::replay,
        agents::list,
        agents::create,
        agents::get,
        agents::change,
        agents::versions,
        agents::version,
        sessions::list,
        sessions::open,
        sessions::get,
        sessions::delete,
        sessions::export,
        sessions::fork,
        sessions::release,
        messages::say,
        messages::stop,
        messages::follow,
        messages::decide,
        models::list,
        remcochat::list,
        remcochat::reload,
    ),
    // Refusals only refer to it.
    components(schemas(Problem))
)]
struct Document;

/// `GET /api/v1/openapi.json`.
pub(super) async fn document(State(server): State<Arc<Server>>) -> Json<utoipa::openapi::OpenApi> {
    let mut document = Document::openapi();
    server.version.clone_into(&mut document.info.version);
    Json(document)
}
