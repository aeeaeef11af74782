//! What all answers share.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use parking_lot::Mutex;
use skillyard_audit::{AuditError, Event};
use skillyard_http::Proxy;
use skillyard_http::login::Forgery;
use tokio::sync::watch;

use crate::access::Access;
use crate::access::logins::Logins;
use crate::agents::Agents;
use crate::audit::Losses;
use crate::audit::Quota;
use crate::catalog_cache::edition::Editions;
use crate::catalog_cache::{CatalogCache, CatalogSnapshot};
use crate::chat::ChatSessions;
use crate::concurrency::{BackgroundTasks, ConcurrencyLimiter};
use crate::consent::Consents;
use crate::conversation_skills::ConversationSkills;
use crate::host::{Host, HostError};
use crate::inspection::Inspections;
use crate::log::LogLine;
use crate::metrics::Metrics;
use crate::mounted_registry::MountedRegistry;
use crate::path_redactor::PathRedactor;
use crate::problem::Problem;
use crate::rate_limit::RateLimit;
use crate::upstream::Upstream;
use crate::usage::{Usage, Usages};

/// How many sessions are followed at once, by all and with one token.
const MAX_FOLLOWERS: (usize, usize) = (1_024, 128);
/// How many sessions are answered at once, for all and for one token.
const MAX_TURNS: (usize, usize) = (32, 16);

/// The most requests of an address at once; it regains one every 20 ms.
const MAX_REQUESTS: u32 = 200;
/// The most wrong tokens of an address at once; it regains one every 5 s.
const MAX_GUESSES: u32 = 10;

/// How the server is set up.
#[derive(Clone)]
pub struct Settings {
    /// Who may ask.
    pub access: Access,
    /// The version that is told.
    pub version: &'static str,
    /// Who answers in chats; without them there are none.
    pub agents: Option<Arc<dyn Agents>>,
    /// A registry that stands below `/registry`.
    pub registry: Option<MountedRegistry>,
    /// Whose word counts about where a request comes from.
    pub proxy: Proxy,
}

/// The server, without its listener.
pub struct Server {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) catalog: CatalogCache,
    /// Why it is not what it should be.
    trouble: Mutex<Option<String>>,
    pub(crate) version: &'static str,
    access: watch::Sender<Access>,
    pub(crate) forgery: Forgery,
    pub(crate) logins: Logins,
    pub(crate) rate: RateLimit,
    pub(crate) guesses: RateLimit,
    pub(crate) proxy: Proxy,
    pub(crate) metrics: Metrics,
    pub(crate) losses: Losses,
    usages: Usages,
    pub(crate) inspections: Inspections,
    pub(crate) editions: Editions,
    pub(crate) conversation_skills: ConversationSkills,
    pub(crate) consents: Consents,
    pub(crate) upstream: Option<Upstream>,
    pub(crate) chats: ChatSessions,
    pub(crate) registry: Option<MountedRegistry>,
    pub(crate) followers: Arc<ConcurrencyLimiter>,
    pub(crate) turns: Arc<ConcurrencyLimiter>,
    pub(crate) background: BackgroundTasks,
    quota: Quota,
}

impl Server {
    /// A server over the skills that `host` finds now.
    pub fn new(host: Arc<dyn Host>, settings: Settings) -> Result<Arc<Self>, HostError> {
        let catalog = CatalogCache::load(&*host)?;
        let upstream = host.upstream().map(Upstream::new);
        Ok(Arc::new(Self {
            host,
            catalog,
            trouble: Mutex::default(),
            version: settings.version,
            access: watch::Sender::new(settings.access),
            forgery: Forgery::new().map_err(HostError::new)?,
            logins: Logins::default(),
            rate: RateLimit::new(MAX_REQUESTS, Duration::from_millis(20)),
            guesses: RateLimit::new(MAX_GUESSES, Duration::from_secs(5)),
            proxy: settings.proxy,
            metrics: Metrics::default(),
            losses: Losses::default(),
            usages: Usages::default(),
            inspections: Inspections::default(),
            editions: Editions::default(),
            conversation_skills: ConversationSkills::default(),
            consents: Consents::default(),
            upstream,
            chats: ChatSessions::new(settings.agents),
            registry: settings.registry,
            followers: ConcurrencyLimiter::new(
                MAX_FOLLOWERS.0,
                MAX_FOLLOWERS.1,
                "too many are following sessions already",
            ),
            turns: ConcurrencyLimiter::new(
                MAX_TURNS.0,
                MAX_TURNS.1,
                "too many sessions are being answered already",
            ),
            background: BackgroundTasks::new(),
            quota: Quota::default(),
        }))
    }

    /// The catalog at hand.
    pub fn catalog(&self) -> &CatalogCache {
        &self.catalog
    }

    /// Reads the configuration and looks for skills again; tells whether anything is different.
    pub fn reload(&self) -> Result<bool, HostError> {
        let access = self.host.access().map(|access| {
            if let Some(access) = access {
                self.admit(access);
            }
        });
        self.looked(access.and_then(|()| self.catalog.reload(&*self.host)))
    }

    /// What keeps the catalog at hand from being looked for again, if anything does.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.lock().clone()
    }

    /// Remembers how a look ended. What goes wrong goes wrong twice a second, and is told once.
    fn looked(&self, ended: Result<bool, HostError>) -> Result<bool, HostError> {
        let now = ended.as_ref().err().map(HostError::whole);
        let mut known = self.trouble.lock();
        if *known != now {
            if let Some(cause) = &now {
                let what = "looking for skills again";
                self.host.log(&LogLine::Failure { what, cause });
            }
            *known = now;
        }
        ended
    }

    /// Writes down what went wrong inside with an answer, for whoever runs the server.
    pub(crate) fn log_trouble(&self, what: &str, problem: &Problem) {
        if let Some(cause) = problem.cause() {
            self.host.log(&LogLine::Failure { what, cause });
        }
    }

    /// The catalog as it was decided: it is looked for again if a file that decides about skills
    /// has changed, so that what was forbidden a moment ago is not given.
    pub(crate) fn fresh_snapshot(&self) -> Arc<CatalogSnapshot> {
        if self.catalog.is_stale(&*self.host) {
            // While the configuration cannot be read, the standing of a skill keeps it back.
            let _ = self.looked(self.catalog.reload(&*self.host));
        }
        self.catalog.snapshot()
    }

    /// Hides every path of this machine that the server can name.
    pub(crate) fn path_redactor(&self) -> PathRedactor {
        let roots = self.catalog.snapshot().roots();
        PathRedactor::new(roots, self.host.home(), self.host.places())
    }

    /// Who may ask.
    pub(crate) fn access(&self) -> Access {
        self.access.borrow().clone()
    }

    /// The same, for who has to know when others may.
    pub(crate) fn accesses(&self) -> watch::Receiver<Access> {
        self.access.subscribe()
    }

    /// Lets others ask from now on. An address that strangers reach stays closed to them.
    fn admit(&self, access: Access) {
        self.access.send_if_modified(|known| {
            let opens = matches!((&*known, &access), (Access::Tokens(_), Access::Loopback));
            if !opens {
                *known = access;
            }
            !opens
        });
    }

    /// Stops what is being answered in chats, scripts and all else that takes a while, so that the
    /// server can end; none of it begins any more.
    pub fn close(&self) {
        self.background.close();
        self.chats.close();
        for lost in self.quota.unwritten() {
            self.losses.record(&*self.host, &lost);
        }
    }

    /// How a skill was used.
    pub(crate) fn usage(&self, skill: &str) -> Result<Usage, AuditError> {
        self.usages.of(self.host.audit_folder(), skill)
    }

    /// Refuses what has to be recorded where the token of this event has added its share to the log:
    /// what it did before must not be pushed out by what it does now.
    pub(crate) fn with_room(&self, event: &Event) -> Result<(), Problem> {
        if self.quota.has_room(event, Instant::now()) {
            return Ok(());
        }
        let text = "this token has added its share to the audit log; try again in a while";
        Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, text))
    }

    /// Records that something begins that must not happen unrecorded, or refuses it.
    pub(crate) fn begins(&self, event: &Event) -> Result<(), Problem> {
        self.with_room(event)?;
        self.host.record(event).map_err(|error| {
            self.host.log(&LogLine::Failure {
                what: "writing the audit log",
                cause: &error.whole(),
            });
            let text = "this was not done: the audit log cannot be written";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, text)
        })?;
        self.charge(event);
        Ok(())
    }

    /// Records how something ended whose beginning was recorded, however much its token has added.
    pub(crate) fn ended(&self, event: &Event) {
        self.metrics.event(event);
        self.charge(event);
        self.losses.record(&*self.host, event);
    }

    /// Counts an event for the share of its token that others write down.
    pub(crate) fn charge(&self, event: &Event) {
        self.quota.charge(event, Instant::now());
    }

    /// Records an event; a log that cannot be written keeps nobody from an answer.
    pub(crate) fn record(&self, event: &Event) {
        self.metrics.event(event);
        let Some(before) = self.quota.admit(event, Instant::now()) else {
            return;
        };
        for event in before.iter().chain([event]) {
            self.losses.record(&*self.host, event);
        }
    }
}
