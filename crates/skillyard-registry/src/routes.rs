//! Every route, on one page.

use axum::Router;
use axum::routing::{delete, get, post, put};

use crate::endpoints::{deprecate, download, health, index, list, me, owners, publish, show, yank};
use crate::error::RegistryError;
use crate::server::Server;

/// All routes.
pub(crate) fn routes() -> Router<Server> {
    Router::new()
        // Finding and fetching, without a token.
        .route("/skills", get(list::list).post(publish::publish))
        .route("/skills/{name}", get(show::show))
        .route("/skills/{name}/download", get(download::latest))
        .route("/skills/{name}/{version}/download", get(download::version))
        .route("/index/{*path}", get(index::index))
        // With a token.
        .route("/skills/{name}/{version}", delete(yank::yank))
        .route("/skills/{name}/{version}/restore", post(yank::restore))
        .route(
            "/skills/{name}/deprecation",
            put(deprecate::put).delete(deprecate::delete),
        )
        .route("/skills/{name}/owners", get(owners::list))
        .route(
            "/skills/{name}/owners/{account}",
            put(owners::add).delete(owners::remove),
        )
        .route("/me", get(me::me))
        .route("/health", get(health::health))
        .fallback(async || RegistryError::NoRoute)
        .method_not_allowed_fallback(async || RegistryError::NoMethod)
}
