//! A server behind a URL (Streamable HTTP): one request each, answered with JSON or with a stream.

use std::io::{self, Read as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parking_lot::Mutex;
use reqwest::Url;
use reqwest::blocking::{Client, RequestBuilder, Response};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::sse::{EventReader, Resumption};
use super::{Deadline, McpTransport, OnNotification, wait};
use crate::mcp_client::error::McpError;
use crate::mcp_client::json_rpc::{self, Incoming};

const SESSION_HEADER: &str = "mcp-session-id";
const EVENT_STREAM: &str = "text/event-stream";
const ACCEPT: &str = "application/json, text/event-stream";
/// Timeout of a notification.
const NOTIFY_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of the request that ends a session.
const DELETE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a stream of changes is kept open before it is opened again.
const SUBSCRIPTION_TIMEOUT: Duration = Duration::from_mins(5);
/// Pause before a stream is opened again: the first, and the longest.
const RECONNECT_PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_mins(1));
/// The shortest pause that a server may ask for.
const MIN_RECONNECT_PAUSE: Duration = Duration::from_millis(100);
/// Events that are read of one stream of changes.
const MAX_EVENTS: usize = 10_000;

/// A server behind a URL.
pub(in crate::mcp_client) struct HttpTransport(Arc<Shared>);

struct Shared {
    client: Client,
    url: String,
    headers: Vec<(String, SecretString)>,
    max_message: usize,
    on_notification: OnNotification,
    next_id: AtomicU64,
    session: Mutex<Option<String>>,
    protocol: Mutex<Option<String>>,
    closed: AtomicBool,
}

impl HttpTransport {
    pub(in crate::mcp_client) fn new(
        client: &Client,
        url: &str,
        headers: &[(String, SecretString)],
        max_message: usize,
        on_notification: OnNotification,
    ) -> Self {
        Self(Arc::new(Shared {
            client: client.clone(),
            url: url.to_owned(),
            headers: headers.to_vec(),
            max_message,
            on_notification,
            next_id: AtomicU64::new(1),
            session: Mutex::default(),
            protocol: Mutex::default(),
            closed: AtomicBool::new(false),
        }))
    }
}

impl McpTransport for HttpTransport {
    fn request(
        &self,
        method: &str,
        params: &Value,
        deadline: Deadline<'_>,
    ) -> Result<Value, McpError> {
        let (sender, answers) = sync_channel(1);
        let shared = Arc::clone(&self.0);
        let id = shared.next_id.fetch_add(1, Ordering::Relaxed);
        let message = json_rpc::request(id, method, params);
        let timeout = deadline.timeout;
        let is_waiting = Arc::new(AtomicBool::new(true));
        let still_waiting = Arc::clone(&is_waiting);
        // On a thread, so that cancelling does not wait for the server.
        std::thread::spawn(move || {
            let answer = shared.exchange(id, &message, timeout, &still_waiting);
            let _ = sender.send(answer);
        });
        let answer = wait(&answers, deadline);
        if let Err(McpError::Timeout { .. } | McpError::Cancelled) = answer {
            is_waiting.store(false, Ordering::Relaxed);
            let shared = Arc::clone(&self.0);
            std::thread::spawn(move || {
                let message = json_rpc::cancelled(id);
                shared.post(&message, NOTIFY_TIMEOUT).send().map(drop)
            });
        }
        answer
    }

    fn notify(&self, method: &str, params: &Value) -> Result<(), McpError> {
        let message = json_rpc::notification(method, params);
        let response = self.0.post(&message, NOTIFY_TIMEOUT).send();
        response.map(drop).map_err(|error| unreachable(&error))
    }

    fn subscribe(&self, request: Option<(&str, Value)>) {
        let shared = Arc::clone(&self.0);
        let request = request.map(|(method, params)| {
            let id = shared.next_id.fetch_add(1, Ordering::Relaxed);
            json_rpc::request(id, method, &params)
        });
        std::thread::spawn(move || shared.follow_changes(request.as_ref()));
    }

    fn set_protocol_version(&self, version: &str) {
        *self.0.protocol.lock() = Some(version.to_owned());
    }

    fn is_open(&self) -> bool {
        !self.0.closed.load(Ordering::Relaxed)
    }
}

impl Drop for HttpTransport {
    fn drop(&mut self) {
        self.0.closed.store(true, Ordering::Relaxed);
        let Some(session) = self.0.session.lock().take() else {
            return;
        };
        let request = self.0.with_headers(self.0.client.delete(&self.0.url));
        let request = request.header(SESSION_HEADER, session);
        std::thread::spawn(move || request.timeout(DELETE_TIMEOUT).send().map(drop));
    }
}

impl Shared {
    fn with_headers(&self, mut request: RequestBuilder) -> RequestBuilder {
        for (name, value) in &self.headers {
            request = request.header(name, value.expose_secret());
        }
        if let Some(session) = &*self.session.lock() {
            request = request.header(SESSION_HEADER, session);
        }
        if let Some(protocol) = &*self.protocol.lock() {
            request = request.header("mcp-protocol-version", protocol);
        }
        request
    }

    fn post(&self, message: &Value, timeout: Duration) -> RequestBuilder {
        let mut request = self
            .with_headers(self.client.post(&self.url))
            .header("content-type", "application/json")
            .header("accept", ACCEPT)
            .timeout(timeout)
            .body(message.to_string());
        if let Some(method) = message.get("method").and_then(Value::as_str) {
            request = request.header("mcp-method", method);
        }
        let params = message.get("params");
        let name = params.and_then(|params| params.get("name").or_else(|| params.get("uri")));
        match name.and_then(Value::as_str) {
            Some(name) => request.header("mcp-name", header_value(name)),
            None => request,
        }
    }

    /// A stream that the server keeps open, such as that of changes.
    fn get_stream(&self, timeout: Duration) -> RequestBuilder {
        let request = self.with_headers(self.client.get(&self.url));
        request.header("accept", EVENT_STREAM).timeout(timeout)
    }

    /// Sends a request and reads its answer.
    fn exchange(
        &self,
        id: u64,
        message: &Value,
        timeout: Duration,
        is_waiting: &AtomicBool,
    ) -> Result<Value, McpError> {
        let start = Instant::now();
        let had_session = self.session.lock().is_some();
        let response = self.post(message, timeout).send().map_err(|error| {
            if error.is_timeout() {
                McpError::Timeout { after: timeout }
            } else {
                unreachable(&error)
            }
        })?;
        let status = response.status().as_u16();
        if let Some(session) = response.headers().get(SESSION_HEADER)
            && let Ok(session) = session.to_str()
        {
            *self.session.lock() = Some(session.to_owned());
        }
        if status < 300 && is_event_stream(&response) {
            let rest = || timeout.checked_sub(start.elapsed());
            let rest = || rest().filter(|_| is_waiting.load(Ordering::Relaxed));
            return self.answer_in_stream(id, response, timeout, rest);
        }
        let redirect = self.redirect_target(&response);
        let bytes = self.read_body(response, timeout)?;
        // The caller starts a new session.
        if status == 404 && had_session {
            return Err(McpError::Status { status, redirect });
        }
        match json_rpc::parse(&bytes) {
            Ok(Incoming::Response { id: theirs, result }) if theirs == id => result,
            // Errors before the request is parsed have no ID.
            _ if status >= 300 => Err(McpError::Status { status, redirect }),
            Ok(_) => Err(McpError::malformed("it answered something else")),
            Err(error) => Err(error),
        }
    }

    fn read_body(&self, response: Response, timeout: Duration) -> Result<Vec<u8>, McpError> {
        let mut bytes = Vec::new();
        let limit = u64::try_from(self.max_message).unwrap_or(u64::MAX);
        let mut body = response.take(limit.saturating_add(1));
        body.read_to_end(&mut bytes)
            .map_err(|error| match error.kind() {
                io::ErrorKind::TimedOut => McpError::Timeout { after: timeout },
                _ => McpError::closed(),
            })?;
        if bytes.len() > self.max_message {
            let limit = self.max_message;
            return Err(McpError::TooLarge { limit });
        }
        Ok(bytes)
    }

    /// The target of a redirect to the same origin. None is followed, because requests carry tokens.
    fn redirect_target(&self, response: &Response) -> Option<String> {
        let location = response.headers().get("location")?.to_str().ok()?;
        let url = Url::parse(&self.url).ok()?;
        let mut target = url.join(location).ok()?;
        target.set_query(None);
        let is_same = response.status().is_redirection() && target.origin() == url.origin();
        let has_credentials = !target.username().is_empty() || target.password().is_some();
        (is_same && !has_credentials).then(|| target.into())
    }

    /// Processes a message that is not the awaited answer.
    fn receive(&self, incoming: &Incoming) {
        match incoming {
            Incoming::Notification { method, params } => (self.on_notification)(method, params),
            Incoming::Request { id, method } => {
                let reply = json_rpc::reply(id, method);
                let _ = self.post(&reply, NOTIFY_TIMEOUT).send();
            }
            Incoming::Response { .. } => {}
        }
    }

    /// Reads the answer from a stream. A stream that ends early is resumed while there is time left.
    fn answer_in_stream(
        &self,
        id: u64,
        mut response: Response,
        timeout: Duration,
        rest: impl Fn() -> Option<Duration>,
    ) -> Result<Value, McpError> {
        let (mut last_id, mut invalid) = (None, None);
        loop {
            let mut events = EventReader::new(response, self.max_message, timeout);
            while let Some(event) = events.next()? {
                match json_rpc::parse(&event) {
                    Ok(Incoming::Response { id: theirs, result }) if theirs == id => return result,
                    Ok(other) => self.receive(&other),
                    // Keep-alive events are not messages. If it was the answer, none follows.
                    Err(error) => invalid = Some(error),
                }
            }
            let Resumption { id, retry } = events.resumption().clone();
            last_id = id.or(last_id);
            response = last_id
                .as_deref()
                .and_then(|id| self.resume(id, retry.unwrap_or(RECONNECT_PAUSE.0), &rest))
                .ok_or_else(|| invalid.take().unwrap_or_else(McpError::closed))?;
        }
    }

    /// The stream after an event, if the server still has it.
    fn resume(
        &self,
        last_id: &str,
        pause: Duration,
        rest: &impl Fn() -> Option<Duration>,
    ) -> Option<Response> {
        let until = Instant::now() + pause.clamp(MIN_RECONNECT_PAUSE, RECONNECT_PAUSE.1);
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            std::thread::sleep(left.min(MIN_RECONNECT_PAUSE).min(rest()?));
        }
        let request = self.get_stream(rest()?).header("last-event-id", last_id);
        let response = request.send().ok()?;
        (response.status().is_success() && is_event_stream(&response)).then_some(response)
    }

    /// Follows a stream of changes and opens it again when it ends.
    fn follow_changes(&self, request: Option<&Value>) {
        let mut pause = RECONNECT_PAUSE.0;
        while !self.closed.load(Ordering::Relaxed) {
            let request = match request {
                Some(message) => self.post(message, SUBSCRIPTION_TIMEOUT),
                None => self.get_stream(SUBSCRIPTION_TIMEOUT),
            };
            match request.send() {
                Ok(response) if response.status().is_success() => {
                    pause = RECONNECT_PAUSE.0;
                    self.receive_all(response);
                }
                // The server has no such stream.
                Ok(response) if response.status().is_client_error() => return,
                _ => {}
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(RECONNECT_PAUSE.1);
        }
    }

    fn receive_all(&self, response: Response) {
        let mut events = EventReader::new(response, self.max_message, SUBSCRIPTION_TIMEOUT);
        for _ in 0..MAX_EVENTS {
            match events.next() {
                Ok(Some(event)) if !self.closed.load(Ordering::Relaxed) => {
                    if let Ok(incoming) = json_rpc::parse(&event) {
                        self.receive(&incoming);
                    }
                }
                _ => return,
            }
        }
    }
}

fn is_event_stream(response: &Response) -> bool {
    let content_type = response.headers().get("content-type");
    content_type.is_some_and(|value| value.as_bytes().starts_with(EVENT_STREAM.as_bytes()))
}

/// Encodes a text that a header cannot carry as it is.
fn header_value(text: &str) -> String {
    if text.chars().all(|c| c.is_ascii_graphic()) && !text.starts_with("=?") {
        return text.to_owned();
    }
    format!("=?base64?{}?=", BASE64_STANDARD.encode(text))
}

/// The root cause of a failed request, without the URL, which may contain a secret.
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
