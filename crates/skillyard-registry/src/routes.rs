//! Every route, on one page.

use axum::Router;
use axum::routing::{delete, get, post, put};

use crate::endpoints::{
    apm, deprecate, download, health, index, list, log, marketplace, me, owners, publish, show,
    well_known, yank,
};
use crate::error::RegistryError;
use crate::openapi;
use crate::pages::{assets, compare, file, home, owner, skill};
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
        .route(
            "/skills/{name}/{version}/archive.tar.gz",
            get(download::archive),
        )
        .route("/log/checkpoint", get(log::checkpoint))
        .route("/log/entries/{name}/{version}", get(log::inclusion))
        .route("/log/consistency", get(log::consistency))
        // For clients of others.
        .route(
            "/.well-known/agent-skills/index.json",
            get(well_known::archives),
        )
        .route("/.well-known/skills/index.json", get(well_known::files))
        .route("/.well-known/skills/{name}/{*path}", get(well_known::file))
        .route(
            "/.claude-plugin/marketplace.json",
            get(marketplace::marketplace),
        )
        .route("/v1/packages/{owner}/{name}/versions", get(apm::versions))
        .route(
            "/v1/packages/{owner}/{name}/versions/{version}",
            put(apm::publish),
        )
        .route(
            "/v1/packages/{owner}/{name}/versions/{version}/download",
            get(apm::download),
        )
        .route("/v1/search", get(apm::search))
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
        .route("/openapi.json", get(openapi::document))
        // For people.
        .route("/", get(home::home))
        .route("/view/{name}", get(skill::skill))
        .route("/view/{name}/files/{*path}", get(file::file))
        .route("/view/{name}/compare", get(compare::compare))
        .route("/owners/{account}", get(owner::owner))
        .route("/assets/{file}", get(assets::asset))
        .fallback(async || RegistryError::NoRoute)
        .method_not_allowed_fallback(async || RegistryError::NoMethod)
}
