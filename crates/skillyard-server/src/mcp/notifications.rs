//! Notifications about changes of the catalog and of files that a client subscribed to.

#![expect(deprecated, reason = "clients of older revisions want to be logged to")]

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use rmcp::model::{
    CallToolResponse, LoggingLevel, LoggingMessageNotificationParam,
    ResourceUpdatedNotificationParam,
};
use rmcp::service::{Peer, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use skillyard_catalog::resource::DigestLimits;
use skillyard_format::package::Digest;
use tokio::sync::watch;

use super::run::blocking;
use super::uri::SkillUri;
use crate::catalog_cache::edition::pack_file;
use crate::contents::Contents;
use crate::server::Server;
use crate::upstream::Upstream;

/// Where changes are heard of.
struct Changes {
    catalog: watch::Receiver<String>,
    looks: watch::Receiver<u64>,
    upstream: Option<watch::Receiver<u64>>,
    /// The skills of other servers that were offered when it was looked last.
    offered: Vec<String>,
}

/// What changed.
#[derive(Default)]
struct Changed {
    /// Whether what there is did.
    lists: bool,
    /// The files in which something else stands.
    files: Vec<String>,
}

/// Where a change was heard of.
enum Heard {
    Here,
    Elsewhere,
    /// The catalog was read again.
    Look,
}

impl Changes {
    async fn of(server: &Arc<Server>) -> Self {
        Self {
            catalog: server.catalog.changes(),
            looks: server.catalog.looks(),
            upstream: server.upstream.as_ref().map(Upstream::changes),
            offered: offered(server).await,
        }
    }

    /// Waits for the next change that hosts are shown; `None` when there will be none.
    async fn next(&mut self, server: &Arc<Server>, files: &Arc<Subscriptions>) -> Option<Changed> {
        let upstream = async {
            match &mut self.upstream {
                Some(changes) => changes.changed().await,
                None => std::future::pending().await,
            }
        };
        let heard = tokio::select! {
            changed = self.catalog.changed() => changed.map(|()| Heard::Here),
            changed = upstream => changed.map(|()| Heard::Elsewhere),
            looked = self.looks.changed() => looked.map(|()| Heard::Look),
        };
        let heard = heard.ok()?;
        if let Heard::Elsewhere = heard {
            self.offered = offered(server).await;
            let lists = true;
            return Some(Changed {
                lists,
                ..Changed::default()
            });
        }
        // What was listed stays for a moment; who asks again then gets the new state.
        if let Some(rest) = server.editions.lasts() {
            tokio::time::sleep(rest).await;
        }
        if let Heard::Here = heard {
            let lists = true;
            return Some(Changed {
                lists,
                ..Changed::default()
            });
        }
        // What is decided about skills of other servers shows in no catalog.
        let offered = offered(server).await;
        let lists = offered != self.offered;
        self.offered = offered;
        let (server, files) = (Arc::clone(server), Arc::clone(files));
        let files = blocking(move || files.changed(&server)).await;
        let files = files.unwrap_or_default();
        Some(Changed { lists, files })
    }
}

/// The skills of other servers that are offered now.
async fn offered(server: &Arc<Server>) -> Vec<String> {
    if server.upstream.is_none() {
        return Vec::new();
    }
    let server = Arc::clone(server);
    let offered = blocking(move || server.offered_now()).await;
    offered.unwrap_or_default()
}

/// Tells who asked for a stream of changes, until they want no more.
pub(super) async fn listen(
    server: &Arc<Server>,
    context: &SubscriptionContext,
) -> Result<(), ErrorData> {
    let mut news = Changes::of(server).await;
    let wanted = context.accepted().resource_subscriptions.clone();
    let (this, wanted) = (Arc::clone(server), wanted.unwrap_or_default());
    let files = Arc::new(blocking(move || Subscriptions::of(&this, &wanted)).await?);
    let sink = context.sink();
    loop {
        let changed = tokio::select! {
            () = context.cancelled() => return Ok(()),
            changed = news.next(server, &files) => changed,
        };
        // A host that did not ask for a kind of change is not told of it.
        let Some(changed) = changed else {
            return Ok(());
        };
        if changed.lists {
            let _ = sink.notify_tool_list_changed().await;
            let _ = sink.notify_prompt_list_changed().await;
            let _ = sink.notify_resource_list_changed().await;
        }
        for uri in changed.files {
            let _ = sink.notify_resource_updated(uri).await;
        }
    }
}

/// Tells a client that wants warnings when the guard forbids a call.
#[expect(
    deprecated,
    reason = "clients of older revisions have no other way to hear of it"
)]
pub(super) async fn warn(peer: &Peer<RoleServer>, called: &CallToolResponse) {
    let CallToolResponse::Complete(result) = called else {
        return;
    };
    let text = result.content.first().and_then(|block| block.as_text());
    if let Some(text) = text.filter(|text| text.text.starts_with("Denied")) {
        let data = serde_json::Value::String(text.text.clone());
        let warning = LoggingMessageNotificationParam::new(LoggingLevel::Warning, data);
        let _ = peer.notify_logging_message(warning).await;
    }
}

/// Tells a connection with a session, until it ends.
pub(super) async fn tell(
    server: &Arc<Server>,
    files: &Arc<Subscriptions>,
    peer: &Peer<RoleServer>,
) {
    let mut news = Changes::of(server).await;
    while let Some(changed) = news.next(server, files).await {
        let mut told = true;
        if changed.lists {
            told = peer.notify_tool_list_changed().await.is_ok()
                && peer.notify_prompt_list_changed().await.is_ok()
                && peer.notify_resource_list_changed().await.is_ok();
        }
        for uri in changed.files {
            let uri = ResourceUpdatedNotificationParam::new(uri);
            told &= peer.notify_resource_updated(uri).await.is_ok();
        }
        if !told {
            return;
        }
    }
}

/// How many files one client may want to hear of.
const MAX_SUBSCRIPTIONS: usize = 1_000;

/// The files, with what they were when it was last told.
#[derive(Default)]
pub(super) struct Subscriptions {
    known: Mutex<BTreeMap<String, Option<Digest>>>,
}

impl Subscriptions {
    /// Subscriptions to these files.
    pub(super) fn of(server: &Server, uris: &[String]) -> Self {
        let subscriptions = Self::default();
        for uri in uris {
            subscriptions.add(server, uri);
        }
        subscriptions
    }

    /// One more; tells whether there is room for it.
    pub(super) fn add(&self, server: &Server, uri: &str) -> bool {
        let digest = now(server, uri);
        let mut known = self.known();
        let fits = known.len() < MAX_SUBSCRIPTIONS || known.contains_key(uri);
        if fits {
            known.insert(uri.to_owned(), digest);
        }
        fits
    }

    /// One less.
    pub(super) fn remove(&self, uri: &str) {
        self.known().remove(uri);
    }

    /// The files that are not what they were.
    pub(super) fn changed(&self, server: &Server) -> Vec<String> {
        let uris: Vec<String> = self.known().keys().cloned().collect();
        let digests: Vec<Option<Digest>> = uris.iter().map(|uri| now(server, uri)).collect();
        let mut known = self.known();
        let mut changed = Vec::new();
        for (uri, digest) in uris.into_iter().zip(digests) {
            if let Some(before) = known.get_mut(&uri)
                && *before != digest
            {
                *before = digest;
                changed.push(uri);
            }
        }
        changed
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Option<Digest>>> {
        self.known.lock()
    }
}

/// What a file is now.
fn now(server: &Server, uri: &str) -> Option<Digest> {
    let wanted = SkillUri::parse(uri)?;
    let snapshot = server.catalog.snapshot();
    let contents = Contents::open(snapshot.usable(&wanted.name)?).ok()?;
    let most = DigestLimits::USUAL.max_bytes;
    let file = pack_file(&contents, &wanted.path, most).ok()??;
    Some(file.digest)
}
