//! Batches of messages over HTTP, in sessions of revision 2025-03-26, which alone has them.
//!
//! Each message is answered as if it had come alone, and the streams of their answers become one.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::header::CONTENT_LENGTH;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use rmcp::model::{JsonRpcMessage, ProtocolVersion};
use serde_json::Value;
use tokio_stream::StreamMap;

use super::lines::{Understood, element};
use super::sessions::{Asked, named};

/// The header that names the revision; who sends none speaks the last one that did not know it.
const REVISION: &str = "mcp-protocol-version";

/// Whether batches are spoken in what has these headers.
pub(super) fn are_spoken(headers: &HeaderMap) -> bool {
    let revision = headers.get(REVISION);
    let spoken = ProtocolVersion::V_2025_03_26;
    named(headers).is_some() && revision.is_none_or(|each| each == spoken.as_str())
}

/// Passes on the messages of a batch; what is refused for all of them is the answer.
pub(super) async fn answered(parts: Parts, batch: Vec<Value>, next: Next) -> Response {
    let (mut first, mut streams) = (None, StreamMap::new());
    let mut ids = Vec::new();
    for value in batch {
        let text = value.to_string();
        let response = match element(value, &mut ids) {
            Understood::Message(message) => {
                let mut request = Request::from_parts(parts.clone(), Body::from(text));
                request.headers_mut().remove(CONTENT_LENGTH);
                if let JsonRpcMessage::Request(asked) = &*message {
                    request.extensions_mut().insert(Asked(asked.id.clone()));
                }
                next.clone().run(request).await
            }
            Understood::Wrong(answer) => event(&answer),
            Understood::Batch(_) | Understood::Nothing => continue,
        };
        match response.status() {
            StatusCode::ACCEPTED => {}
            StatusCode::OK => {
                let (head, body) = response.into_parts();
                streams.insert(streams.len(), body.into_data_stream());
                first.get_or_insert(head);
            }
            _ => return response,
        }
    }
    let Some(head) = first else {
        return StatusCode::ACCEPTED.into_response();
    };
    // Each piece is a whole event.
    let pieces = tokio_stream::StreamExt::map(streams, |(_, piece)| piece);
    Response::from_parts(head, Body::from_stream(pieces))
}

/// An answer as an event of a stream.
pub(super) fn event(answer: &Value) -> Response {
    let head = [("content-type", "text/event-stream")];
    (head, Bytes::from(format!("data: {answer}\n\n"))).into_response()
}
