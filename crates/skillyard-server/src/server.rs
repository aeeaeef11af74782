//! What all answers share.

use std::sync::Arc;

use skillyard_audit::Event;

use tokio::sync::Semaphore;

use crate::access::session::Sessions;
use crate::access::{Access, Forgery, Rate};
use crate::chat::{Chat, Register};
use crate::host::{Host, HostError};
use crate::mcp::{Acting, Consents, Editions, Upstream};
use crate::metrics::Metrics;
use crate::shelf::Shelf;

/// How many sessions are followed at once.
const FOLLOWERS: usize = 256;

/// How the server is set up.
#[derive(Clone)]
pub struct Settings {
    /// Who may ask.
    pub access: Access,
    /// The version that is told.
    pub version: &'static str,
    /// Who answers in chats; without one the catalog does.
    pub chat: Option<Arc<dyn Chat>>,
}

/// The server, without its listener.
pub struct Server {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) shelf: Shelf,
    pub(crate) settings: Settings,
    pub(crate) forgery: Forgery,
    pub(crate) sessions: Sessions,
    pub(crate) rate: Rate,
    pub(crate) guesses: Rate,
    pub(crate) metrics: Metrics,
    pub(crate) editions: Editions,
    pub(crate) acting: Acting,
    pub(crate) consents: Consents,
    pub(crate) upstream: Option<Upstream>,
    pub(crate) register: Register,
    pub(crate) followers: Arc<Semaphore>,
}

impl Server {
    /// A server over the skills that `host` finds now.
    pub fn new(host: Arc<dyn Host>, settings: Settings) -> Result<Arc<Self>, HostError> {
        let shelf = Shelf::load(&*host)?;
        let upstream = host.upstream().map(Upstream::new);
        let register = Register::new(settings.chat.clone());
        Ok(Arc::new(Self {
            host,
            shelf,
            settings,
            forgery: Forgery::new().map_err(HostError::new)?,
            sessions: Sessions::default(),
            rate: Rate::new(200, 50.0),
            guesses: Rate::new(10, 0.2),
            metrics: Metrics::default(),
            editions: Editions::default(),
            acting: Acting::default(),
            consents: Consents::default(),
            upstream,
            register,
            followers: Arc::new(Semaphore::new(FOLLOWERS)),
        }))
    }

    /// The catalog at hand.
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// Looks for skills again; tells whether anything is different.
    pub fn reload(&self) -> Result<bool, HostError> {
        self.shelf.reload(&*self.host)
    }

    /// Records an event; a log that cannot be written keeps nobody from an answer.
    pub(crate) fn record(&self, event: &Event) {
        if let Some(name) = &event.skill {
            self.metrics.skill(event.kind.as_str(), name);
        }
        let _ = self.host.record(event);
    }
}
