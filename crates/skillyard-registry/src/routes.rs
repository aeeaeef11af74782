//! Every route, on one page.

use std::io;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::Extensions;
use axum::middleware::from_fn_with_state;
use axum::routing::{delete, get, post, put};
use skillyard_http::{ConnectionLimits, listen};
use tokio::net::TcpListener;

use crate::endpoints::detached;
use crate::endpoints::{
    apm, curation, dist_tags, download, health, index, list, log, marketplace, namespaces, owners,
    publish, show, tokens, transfers, well_known,
};
use crate::error::RegistryError;
use crate::guard::guard;
use crate::openapi;
use crate::pages::{self, compare, file, home, login, owner, skill};
use crate::server::{SHUTDOWN_TIMEOUT, Server};

/// The most connections; others wait in the system's queue.
const MAX_CONNECTIONS: usize = 4096;
/// How long a client may take nothing of its answer.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

impl Server {
    /// Everything it answers to.
    pub fn router(&self) -> Router {
        let routes = routes(self).with_state(self.clone());
        // What is around a router is before its routes are chosen.
        Router::new()
            .fallback_service(routes)
            .layer(from_fn_with_state(self.clone(), guard))
    }

    /// Answers until `stop` ends, then finishes what was begun.
    pub async fn serve(
        self,
        listener: TcpListener,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let limits = ConnectionLimits {
            connections: MAX_CONNECTIONS,
            header_timeout: self.settings.header_time,
            write_timeout: WRITE_TIMEOUT,
            shutdown_timeout: SHUTDOWN_TIMEOUT,
        };
        let set_peer = |extensions: &mut Extensions, peer| {
            extensions.insert(ConnectInfo(peer));
        };
        listen(listener, self.router(), limits, set_peer, stop).await?;
        self.settle().await;
        Ok(())
    }
}

/// All routes.
fn routes(server: &Server) -> Router<Server> {
    finding()
        .merge(for_others())
        .merge(changing().layer(from_fn_with_state(server.clone(), detached)))
        .merge(for_people())
        .fallback(async || RegistryError::NoRoute)
        .method_not_allowed_fallback(async || RegistryError::NoMethod)
}

/// Finding and fetching, without a token.
fn finding() -> Router<Server> {
    Router::new()
        .route("/skills", get(list::list).post(publish::publish))
        .route("/skills/{name}", get(show::show))
        .route("/skills/{name}/download", get(download::latest))
        .route("/skills/{name}/{version}/download", get(download::version))
        .route("/index/{*path}", get(index::index))
        .route(
            "/skills/{name}/{version}/archive.tar.gz",
            get(download::archive),
        )
        .route("/skills/{name}/{version}/archive.zip", get(download::zip))
        .route("/log/checkpoint", get(log::checkpoint))
        .route("/log/entries", get(log::entries))
        .route("/log/entries/{name}/{version}", get(log::inclusion))
        .route("/log/consistency", get(log::consistency))
        .route("/log/consistency/{from}/{to}", get(log::consistency_path))
        .route("/changes", get(index::changes))
}

/// For clients of others.
fn for_others() -> Router<Server> {
    Router::new()
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
        // The same for what is in a namespace.
        .route(
            "/{namespace}/.well-known/agent-skills/index.json",
            get(well_known::archives_in),
        )
        .route(
            "/{namespace}/.well-known/skills/index.json",
            get(well_known::files_in),
        )
        .route(
            "/{namespace}/.well-known/skills/{name}/{*path}",
            get(well_known::file_in),
        )
        .route(
            "/{namespace}/.claude-plugin/marketplace.json",
            get(marketplace::marketplace_in),
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
}

/// Changing something, with a token.
fn changing() -> Router<Server> {
    Router::new()
        .route("/skills/{name}/{version}", delete(curation::yank))
        .route("/skills/{name}/{version}/restore", post(curation::restore))
        .route(
            "/skills/{name}/deprecation",
            put(curation::deprecate).delete(curation::undeprecate),
        )
        .route("/skills/{name}/owners", get(owners::list))
        .route(
            "/skills/{name}/owners/{account}",
            put(owners::add).delete(owners::remove),
        )
        .route("/skills/{name}/dist-tags", get(dist_tags::list))
        .route(
            "/skills/{name}/dist-tags/{tag}",
            put(dist_tags::put).delete(dist_tags::delete),
        )
        .route(
            "/skills/{name}/transfer",
            put(transfers::offer_skill)
                .post(transfers::accept_skill)
                .delete(transfers::decline_skill),
        )
        .route(
            "/namespaces/{namespace}",
            get(namespaces::show).put(namespaces::create),
        )
        .route(
            "/namespaces/{namespace}/members/{account}",
            put(namespaces::add).delete(namespaces::remove),
        )
        .route(
            "/namespaces/{namespace}/transfer",
            put(transfers::offer_namespace)
                .post(transfers::accept_namespace)
                .delete(transfers::decline_namespace),
        )
        .route("/transfers", get(transfers::list))
        .route("/tokens", get(tokens::list).post(tokens::create))
        .route("/tokens/{id}", delete(tokens::revoke))
        .route("/me", get(tokens::me))
}

/// For people and for monitoring.
fn for_people() -> Router<Server> {
    Router::new()
        .route("/health", get(health::health))
        .route("/ready", get(health::ready))
        .route("/openapi.json", get(openapi::document))
        .route("/", get(home::home))
        .route("/view/{name}", get(skill::skill))
        .route("/view/{name}/files/{*path}", get(file::file))
        .route("/view/{name}/compare", get(compare::compare))
        .route("/owners/{account}", get(owner::owner))
        .route("/login", get(login::show).post(login::login))
        .route("/logout", post(login::logout))
        .route("/assets/{file}", get(pages::asset))
}
