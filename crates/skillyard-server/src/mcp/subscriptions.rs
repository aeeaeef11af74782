//! Files that a client wants to hear of when they change.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use skillyard_catalog::resource::DigestLimits;
use skillyard_format::package::Digest;

use super::edition::pack_file;
use super::uri::SkillUri;
use crate::contents::Contents;
use crate::server::Server;

/// How many files one client may want to hear of.
const MOST: usize = 1_000;

/// The files, with what they were when it was last told.
#[derive(Default)]
pub(super) struct Subscriptions {
    known: Mutex<BTreeMap<String, Option<Digest>>>,
}

impl Subscriptions {
    /// Files of which it is told from now on.
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
        let fits = known.len() < MOST || known.contains_key(uri);
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
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a file is now.
fn now(server: &Server, uri: &str) -> Option<Digest> {
    let wanted = SkillUri::parse(uri)?;
    let stock = server.shelf.stock();
    let contents = Contents::open(stock.usable(&wanted.name)?).ok()?;
    let most = DigestLimits::USUAL.max_bytes;
    let file = pack_file(&contents, &wanted.path, most).ok()??;
    Some(file.digest)
}
