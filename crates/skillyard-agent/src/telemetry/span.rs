//! A span, and how OTLP writes it down as JSON.

use jiff::Timestamp;
use serde_json::{Value, json};

/// Something that took time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The trace it belongs to, in hexadecimal digits.
    pub trace: String,
    /// Its own name in it, in hexadecimal digits.
    pub id: String,
    /// The span around it.
    pub parent: Option<String>,
    /// What it is called.
    pub name: String,
    /// Where the work was done.
    pub kind: SpanKind,
    /// When it began.
    pub started: Timestamp,
    /// When it was over.
    pub ended: Timestamp,
    /// What there is to say about it.
    pub attributes: Vec<(&'static str, Attribute)>,
    /// How it ended.
    pub status: SpanStatus,
}

/// Where the work of a span was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// Here.
    Internal,
    /// Here, for somebody who asked.
    Server,
    /// At a server that was asked.
    Client,
}

/// How a span ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpanStatus {
    /// As wished, or nobody said.
    Unset,
    /// Not as wished, in a word.
    Error(String),
}

/// A value.
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
            // Numbers of 64 bits are texts in the JSON of protocol buffers.
            Self::Number(number) => json!({ "intValue": number.to_string() }),
            Self::Texts(texts) => {
                let values = texts.iter().map(|text| json!({ "stringValue": text }));
                json!({ "arrayValue": { "values": values.collect::<Vec<_>>() } })
            }
        }
    }
}

impl Span {
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

/// The body of a request that hands spans over.
pub(super) fn request(spans: &[Span], version: &str) -> String {
    let resource = [
        ("service.name", Attribute::from("skillyard")),
        ("service.version", Attribute::from(version)),
    ];
    let spans: Vec<Value> = spans.iter().map(Span::to_json).collect();
    json!({ "resourceSpans": [{
        "resource": { "attributes": attributes(&resource) },
        "scopeSpans": [{
            "scope": { "name": "skillyard-agent", "version": version },
            "spans": spans,
        }],
    }] })
    .to_string()
}
