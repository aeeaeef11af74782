//! The server: a registry with what HTTP needs around it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;

use crate::counter::Counter;
use crate::registry::Registry;
use crate::routes::routes;

/// What may be asked of a server, and how much.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where it is reached from outside, without a slash at the end.
    pub url: String,
    /// The longest upload.
    pub upload_bytes: usize,
    /// How long an upload may take.
    pub upload_time: Duration,
}

impl Settings {
    /// The usual limits, for a server that is reached at `url`.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into().trim_end_matches('/').to_owned(),
            upload_bytes: 32 * 1024 * 1024,
            upload_time: Duration::from_secs(60),
        }
    }
}

/// What every endpoint is handed.
#[derive(Clone)]
pub struct Server {
    pub(crate) registry: Registry,
    pub(crate) settings: Arc<Settings>,
    pub(crate) counter: Counter,
}

impl Server {
    /// A server for a registry; downloads are counted as long as it lives.
    pub fn new(registry: Registry, settings: Settings) -> Self {
        Self {
            counter: Counter::start(registry.database.clone()),
            registry,
            settings: Arc::new(settings),
        }
    }

    /// Everything it answers to.
    pub fn router(&self) -> Router {
        routes().with_state(self.clone())
    }

    /// Answers until `stop` ends, then finishes what was begun.
    pub async fn serve(
        self,
        listener: TcpListener,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let service = self
            .router()
            .into_make_service_with_connect_info::<SocketAddr>();
        axum::serve(listener, service)
            .with_graceful_shutdown(stop)
            .await?;
        self.counter.finish().await;
        Ok(())
    }
}
