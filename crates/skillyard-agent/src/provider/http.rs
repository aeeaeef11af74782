//! Asking over HTTP: one request, its retries, and the stream of its answer.
//!
//! The request runs on a thread of its own, so that a user who stops is not kept waiting by a
//! server that says nothing. A request is made again only while nothing of an answer has come.

use std::io::Read as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use reqwest::blocking::Response;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

pub use reqwest::blocking::Client;

use super::sse::{SseEvent, SseParser};
use super::{Delta, ProviderError};

/// Most bytes of an answer.
const LARGEST: usize = 64 << 20;
/// Most bytes of an error that are read, and most characters that are told.
const ERROR: (u64, usize) = (16 << 10, 500);
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

enum Piece {
    Begun,
    Bytes(Vec<u8>),
    Failed(ProviderError),
}

/// The events of an answer.
pub(super) struct Stream<'a> {
    pieces: Receiver<Piece>,
    parser: SseParser,
    ready: std::collections::VecDeque<SseEvent>,
    cancel: &'a AtomicBool,
    silence: Duration,
    size: usize,
    ended: bool,
}

impl Endpoint {
    /// Sends a request until something comes back.
    pub(super) fn ask<'a>(
        &self,
        path: &str,
        body: &Value,
        on: &mut dyn FnMut(Delta<'_>),
        cancel: &'a AtomicBool,
    ) -> Result<Stream<'a>, ProviderError> {
        let body = body.to_string();
        let mut wait = self.patience.first;
        for attempt in 1.. {
            let error = match self.once(path, &body, cancel) {
                Ok(stream) => return Ok(stream),
                Err(error) => error,
            };
            if !error.is_passing() || attempt >= self.patience.attempts {
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
        let mut stream = Stream {
            pieces,
            parser: SseParser::default(),
            ready: std::collections::VecDeque::new(),
            cancel,
            silence: self.patience.silence,
            size: 0,
            ended: false,
        };
        match stream.piece()? {
            Some(Piece::Begun) => Ok(stream),
            _ => Err(ProviderError::Cut {
                problem: "there was no answer".into(),
            }),
        }
    }
}

/// Passes an answer on, piece by piece.
fn pump(
    mut response: Response,
    sender: &SyncSender<Piece>,
    secrets: &[SecretString],
    silence: Duration,
) -> Result<(), std::sync::mpsc::SendError<Piece>> {
    let status = response.status().as_u16();
    if status != 200 {
        let retry_after = retry_after(&response);
        let mut text = Vec::new();
        let _ = response.take(ERROR.0).read_to_end(&mut text);
        return sender.send(Piece::Failed(ProviderError::Status {
            status,
            message: message(&String::from_utf8_lossy(&text), secrets),
            retry_after,
        }));
    }
    if is_page(&response) {
        let problem = "it is a web page".to_owned();
        return sender.send(Piece::Failed(ProviderError::Malformed { problem }));
    }
    sender.send(Piece::Begun)?;
    let mut buffer = vec![0; 16 << 10];
    loop {
        match response.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(size) => sender.send(Piece::Bytes(buffer[..size].to_vec()))?,
            Err(error) if error.kind() == std::io::ErrorKind::TimedOut => {
                let seconds = silence.as_secs();
                return sender.send(Piece::Failed(ProviderError::Silent { seconds }));
            }
            Err(error) => {
                let problem = error.to_string();
                return sender.send(Piece::Failed(ProviderError::Cut { problem }));
            }
        }
    }
}

impl Stream<'_> {
    /// The next event; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<SseEvent>, ProviderError> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            if self.ended {
                return Ok(None);
            }
            match self.piece()? {
                Some(Piece::Bytes(bytes)) => {
                    self.size += bytes.len();
                    if self.size > LARGEST {
                        return Err(ProviderError::TooLong { limit: LARGEST });
                    }
                    self.ready.extend(self.parser.take(&bytes)?);
                }
                Some(_) => {}
                None => {
                    self.ended = true;
                    self.ready.extend(self.parser.finish());
                }
            }
        }
    }

    fn piece(&mut self) -> Result<Option<Piece>, ProviderError> {
        let start = Instant::now();
        loop {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(ProviderError::Cancelled);
            }
            match self.pieces.recv_timeout(TICK) {
                Ok(Piece::Failed(error)) => return Err(error),
                Ok(piece) => return Ok(Some(piece)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if start.elapsed() > self.silence => {
                    let seconds = self.silence.as_secs();
                    return Err(ProviderError::Silent { seconds });
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn failed(error: reqwest::Error, silence: Duration) -> ProviderError {
    if error.is_timeout() {
        let seconds = silence.as_secs();
        return ProviderError::Silent { seconds };
    }
    // The rest of the address may hold a password.
    let place = error.url().and_then(|url| {
        let host = url.host_str()?;
        Some(match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        })
    });
    // The last cause says what happened; those before it only where in the program.
    let error = error.without_url();
    let mut last: &dyn std::error::Error = &error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    let problem = match place {
        Some(place) => format!("{place}: {last}"),
        None => last.to_string(),
    };
    ProviderError::Connect { problem }
}

/// Whether a page for people came, as from an address that leads beside the interface.
fn is_page(response: &Response) -> bool {
    let kind = response.headers().get("content-type");
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"))
}

fn retry_after(response: &Response) -> Option<Duration> {
    let header = |name| response.headers().get(name)?.to_str().ok();
    let milliseconds = header("retry-after-ms").and_then(|text| text.trim().parse().ok());
    let seconds = || header("retry-after").and_then(|text| text.trim().parse::<f64>().ok());
    milliseconds
        .map(Duration::from_millis)
        .or_else(|| Duration::try_from_secs_f64(seconds()?).ok())
}

/// What an error says, without secrets and not without end.
pub(super) fn message(text: &str, secrets: &[SecretString]) -> String {
    let value: Value = serde_json::from_str(text).unwrap_or_default();
    let said = value["error"]["message"].as_str();
    let said = said.or_else(|| value["message"].as_str()).unwrap_or(text);
    let mut said = skillyard_format::render::one_line(said).into_owned();
    for secret in secrets {
        let secret = secret.expose_secret();
        let bare = secret.strip_prefix("Bearer ").unwrap_or(secret);
        if !bare.is_empty() {
            said = said.replace(bare, "…redacted");
        }
    }
    said.chars().take(ERROR.1).collect()
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
