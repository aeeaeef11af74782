//! MCP: skills for agents of others, over standard input and output or HTTP.
//!
//! Hosts that know the Skills extension (SEP-2640) get entries with digests and `skill://`
//! resources; the others get tools and prompts. One handler answers every revision of the protocol.
//! `batch` and `batched` take several messages at once where a revision has that; `pending` knows what has no answer yet.
//! `gateway`, `foreign`, `offered` and `upstream` offer what other servers have, under the guard of the skills that
//! `acting` knows to be loaded; `run` runs scripts. Both `ask` the user before, with a `form`.

mod acting;
mod answers;
mod ask;
mod batch;
mod batched;
mod caller;
mod directory;
mod edition;
mod foreign;
mod form;
mod gateway;
mod handler;
mod inquiry;
mod instructions;
mod introduction;
mod lines;
mod news;
mod offered;
mod paging;
mod pending;
mod prompts;
mod refusal;
mod run;
mod sessions;
mod skills;
mod subscriptions;
mod tools;
mod upstream;
mod uri;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use rmcp::ServiceExt as _;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

pub(crate) use acting::Acting;
pub(crate) use edition::Editions;
use handler::Handler;
use lines::Lines;
use sessions::Sessions;
pub(crate) use upstream::Upstream;

use crate::server::Server;

/// Why the connection over standard input and output ended.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The client did not say hello as the protocol wants it.
    #[error("the client did not start the protocol")]
    Start(#[source] Box<rmcp::service::ServerInitializeError>),
    /// A task failed.
    #[error("the connection failed")]
    Failed(#[from] tokio::task::JoinError),
}

/// Answers one client over standard input and output until it goes.
pub async fn serve_stdio(server: Arc<Server>) -> Result<(), McpError> {
    let handler = Handler::new(server);
    let (input, output) = rmcp::transport::stdio();
    let running = match handler.serve(Lines::new(input, output)).await {
        Ok(running) => running,
        // A client that goes before it has said anything wanted nothing.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(McpError::Start(Box::new(error))),
    };
    running.waiting().await?;
    Ok(())
}

/// What stands at `/mcp`; Host, Origin and token were looked at before.
pub(crate) fn router(server: &Arc<Server>) -> Router<Arc<Server>> {
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_json_response(true);
    let sessions = Arc::new(Sessions::new());
    let manager = Arc::clone(&sessions.manager);
    let server = Arc::clone(server);
    let service = StreamableHttpService::new(
        move || Ok(Handler::new(Arc::clone(&server))),
        manager,
        config,
    );
    Router::new()
        .route_service("/mcp", service)
        .route_layer(from_fn_with_state(Arc::clone(&sessions), sessions::bounded))
        .route_layer(from_fn_with_state(sessions, answers::expected))
}
