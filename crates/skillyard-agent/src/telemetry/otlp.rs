//! Handing spans over to a receiver: OTLP over HTTP, as JSON.
//!
//! A thread of its own does it, behind a queue that forgets what does not fit. A receiver that is
//! down, slow or hostile costs a turn nothing, and the end of the program a moment at most.

use std::io::Read as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver as Queue, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::blocking::Client;
use secrecy::{ExposeSecret as _, SecretString};

use super::span::{Span, request};

/// Most turns that wait to be sent.
const MAX_WAITING: usize = 64;
/// How long one request may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the end of the program waits for what is still to be sent.
const LAST_WAIT: Duration = Duration::from_secs(2);
/// The pauses before a request is made again.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];

/// Who takes spans.
#[derive(Debug, Clone)]
pub struct Receiver {
    /// The connections; they follow no redirects.
    pub client: Client,
    /// The address that `/v1/traces` is put behind, without a slash at its end.
    pub url: String,
    /// Headers, which may be secrets.
    pub headers: Vec<(String, SecretString)>,
}

/// The way to a receiver.
#[derive(Debug)]
pub struct Otlp {
    queue: Option<SyncSender<String>>,
    /// Only the end listens here; the lock is for the compiler.
    done: Mutex<Queue<()>>,
    lost: Arc<AtomicU64>,
    version: String,
}

impl Otlp {
    /// Opens the way; `version` is that of the program.
    pub fn new(receiver: Receiver, version: &str) -> Self {
        let (queue, waiting) = sync_channel::<String>(MAX_WAITING);
        let (finished, done) = sync_channel(1);
        let lost = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&lost);
        std::thread::spawn(move || {
            for body in waiting {
                if !deliver(&receiver, &body) {
                    count.fetch_add(1, Ordering::Relaxed);
                }
            }
            // Whoever waited may have given up.
            let _ = finished.send(());
        });
        Self {
            queue: Some(queue),
            done: Mutex::new(done),
            lost,
            version: version.to_owned(),
        }
    }

    /// Hands the spans of a turn over, without waiting.
    pub fn send(&self, spans: &[Span]) {
        let body = request(spans, &self.version);
        let sent = self.queue.as_ref().map(|queue| queue.try_send(body));
        if !matches!(sent, Some(Ok(()))) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many turns did not reach the receiver.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

impl Drop for Otlp {
    fn drop(&mut self) {
        drop(self.queue.take());
        // What has not arrived by then is given up.
        let done = self.done.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = done.recv_timeout(LAST_WAIT);
    }
}

fn deliver(receiver: &Receiver, body: &str) -> bool {
    let start = Instant::now();
    for pause in PAUSES.iter().map(Some).chain([None]) {
        match once(receiver, body) {
            Answer::Taken => return true,
            Answer::Refused => return false,
            Answer::Later => {}
        }
        match pause {
            Some(pause) if start.elapsed() < PATIENCE => std::thread::sleep(*pause),
            _ => return false,
        }
    }
    false
}

enum Answer {
    Taken,
    Refused,
    Later,
}

fn once(receiver: &Receiver, body: &str) -> Answer {
    let mut request = receiver
        .client
        .post(format!("{}/v1/traces", receiver.url))
        .header("content-type", "application/json")
        .timeout(PATIENCE)
        .body(body.to_owned());
    for (name, value) in &receiver.headers {
        request = request.header(name, value.expose_secret());
    }
    let Ok(mut response) = request.send() else {
        return Answer::Later;
    };
    // The connection can be used again when the answer was read; nobody needs more of it.
    let _ = response
        .by_ref()
        .take(64 << 10)
        .read_to_end(&mut Vec::new());
    match response.status().as_u16() {
        200..=299 => Answer::Taken,
        429 | 502..=504 => Answer::Later,
        _ => Answer::Refused,
    }
}
