//! Export of spans: OTLP over HTTP, as JSON.
//!
//! A thread sends them from a bounded queue that drops what does not fit. A receiver that is down, slow
//! or hostile never blocks a turn, and delays the exit of the program by `SHUTDOWN_TIMEOUT` at most.

use std::io::Read as _;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use parking_lot::Mutex;
use reqwest::blocking::Client;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

/// Requests that wait to be sent.
const MAX_QUEUED: usize = 64;
/// Timeout of one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the exit of the program waits for the queue.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);
/// Pauses before a request is retried.
const RETRY_PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];

/// A receiver of spans.
#[derive(Debug, Clone)]
pub struct OtlpEndpoint {
    /// The HTTP client, which follows no redirects.
    pub client: Client,
    /// The base URL, without a slash at its end; `/v1/traces` is appended.
    pub url: String,
    /// Headers, which may be secrets.
    pub headers: Vec<(String, SecretString)>,
}

/// Sends spans to a receiver.
#[derive(Debug)]
pub struct OtlpExporter {
    queue: Option<SyncSender<String>>,
    /// Only `drop` uses it; the lock makes the exporter `Sync`.
    done: Mutex<Receiver<()>>,
    version: String,
}

impl OtlpExporter {
    /// Starts the thread; `version` is that of the program.
    pub fn new(endpoint: OtlpEndpoint, version: &str) -> Self {
        let (queue, waiting) = sync_channel::<String>(MAX_QUEUED);
        let (finished, done) = sync_channel(1);
        std::thread::spawn(move || {
            for body in waiting {
                deliver(&endpoint, &body);
            }
            let _ = finished.send(());
        });
        Self {
            queue: Some(queue),
            done: Mutex::new(done),
            version: version.to_owned(),
        }
    }

    /// Queues spans without blocking.
    pub fn send(&self, spans: &[TraceSpan]) {
        let body = request(spans, &self.version);
        if let Some(queue) = &self.queue {
            // A full queue drops the spans.
            let _ = queue.try_send(body);
        }
    }
}

impl Drop for OtlpExporter {
    fn drop(&mut self) {
        drop(self.queue.take());
        let _ = self.done.get_mut().recv_timeout(SHUTDOWN_TIMEOUT);
    }
}

/// Sends a request, and again while the receiver asks for it.
fn deliver(endpoint: &OtlpEndpoint, body: &str) {
    let start = Instant::now();
    let mut pauses = RETRY_PAUSES.iter();
    while post(endpoint, body) == Delivery::Retry
        && start.elapsed() < REQUEST_TIMEOUT
        && let Some(pause) = pauses.next()
    {
        std::thread::sleep(*pause);
    }
}

#[derive(PartialEq, Eq)]
enum Delivery {
    /// Accepted or rejected.
    Done,
    Retry,
}

fn post(endpoint: &OtlpEndpoint, body: &str) -> Delivery {
    let mut request = endpoint
        .client
        .post(format!("{}/v1/traces", endpoint.url))
        .header("content-type", "application/json")
        .timeout(REQUEST_TIMEOUT)
        .body(body.to_owned());
    for (name, value) in &endpoint.headers {
        request = request.header(name, value.expose_secret());
    }
    let Ok(mut response) = request.send() else {
        return Delivery::Retry;
    };
    // The connection can be reused once the answer was read.
    let _ = response
        .by_ref()
        .take(64 << 10)
        .read_to_end(&mut Vec::new());
    match response.status().as_u16() {
        429 | 502..=504 => Delivery::Retry,
        _ => Delivery::Done,
    }
}

/// A span of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceSpan {
    /// The trace ID, in hexadecimal digits.
    pub trace: String,
    /// The span ID, in hexadecimal digits.
    pub id: String,
    /// The ID of the parent span.
    pub parent: Option<String>,
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: SpanKind,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub ended: Timestamp,
    /// The attributes.
    pub attributes: Vec<(&'static str, Attribute)>,
    /// The status.
    pub status: SpanStatus,
}

/// The kind of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// Work inside this program.
    Internal,
    /// A request that this program answered.
    Server,
    /// A request to a server.
    Client,
}

/// The status of a span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpanStatus {
    /// No error.
    Unset,
    /// An error, with its kind.
    Error(String),
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// A text.
    Text(String),
    /// A number.
    Number(i64),
    /// Texts.
    Texts(Vec<String>),
}

impl From<&str> for Attribute {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u64> for Attribute {
    fn from(number: u64) -> Self {
        Self::Number(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl Attribute {
    fn to_json(&self) -> Value {
        match self {
            Self::Text(text) => json!({ "stringValue": text }),
            // The JSON of protocol buffers writes 64-bit integers as strings.
            Self::Number(number) => json!({ "intValue": number.to_string() }),
            Self::Texts(texts) => {
                let values = texts.iter().map(|text| json!({ "stringValue": text }));
                json!({ "arrayValue": { "values": values.collect::<Vec<_>>() } })
            }
        }
    }
}

impl TraceSpan {
    fn to_json(&self) -> Value {
        let kind = match self.kind {
            SpanKind::Internal => 1,
            SpanKind::Server => 2,
            SpanKind::Client => 3,
        };
        let mut span = json!({
            "traceId": self.trace,
            "spanId": self.id,
            "name": self.name,
            "kind": kind,
            "startTimeUnixNano": self.started.as_nanosecond().to_string(),
            "endTimeUnixNano": self.ended.max(self.started).as_nanosecond().to_string(),
            "attributes": attributes(&self.attributes),
            "status": match &self.status {
                SpanStatus::Unset => json!({}),
                SpanStatus::Error(message) => json!({ "code": 2, "message": message }),
            },
        });
        if let Some(parent) = &self.parent {
            span["parentSpanId"] = json!(parent);
        }
        span
    }
}

fn attributes(all: &[(&'static str, Attribute)]) -> Vec<Value> {
    let all = all
        .iter()
        .map(|(key, value)| json!({ "key": key, "value": value.to_json() }));
    all.collect()
}

/// The body of an export request.
fn request(spans: &[TraceSpan], version: &str) -> String {
    let resource = [
        ("service.name", Attribute::from("skillyard")),
        ("service.version", Attribute::from(version)),
    ];
    let spans: Vec<Value> = spans.iter().map(TraceSpan::to_json).collect();
    json!({ "resourceSpans": [{
        "resource": { "attributes": attributes(&resource) },
        "scopeSpans": [{
            "scope": { "name": "skillyard-agent", "version": version },
            "spans": spans,
        }],
    }] })
    .to_string()
}
