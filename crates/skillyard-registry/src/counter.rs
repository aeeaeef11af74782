//! Counts downloads behind the answers, many in one transaction.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use crate::database::Database;
use crate::store::downloads::{self, Download};

/// How many may wait; what is beyond is not counted, so that nobody is slowed down.
const WAITING: usize = 10_000;
/// How long they are gathered.
const GATHERED: Duration = Duration::from_millis(200);
/// How many that were counted are remembered, so that the database is not asked about them again.
const REMEMBERED: usize = 100_000;

enum Message {
    Count(Download),
    Finish(oneshot::Sender<()>),
}

/// The way to the task that counts.
#[derive(Clone)]
pub(crate) struct Counter(mpsc::Sender<Message>);

impl Counter {
    /// Starts counting.
    pub(crate) fn start(database: Database) -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        tokio::spawn(run(database, receiver));
        Self(sender)
    }

    /// Counts one; a full queue loses it, which only ever counts too few.
    pub(crate) fn count(&self, download: Download) {
        let _ = self.0.try_send(Message::Count(download));
    }

    /// Waits until all that came before is in the database.
    pub(crate) async fn finish(&self) {
        let (sender, receiver) = oneshot::channel();
        if self.0.send(Message::Finish(sender)).await.is_ok() {
            let _ = receiver.await;
        }
    }
}

async fn run(database: Database, mut receiver: mpsc::Receiver<Message>) {
    let mut messages = Vec::new();
    let mut counted = Counted::default();
    while receiver.recv_many(&mut messages, WAITING).await > 0 {
        let mut waiting = Vec::new();
        let mut batch = HashSet::new();
        for message in messages.drain(..) {
            match message {
                Message::Count(download) if counted.has(&download) => {}
                Message::Count(download) => {
                    batch.insert(download);
                }
                Message::Finish(sender) => waiting.push(sender),
            }
        }
        // In one order everywhere, so that two nodes never wait for each other.
        let mut batch: Vec<Download> = batch.into_iter().collect();
        batch.sort_unstable();
        // A count is worth less than an answer: one that cannot be written is lost.
        if downloads::count(&database, &batch).await.is_ok() {
            for each in &batch {
                counted.add(each);
            }
        }
        for sender in waiting.drain(..) {
            let _ = sender.send(());
        }
        tokio::time::sleep(GATHERED).await;
    }
}

/// Downloads that are in the database, as hashes: most of them come again and again.
#[derive(Default)]
struct Counted {
    hashes: HashSet<u64>,
    hasher: RandomState,
}

impl Counted {
    fn has(&self, download: &Download) -> bool {
        self.hashes.contains(&self.hasher.hash_one(download))
    }

    fn add(&mut self, download: &Download) {
        if self.hashes.len() >= REMEMBERED {
            self.hashes.clear();
        }
        self.hashes.insert(self.hasher.hash_one(download));
    }
}
