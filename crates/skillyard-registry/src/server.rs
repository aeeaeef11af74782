//! The server: a registry with what HTTP needs around it.

use std::io;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::http::Extensions;
use axum::middleware::from_fn_with_state;
use bytes::Bytes;
use skillyard_format::Digest;
pub use skillyard_http::Proxy;
use skillyard_http::{Limits, listen};
use skillyard_trust::signature::SigningKey;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::begun::Begun;
use crate::counter::Counter;
use crate::documents::KeptDocument;
use crate::guard::guard;
use crate::kept::Kept;
use crate::rate::{Gate, Rates};
use crate::reached::below;
use crate::readiness::Readiness;
use crate::registry::Registry;
use crate::routes::routes;
use crate::sheet::Sheet;
use crate::uploads::Uploads;

/// The most connections; others wait in the system's queue.
const CONNECTIONS: usize = 4096;
/// How long a client may take nothing of its answer.
const STALL: Duration = Duration::from_secs(30);
/// How long what was begun may take once the server is to stop.
const FAREWELL: Duration = Duration::from_secs(10);
/// How many bytes of skills' sheets are kept in memory.
const SHEETS: usize = 16 * 1024 * 1024;
/// How many bytes of archives are kept in memory.
const ARCHIVES: usize = 16 * 1024 * 1024;
/// How many bytes of documents over all skills are kept in memory.
const DOCUMENTS: usize = 4 * 1024 * 1024;

/// The most archives that are opened for pages at once; others wait.
const OPENED: usize = 4;

/// What may be asked of a server, and how much.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where it is reached from outside, without a slash at the end.
    pub url: String,
    /// The longest upload.
    pub upload_bytes: usize,
    /// How long an upload may take.
    pub upload_time: Duration,
    /// How long a client may take to say what it wants.
    pub header_time: Duration,
    /// How long any answer may take to begin.
    pub answer_time: Duration,
    /// How often somebody may ask.
    pub rates: Rates,
    /// Who may read.
    pub access: Access,
    /// Whose word counts about where a request comes from.
    pub proxy: Proxy,
    /// Under which names it answers.
    pub names: Names,
}

/// Under which names a registry answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Under any that leads to it.
    Any,
    /// Under those of this machine: a name of another site that was made to lead here is none.
    Loopback,
}

/// Who may read a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody who reaches it.
    Open,
    /// Whoever has a token.
    Private,
}

impl Settings {
    /// The usual limits, for a server that is reached at `url`.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into().trim_end_matches('/').to_owned(),
            upload_bytes: 32 * 1024 * 1024,
            upload_time: Duration::from_mins(1),
            header_time: Duration::from_secs(15),
            answer_time: Duration::from_mins(2),
            rates: Rates::default(),
            access: Access::Open,
            proxy: Proxy::None,
            names: Names::Any,
        }
    }
}

/// Who hears what was being done when something broke inside, and what it was.
pub type Report = Arc<dyn Fn(&str, &str) + Send + Sync>;

/// What every endpoint is handed; each request gets several of it, so it is one pointer.
#[derive(Clone)]
pub struct Server(Arc<Parts>);

/// What a server consists of.
#[derive(Clone)]
pub struct Parts {
    pub(crate) registry: Registry,
    pub(crate) settings: Arc<Settings>,
    /// What stands before each path from outside; nothing at a root.
    pub(crate) below: Arc<str>,
    pub(crate) counter: Counter,
    pub(crate) gate: Arc<Gate>,
    pub(crate) uploads: Arc<Uploads>,
    pub(crate) begun: Arc<Begun>,
    pub(crate) sheets: Arc<Kept<String, Arc<Sheet>>>,
    pub(crate) archives: Arc<Kept<Digest, Bytes>>,
    pub(crate) documents: Arc<Kept<KeptDocument, Bytes>>,
    pub(crate) opened: Arc<Semaphore>,
    pub(crate) readiness: Arc<Readiness>,
    pub(crate) log_key: Option<Arc<SigningKey>>,
    pub(crate) report: Option<Report>,
}

impl Deref for Server {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl Server {
    /// A server for a registry; downloads are counted as long as it lives.
    pub fn new(registry: Registry, settings: Settings) -> Self {
        Self(Arc::new(Parts {
            counter: Counter::start(registry.database.clone()),
            gate: Arc::new(Gate::new(settings.rates)),
            uploads: Arc::default(),
            begun: Arc::default(),
            sheets: Arc::new(Kept::new(SHEETS)),
            archives: Arc::new(Kept::new(ARCHIVES)),
            documents: Arc::new(Kept::new(DOCUMENTS)),
            opened: Arc::new(Semaphore::new(OPENED)),
            readiness: Arc::default(),
            log_key: None,
            report: None,
            registry,
            below: below(&settings.url).into(),
            settings: Arc::new(settings),
        }))
    }

    /// Signs the log of all versions with a key, the same on every node.
    #[must_use]
    pub fn with_log_key(mut self, key: SigningKey) -> Self {
        Arc::make_mut(&mut self.0).log_key = Some(Arc::new(key));
        self
    }

    /// Tells whoever runs it what clients are not told: why something broke inside.
    #[must_use]
    pub fn with_report(mut self, report: Report) -> Self {
        Arc::make_mut(&mut self.0).report = Some(report);
        self
    }

    /// Everything it answers to.
    pub fn router(&self) -> Router {
        let routes = routes(self).with_state(self.clone());
        // What is around a router is before its routes are chosen.
        Router::new()
            .fallback_service(routes)
            .layer(from_fn_with_state(self.clone(), guard))
    }

    /// Waits until what was begun is done and the downloads so far are counted.
    pub async fn settle(&self) {
        self.begun.done(FAREWELL).await;
        self.counter.finish().await;
    }

    /// Answers until `stop` ends, then finishes what was begun.
    pub async fn serve(
        self,
        listener: TcpListener,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let limits = Limits {
            connections: CONNECTIONS,
            head: self.settings.header_time,
            stall: STALL,
            farewell: FAREWELL,
        };
        let introduce = |extensions: &mut Extensions, peer| {
            extensions.insert(ConnectInfo(peer));
        };
        listen(listener, self.router(), limits, introduce, stop).await?;
        self.settle().await;
        Ok(())
    }
}
