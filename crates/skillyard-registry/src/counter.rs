//! Counts downloads behind the answers, many in one transaction.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::Offset;
use parking_lot::RwLock;
use skillyard_format::Digest;
use tokio::sync::{mpsc, oneshot};

use crate::database::Database;
use crate::store::downloads::{self, Download};

/// How many may wait; what is beyond is not counted, so that nobody is slowed down.
const MAX_QUEUED: usize = 10_000;
/// How long they are gathered.
const BATCH_INTERVAL: Duration = Duration::from_millis(200);
/// How many that were counted are remembered, so that the database is not asked about them again.
const MAX_REMEMBERED: usize = 100_000;

enum CounterMessage {
    /// A download, and the hash that it is remembered by.
    Count(Download, u64),
    Finish(oneshot::Sender<()>),
}

/// Somebody who fetches a skill.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Visit<'a> {
    /// The skill.
    pub(crate) skill: &'a str,
    /// When.
    pub(crate) now: Timestamp,
    /// The account, if a token names it.
    pub(crate) account: Option<&'a str>,
    /// The address, or the network that it is in, if it is known.
    pub(crate) address: Option<IpAddr>,
}

impl Visit<'_> {
    /// What is kept of it, which tells nobody's address: whoever has a token counts as one
    /// wherever they are, everybody else by their address.
    fn download(&self) -> Download {
        let day = Offset::UTC.to_datetime(self.now).date().to_string();
        let who = match (self.account, self.address) {
            (Some(account), _) => format!("account {account}"),
            (None, Some(address)) => address.to_string(),
            (None, None) => "unknown".to_owned(),
        };
        let visitor = Digest::of(format!("{day} {who}").as_bytes()).to_hex();
        Download {
            skill: self.skill.to_owned(),
            visitor: visitor[..16].to_owned(),
            day,
        }
    }

    /// The same number for all that count as one.
    fn mark(&self, hasher: &RandomState) -> u64 {
        let day = self.now.as_second().div_euclid(24 * 60 * 60);
        let address = self.address.filter(|_| self.account.is_none());
        hasher.hash_one((self.skill, day, self.account, address))
    }
}

/// The way to the task that counts.
#[derive(Clone)]
pub(crate) struct Counter {
    sender: mpsc::Sender<CounterMessage>,
    counted: Arc<Counted>,
}

impl Counter {
    /// Starts counting.
    pub(crate) fn start(database: Database) -> Self {
        let (sender, receiver) = mpsc::channel(MAX_QUEUED);
        let counted = Arc::new(Counted::default());
        tokio::spawn(run(database, receiver, Arc::clone(&counted)));
        Self { sender, counted }
    }

    /// Counts one; a full queue loses it, which only ever counts too few.
    pub(crate) fn count(&self, visit: &Visit<'_>) {
        let mark = visit.mark(&self.counted.hasher);
        if !self.counted.has(mark) {
            let _ = self
                .sender
                .try_send(CounterMessage::Count(visit.download(), mark));
        }
    }

    /// Waits until all that came before is in the database.
    pub(crate) async fn finish(&self) {
        let (sender, receiver) = oneshot::channel();
        if self
            .sender
            .send(CounterMessage::Finish(sender))
            .await
            .is_ok()
        {
            let _ = receiver.await;
        }
    }
}

async fn run(
    database: Database,
    mut receiver: mpsc::Receiver<CounterMessage>,
    counted: Arc<Counted>,
) {
    let mut messages = Vec::new();
    let mut today = String::new();
    while receiver.recv_many(&mut messages, MAX_QUEUED).await > 0 {
        let mut waiting = Vec::new();
        let mut batch = HashMap::new();
        for message in messages.drain(..) {
            match message {
                CounterMessage::Count(download, mark) => {
                    batch.insert(download, mark);
                }
                CounterMessage::Finish(sender) => waiting.push(sender),
            }
        }
        let marks: Vec<u64> = batch.values().copied().collect();
        // In one order everywhere, so that two nodes never wait for each other.
        let mut batch: Vec<Download> = batch.into_keys().collect();
        batch.sort_unstable();
        // A count is worth less than an answer: one that cannot be written is lost.
        if downloads::count(&database, &batch).await.is_ok() {
            counted.add(&marks);
        }
        for sender in waiting.drain(..) {
            let _ = sender.send(());
        }
        let last = batch.into_iter().map(|each| each.day).max();
        if let Some(last) = last.filter(|last| *last > today) {
            forget(&database, &last).await;
            today = last;
        }
        tokio::time::sleep(BATCH_INTERVAL).await;
    }
}

/// Forgets who fetched what, up to the day before yesterday: it is asked for no more, because
/// somebody counts once a day, and nodes may have different ideas of when that begins.
async fn forget(database: &Database, today: &str) {
    let yesterday = today.parse::<Date>().and_then(Date::yesterday);
    if let Ok(yesterday) = yesterday {
        // What cannot be forgotten today can be tomorrow.
        let _ = downloads::forget_before(database, &yesterday.to_string()).await;
    }
}

/// Downloads that are in the database, as hashes: most of them come again and again.
#[derive(Default)]
struct Counted {
    hashes: RwLock<HashSet<u64>>,
    hasher: RandomState,
}

impl Counted {
    fn has(&self, mark: u64) -> bool {
        let hashes = self.hashes.read();
        hashes.contains(&mark)
    }

    fn add(&self, marks: &[u64]) {
        let mut hashes = self.hashes.write();
        if hashes.len() + marks.len() > MAX_REMEMBERED {
            hashes.clear();
        }
        hashes.extend(marks);
    }
}
