//! Streams of a server: the one that an answer comes in, and the one that tells of changes.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use reqwest::blocking::Response;
use serde_json::Value;

use super::Shared;
use super::events::{Events, Resumption};
use crate::error::McpError;
use crate::rpc::{self, Incoming};

/// How long a stream of changes is kept open before it is opened again.
pub(super) const STREAM: Duration = Duration::from_mins(5);
/// How long to wait before a stream is opened again, first and at most.
const PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(1));
/// A server that wants no pause gets one all the same.
const LEAST_PAUSE: Duration = Duration::from_millis(100);
/// How many events of one stream are taken.
const MAX_EVENTS: usize = 10_000;

impl Shared {
    /// The answer to a request in a stream. One that ends early is taken up where it ended, as long as
    /// there is time left.
    pub(super) fn answer_in_stream(
        &self,
        id: u64,
        mut response: Response,
        rest: impl Fn() -> Option<Duration>,
    ) -> Result<Value, McpError> {
        let (mut last, mut noise) = (None, None);
        loop {
            let mut events = Events::new(response, self.largest);
            while let Some(event) = events.next()? {
                match rpc::read(&event) {
                    Ok(Incoming::Response { id: theirs, result }) if theirs == id => return result,
                    Ok(other) => self.notice(&other),
                    // Signs of life (`ping`) are no messages. If that was the answer, none follows.
                    Err(error) => noise = Some(error),
                }
            }
            let Resumption { id: place, pause } = events.place().clone();
            last = place.or(last);
            response = last
                .as_deref()
                .and_then(|last| self.taken_up(last, pause.unwrap_or(PAUSE.0), &rest))
                .ok_or_else(|| {
                    let said = String::new();
                    noise.take().unwrap_or(McpError::Closed { said })
                })?;
        }
    }

    /// The rest of a stream behind an event, if the server still has it.
    fn taken_up(
        &self,
        last: &str,
        pause: Duration,
        rest: &impl Fn() -> Option<Duration>,
    ) -> Option<Response> {
        let until = Instant::now() + pause.clamp(LEAST_PAUSE, PAUSE.1);
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            std::thread::sleep(left.min(LEAST_PAUSE).min(rest()?));
        }
        let request = self.with_headers(self.client.get(&self.url));
        let request = request.header("accept", "text/event-stream");
        let request = request.header("last-event-id", last).timeout(rest()?);
        let response = request.send().ok()?;
        let kind = response.headers().get("content-type");
        let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        (response.status().is_success() && is_stream).then_some(response)
    }

    /// Follows a stream of changes, and opens it again when it ends.
    pub(super) fn follow(&self, request: Option<&Value>) {
        let mut pause = PAUSE.0;
        while !self.gone.load(Ordering::Relaxed) {
            let builder = if let Some(message) = request {
                self.post(message, STREAM)
            } else {
                let request = self.with_headers(self.client.get(&self.url));
                let request = request.header("accept", "text/event-stream");
                request.timeout(STREAM)
            };
            match builder.send() {
                Ok(response) if response.status().is_success() => {
                    pause = PAUSE.0;
                    self.hear(response);
                }
                // It has no such stream.
                Ok(response) if response.status().is_client_error() => return,
                _ => {}
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    fn hear(&self, response: Response) {
        let mut events = Events::new(response, self.largest);
        for _ in 0..MAX_EVENTS {
            match events.next() {
                Ok(Some(event)) if !self.gone.load(Ordering::Relaxed) => {
                    if let Ok(incoming) = rpc::read(&event) {
                        self.notice(&incoming);
                    }
                }
                _ => return,
            }
        }
    }
}
