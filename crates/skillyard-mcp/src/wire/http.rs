//! A server that is somewhere else: one request each, answered with JSON or with a stream.

mod events;
mod streams;

use std::io::Read as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::Url;
use reqwest::blocking::{Client, RequestBuilder, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::inbox::Listener;
use super::{CANCELLED, Patience, Wire, nobody_waits, wait};
use crate::error::McpError;
use crate::rpc::{self, Incoming};

const SESSION: &str = "mcp-session-id";
const BOTH: &str = "application/json, text/event-stream";

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
        let had_session = locked(&self.session).is_some();
        let response = self.post(message, most).send();
        let response = response.map_err(|error| timed(&error, most))?;
        let status = response.status().as_u16();
        if let Some(session) = response.headers().get(SESSION)
            && let Ok(session) = session.to_str()
        {
            *locked(&self.session) = Some(session.to_owned());
        }
        let to = self.leads_to(&response);
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
        // A session that is not there any more is begun anew, whatever else is said about it.
        if status == 404 && had_session {
            return Err(McpError::Status { status, to });
        }
        match rpc::read(&bytes) {
            Ok(Incoming::Response { id: theirs, result }) if theirs == id => result,
            // Errors before a request is understood have no number.
            _ if status >= 300 => Err(McpError::Status { status, to }),
            Ok(_) => Err(McpError::malformed("it answered something else")),
            Err(error) => Err(error),
        }
    }

    /// Where a redirect leads that stays at the same server; none is followed, with a token in hand.
    fn leads_to(&self, response: &Response) -> Option<String> {
        let place = response.headers().get("location")?.to_str().ok()?;
        let ours = Url::parse(&self.url).ok()?;
        let mut place = ours.join(place).ok()?;
        place.set_query(None);
        let is_ours = response.status().is_redirection() && place.origin() == ours.origin();
        let is_bare = place.username().is_empty() && place.password().is_none();
        (is_ours && is_bare).then(|| place.into())
    }

    fn notice(&self, incoming: &Incoming) {
        match incoming {
            Incoming::Notification { method, params } => (self.listener)(method, params),
            Incoming::Request { id, method } => {
                let reply = rpc::answer(id, method);
                let _ = self.post(&reply, Duration::from_secs(10)).send();
            }
            Incoming::Response { .. } => {}
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
