//! MCP: skills for agents of others, over standard input and output or HTTP.
//!
//! Hosts that know the Skills extension (SEP-2640) get entries with digests and `skill://`
//! resources; the others get tools and prompts. One handler answers every revision of the protocol.
//! `gateway` and `upstream` offer what other servers have, under the guard of the skills that
//! `acting` knows to be loaded; `run` runs scripts after `consent`.

mod acting;
mod caller;
mod consent;
mod directory;
mod edition;
mod gateway;
mod handler;
mod news;
mod prompts;
mod run;
mod skills;
mod subscriptions;
mod tools;
mod upstream;
mod uri;

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

pub(crate) use acting::Acting;
pub(crate) use consent::Consents;
pub(crate) use edition::Editions;
use handler::Handler;
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

/// How long an answer can be asked for again by who lost the connection. Each request looks through
/// all that are kept, so a minute of a busy session would slow it down and fill the memory.
const KEPT: Duration = Duration::from_secs(5);

/// Answers one client over standard input and output until it goes.
pub async fn serve_stdio(server: Arc<Server>) -> Result<(), McpError> {
    let handler = Handler::new(server);
    let running = match handler.serve(rmcp::transport::stdio()).await {
        Ok(running) => running,
        // A client that goes before it has said anything wanted nothing.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(McpError::Start(Box::new(error))),
    };
    running.waiting().await?;
    Ok(())
}

/// The service behind `/mcp`; Host and Origin were looked at before.
pub(crate) fn service(server: Arc<Server>) -> StreamableHttpService<Handler, LocalSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_json_response(true);
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.completed_cache_ttl = KEPT;
    StreamableHttpService::new(
        move || Ok(Handler::new(Arc::clone(&server))),
        Arc::new(sessions),
        config,
    )
}
