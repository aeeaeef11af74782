//! Asking over HTTP: one request and its retries.
//!
//! The request runs on a thread of its own, so that a user who stops is not kept waiting by a
//! server that says nothing. A request is made again only while nothing of an answer has come.

mod failure;
mod stream;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

pub use reqwest::blocking::Client;

use failure::failed;
pub(super) use failure::{said, told};
pub(super) use stream::Stream;
use stream::{Piece, pump};

use super::{Delta, ProviderError};

/// How long an answer may take in all. A slow model may write for long; it is silence that counts.
const WHOLE: Duration = Duration::from_hours(2);
/// How often it is looked whether the user wants to stop.
const TICK: Duration = Duration::from_millis(40);

/// A server, and how it is asked.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The connections; they follow no redirects.
    pub client: Client,
    /// The address that paths are put behind, without a slash at its end.
    pub url: String,
    /// Headers with secrets, such as `x-api-key`.
    pub headers: Vec<(&'static str, SecretString)>,
    /// How often and how long it is waited.
    pub patience: Patience,
}

/// How often and how long it is waited.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// How often a request is made.
    pub attempts: u32,
    /// How long the first wait is; each one after doubles.
    pub first: Duration,
    /// The longest wait, also when the server wants more.
    pub longest: Duration,
    /// How long a server may say nothing.
    pub silence: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            attempts: 5,
            first: Duration::from_millis(500),
            longest: Duration::from_mins(1),
            silence: Duration::from_mins(5),
        }
    }
}

impl Endpoint {
    /// Sends a request until an answer comes back, which `read` understands.
    pub(super) fn ask<T>(
        &self,
        path: &str,
        body: &Value,
        on: &mut dyn FnMut(Delta<'_>),
        cancel: &AtomicBool,
        read: impl Fn(Stream<'_>, &mut dyn FnMut(Delta<'_>)) -> Result<T, ProviderError>,
    ) -> Result<T, ProviderError> {
        let body = body.to_string();
        let mut wait = self.patience.first;
        for attempt in 1.. {
            let (error, is_passing) = match self.once(path, &body, cancel) {
                Ok(stream) => match read(stream, on) {
                    Ok(answer) => return Ok(answer),
                    // Half of an answer is not asked for again.
                    Err(error @ ProviderError::Failed { passes, .. }) => (error, passes),
                    Err(error) => (error, false),
                },
                Err(error) => {
                    let is_passing = error.is_passing();
                    (error, is_passing)
                }
            };
            let error = error.redacted(&self.headers);
            if !is_passing || attempt >= self.patience.attempts {
                return Err(error);
            }
            let time = error.retry_after().unwrap_or_else(|| jittered(wait));
            let time = time.min(self.patience.longest);
            let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            on(Delta::Retry(&error.to_string(), milliseconds));
            sleep(time, cancel)?;
            wait = wait.saturating_mul(2);
        }
        Err(ProviderError::Cancelled)
    }

    fn once<'a>(
        &self,
        path: &str,
        body: &str,
        cancel: &'a AtomicBool,
    ) -> Result<Stream<'a>, ProviderError> {
        let mut request = self
            .client
            .post(format!("{}{path}", self.url))
            .header("content-type", "application/json")
            .header("accept", "text/event-stream")
            .timeout(WHOLE)
            .body(body.to_owned());
        for (name, value) in &self.headers {
            request = request.header(*name, value.expose_secret());
        }
        let (sender, pieces) = sync_channel(64);
        let secrets: Vec<SecretString> = self.headers.iter().map(|each| each.1.clone()).collect();
        let silence = self.patience.silence;
        std::thread::spawn(move || {
            let outcome = request.send();
            // Who listens no more has been cancelled.
            let _ = match outcome {
                Ok(response) => pump(response, &sender, &secrets, silence),
                Err(error) => sender.send(Piece::Failed(failed(error, silence))),
            };
        });
        let mut stream = Stream::new(pieces, silence, cancel);
        match stream.piece()? {
            Some(Piece::Begun) => Ok(stream),
            _ => Err(ProviderError::Cut {
                problem: "there was no answer".into(),
            }),
        }
    }
}

/// Between half of a time and all of it, so that many clients do not come back at once.
fn jittered(time: Duration) -> Duration {
    let mut byte = [255];
    let _ = getrandom::fill(&mut byte);
    time.mul_f64(0.5 + f64::from(byte[0]) / 510.0)
}

fn sleep(time: Duration, cancel: &AtomicBool) -> Result<(), ProviderError> {
    let start = Instant::now();
    while start.elapsed() < time {
        if cancel.load(Ordering::Relaxed) {
            return Err(ProviderError::Cancelled);
        }
        std::thread::sleep(TICK.min(time.saturating_sub(start.elapsed())));
    }
    Ok(())
}
