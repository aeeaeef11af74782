//! MCP: skills for other agents, over standard input and output or HTTP.
//!
//! Hosts that know the Skills extension (SEP-2640) get entries with digests and `skill://`
//! resources; the others get tools and prompts. One handler answers every revision of the protocol.
//! `upstream_tools` and `upstream_skills` offer what other servers have; `run` runs scripts. Both
//! `ask` the user first.

mod ask;
mod caller;
mod directory;
mod handler;
mod introduction;
mod lines;
mod notifications;
mod prompts;
mod run;
mod sessions;
mod skills;
mod tools;
mod upstream_skills;
mod upstream_tools;
mod uri;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use rmcp::ServiceExt as _;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use handler::Handler;
use lines::Lines;
use sessions::McpSessions;

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
    let sessions = Arc::new(McpSessions::new());
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
        .route_layer(from_fn_with_state(sessions, sessions::with_expected_status))
}
