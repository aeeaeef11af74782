//! The second Ctrl-C, which ends a server at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use signal_hook::consts::SIGINT;
use signal_hook::low_level::exit;
use tokio::signal::unix::SignalKind;

use crate::terminal::{Bell, Heard};

/// How long Ctrl-C is taken for the first one: some send it twice.
const MOMENT: Duration = Duration::from_secs(1);

/// How many Ctrl-C end nothing at once.
#[derive(Debug, Clone)]
pub(crate) struct Impatience(Arc<AtomicUsize>);

impl Impatience {
    /// Hears them from now on, in place of whoever hears them at questions, and ends what is fetched
    /// for us with us. None ends anything until one is [allowed](Self::allow).
    pub(crate) fn hear(heard: &Heard) -> Self {
        let forgiven = Arc::new(AtomicUsize::new(usize::MAX));
        heard.elsewhere(&Arc::default());
        let (heard, limit) = (heard.clone(), Arc::clone(&forgiven));
        let mut count = 0;
        let bell = Bell::new(move || {
            count += 1;
            if count > limit.load(Ordering::SeqCst) {
                let _ended = heard.unfinished().end();
                exit(130)
            }
        });
        // What cannot be heard leaves the second Ctrl-C to the system.
        if let Ok(bell) = bell {
            bell.rings_at(SIGINT);
        }
        Self(forgiven)
    }

    /// From now on another Ctrl-C ends us, beside the one that the end began with, which may not have
    /// been noticed yet.
    pub(crate) fn allow(&self, first: Option<SignalKind>) {
        let forgiven = usize::from(first == Some(SignalKind::interrupt()));
        self.0.store(forgiven, Ordering::SeqCst);
    }

    /// The same, a moment after the first.
    pub(crate) async fn allow_soon(self, first: SignalKind) {
        tokio::time::sleep(MOMENT).await;
        self.allow(Some(first));
    }
}
