//! Every route on one page.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};

use crate::gate;
use crate::mounted_registry::{REGISTRY, mounted};
use crate::server::Server;
use crate::{api, mcp, monitoring, web};

/// All answers of the server, behind its gate.
pub fn router(server: Arc<Server>) -> Router {
    let read = Router::new()
        .route("/", get(web::chat::start))
        .route("/skills", get(web::library::page))
        .route("/skills/{name}", get(web::skill::page))
        .route("/skills/{name}/files/{*path}", get(web::skill::file))
        .route("/login", get(web::login::page).post(web::login::login))
        .route("/logout", post(web::login::logout))
        .route("/assets/{file}", get(web::assets::file))
        .route("/favicon.ico", get(web::assets::icon))
        .route("/healthz", get(monitoring::healthz));
    let talk = Router::new()
        .route("/chat/{session}", get(web::chat::session))
        .route("/menu", get(web::chat::menu))
        .route("/agents", get(web::agents::list))
        .route("/agents/{name}", get(web::agents::page))
        .route_layer(from_fn(gate::talkers));
    let admin = Router::new()
        .route("/skills/{name}/switch", post(web::skill::switch))
        .route("/admin", get(web::admin::page))
        .route("/admin/reload", post(web::admin::reload))
        .route("/agents", post(web::agents::create))
        .route("/audit", get(web::audit::page))
        .route("/audit/replay/{session}", get(web::audit::replay))
        .route("/metrics", get(monitoring::metrics))
        .route_layer(from_fn(gate::admins));
    let mut all = read
        .merge(admin)
        .merge(talk)
        .merge(api::router())
        .merge(mcp::router(&server));
    if let Some(registry) = server.registry.clone() {
        all = all.nest_service(REGISTRY, mounted(registry.router));
    }
    // The gate limits bodies, with words of its own.
    let all = all.layer(DefaultBodyLimit::disable());
    all.fallback(web::missing)
        .method_not_allowed_fallback(web::wrong_method)
        .layer(from_fn_with_state(Arc::clone(&server), gate::gate))
        .with_state(server)
}
