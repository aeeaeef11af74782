//! Counts downloads behind the answers, many in one transaction.

use std::collections::HashSet;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use crate::database::Database;
use crate::store::downloads::{self, Download};

/// How many may wait; what is beyond is not counted, so that nobody is slowed down.
const WAITING: usize = 10_000;
/// How long they are gathered.
const GATHERED: Duration = Duration::from_millis(200);

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
    while receiver.recv_many(&mut messages, WAITING).await > 0 {
        let mut waiting = Vec::new();
        let mut batch = HashSet::new();
        for message in messages.drain(..) {
            match message {
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
        let _ = downloads::count(&database, &batch).await;
        for sender in waiting.drain(..) {
            let _ = sender.send(());
        }
        tokio::time::sleep(GATHERED).await;
    }
}
