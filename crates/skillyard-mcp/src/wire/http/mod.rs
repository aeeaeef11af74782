//! A server that is somewhere else: one request each, answered with JSON or with a stream.

mod events;

use std::io::Read as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::blocking::{Client, RequestBuilder, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use events::{Events, Resumption};

use super::inbox::Listener;
use super::{CANCELLED, Patience, Wire, nobody_waits, wait};
use crate::error::McpError;
use crate::rpc::{self, Incoming};

const SESSION: &str = "mcp-session-id";
const BOTH: &str = "application/json, text/event-stream";
/// How long a stream of changes is kept open before it is opened again.
const STREAM: Duration = Duration::from_mins(5);
/// How long to wait before a stream is opened again, first and at most.
const PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(1));
/// A server that wants no pause gets one all the same.
const LEAST_PAUSE: Duration = Duration::from_millis(100);
/// How many events of one stream are taken.
const MOST_EVENTS: usize = 10_000;

/// A server behind an address.
pub(crate) struct Http(Arc<Shared>);

struct Shared {
    client: Client,
    url: String,
    headers: Vec<(String, SecretString)>,
    largest: usize,
    listener: Listener,
    next: AtomicU64,
    session: Mutex<Option<String>>,
    protocol: Mutex<Option<String>>,
    gone: AtomicBool,
}

impl Http {
    pub(crate) fn new(
        client: &Client,
        url: &str,
        headers: &[(String, SecretString)],
        largest: usize,
        listener: Listener,
    ) -> Self {
        Self(Arc::new(Shared {
            client: client.clone(),
            url: url.to_owned(),
            headers: headers.to_vec(),
            largest,
            listener,
            next: AtomicU64::new(1),
            session: Mutex::default(),
            protocol: Mutex::default(),
            gone: AtomicBool::new(false),
        }))
    }
}

impl Wire for Http {
    fn ask(&self, method: &str, params: &Value, patience: Patience<'_>) -> Result<Value, McpError> {
        let (sender, answers) = sync_channel(1);
        let shared = Arc::clone(&self.0);
        let id = shared.next.fetch_add(1, Ordering::Relaxed);
        let message = rpc::request(id, method, params);
        let most = patience.most;
        let wanted = Arc::new(AtomicBool::new(true));
        let is_wanted = Arc::clone(&wanted);
        // On a thread of its own, so that who stops waiting need not wait for the server.
        std::thread::spawn(move || {
            let answer = shared.exchange(id, &message, most, &is_wanted);
            let _ = sender.send(answer);
        });
        let answer = wait(&answers, patience);
        if let Err(McpError::Silent { .. } | McpError::Cancelled) = answer {
            wanted.store(false, Ordering::Relaxed);
            let shared = Arc::clone(&self.0);
            // Nor does anybody wait until the server knows.
            std::thread::spawn(move || {
                let message = rpc::notification(CANCELLED, &nobody_waits(id));
                shared
                    .post(&message, Duration::from_secs(10))
                    .send()
                    .map(drop)
            });
        }
        answer
    }

    fn tell(&self, method: &str, params: &Value) -> Result<(), McpError> {
        let message = rpc::notification(method, params);
        let response = self.0.post(&message, Duration::from_secs(10)).send();
        response.map(drop).map_err(|error| unreachable(&error))
    }

    fn listen(&self, request: Option<(&str, Value)>) {
        let shared = Arc::clone(&self.0);
        let request = request.map(|(method, params)| {
            let id = shared.next.fetch_add(1, Ordering::Relaxed);
            rpc::request(id, method, &params)
        });
        std::thread::spawn(move || shared.follow(request.as_ref()));
    }

    fn agree(&self, protocol: &str) {
        *locked(&self.0.protocol) = Some(protocol.to_owned());
    }

    fn is_open(&self) -> bool {
        !self.0.gone.load(Ordering::Relaxed)
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        self.0.gone.store(true, Ordering::Relaxed);
        let Some(session) = locked(&self.0.session).take() else {
            return;
        };
        // A server need not know that we went, and nobody waits to learn whether it does.
        let request = self.0.with_headers(self.0.client.delete(&self.0.url));
        let request = request
            .header(SESSION, session)
            .timeout(Duration::from_secs(2));
        std::thread::spawn(move || request.send().map(drop));
    }
}

impl Shared {
    fn with_headers(&self, mut request: RequestBuilder) -> RequestBuilder {
        for (name, value) in &self.headers {
            request = request.header(name, value.expose_secret());
        }
        if let Some(session) = &*locked(&self.session) {
            request = request.header(SESSION, session);
        }
        if let Some(protocol) = &*locked(&self.protocol) {
            request = request.header("mcp-protocol-version", protocol);
        }
        request
    }

    fn post(&self, message: &Value, most: Duration) -> RequestBuilder {
        let request = self.client.post(&self.url);
        let mut request = self
            .with_headers(request)
            .header("content-type", "application/json")
            .header("accept", BOTH)
            .timeout(most)
            .body(message.to_string());
        if let Some(method) = message.get("method").and_then(Value::as_str) {
            request = request.header("mcp-method", method);
        }
        let params = message.get("params");
        let named = params.and_then(|params| params.get("name").or_else(|| params.get("uri")));
        match named.and_then(Value::as_str) {
            Some(name) => request.header("mcp-name", header_text(name)),
            None => request,
        }
    }

    fn exchange(
        &self,
        id: u64,
        message: &Value,
        most: Duration,
        is_wanted: &AtomicBool,
    ) -> Result<Value, McpError> {
        let start = Instant::now();
        let response = self.post(message, most).send();
        let response = response.map_err(|error| timed(&error, most))?;
        let status = response.status().as_u16();
        if let Some(session) = response.headers().get(SESSION)
            && let Ok(session) = session.to_str()
        {
            *locked(&self.session) = Some(session.to_owned());
        }
        let kind = response.headers().get("content-type");
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("text/event-stream") && status < 300 {
            let rest = || most.checked_sub(start.elapsed());
            let rest = || rest().filter(|_| is_wanted.load(Ordering::Relaxed));
            return self.answer_in_stream(id, response, rest);
        }
        let mut bytes = Vec::new();
        let limit = u64::try_from(self.largest).unwrap_or(u64::MAX);
        let read = response
            .take(limit.saturating_add(1))
            .read_to_end(&mut bytes);
        read.map_err(|error| cut_off(&error, most))?;
        if bytes.len() > self.largest {
            return Err(McpError::TooLarge {
                limit: self.largest,
            });
        }
        match rpc::read(&bytes) {
            Ok(Incoming::Response { id: theirs, result }) if theirs == id => result,
            // Errors before a request is understood have no number.
            _ if status >= 300 => Err(McpError::Status { status }),
            Ok(_) => Err(McpError::malformed("it answered something else")),
            Err(error) => Err(error),
        }
    }

    /// The answer to a request in a stream. One that ends early is taken up where it ended, as long as
    /// there is time left.
    fn answer_in_stream(
        &self,
        id: u64,
        mut response: Response,
        rest: impl Fn() -> Option<Duration>,
    ) -> Result<Value, McpError> {
        let mut last = None;
        loop {
            let mut events = Events::new(response, self.largest);
            while let Some(event) = events.next()? {
                match rpc::read(&event) {
                    Ok(Incoming::Response { id: theirs, result }) if theirs == id => return result,
                    Ok(other) => self.notice(&other),
                    Err(error) => return Err(error),
                }
            }
            let Resumption { id: place, pause } = events.place().clone();
            last = place.or(last);
            response = last
                .as_deref()
                .and_then(|last| self.taken_up(last, pause.unwrap_or(PAUSE.0), &rest))
                .ok_or_else(|| McpError::Closed {
                    said: String::new(),
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

    fn notice(&self, incoming: &Incoming) {
        match incoming {
            Incoming::Notification { method } => (self.listener)(method),
            Incoming::Request { id, method } => {
                let reply = rpc::answer(id, method);
                let _ = self.post(&reply, Duration::from_secs(10)).send();
            }
            Incoming::Response { .. } => {}
        }
    }

    /// Follows a stream of changes, and opens it again when it ends.
    fn follow(&self, request: Option<&Value>) {
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
        for _ in 0..MOST_EVENTS {
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

/// A text as a header can carry it.
fn header_text(text: &str) -> String {
    if text.chars().all(|c| c.is_ascii_graphic()) && !text.starts_with("=?") {
        return text.to_owned();
    }
    format!("=?base64?{}?=", BASE64_STANDARD.encode(text))
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn timed(error: &reqwest::Error, after: Duration) -> McpError {
    if error.is_timeout() {
        return McpError::Silent { after };
    }
    unreachable(error)
}

fn cut_off(error: &std::io::Error, after: Duration) -> McpError {
    if error.kind() == std::io::ErrorKind::TimedOut {
        return McpError::Silent { after };
    }
    let said = String::new();
    McpError::Closed { said }
}

/// Why a request failed, without the address: it may hold a secret.
fn unreachable(error: &reqwest::Error) -> McpError {
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let problem = if std::ptr::eq(cause, error as &dyn std::error::Error) {
        "the request failed".to_owned()
    } else {
        cause.to_string()
    };
    McpError::Unreachable { problem }
}
