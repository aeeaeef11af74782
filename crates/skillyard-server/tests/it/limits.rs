//! Requests that are too long or never end.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::Frame;

use crate::context::TestServer;

const JSON: (&str, &str) = ("content-type", "application/json");
/// Everything that takes a body.
const TAKERS: [&str; 6] = [
    "/api/v1/guard/check",
    "/api/v1/tools/skill_load",
    "/api/v1/skills/pdf/activate",
    "/api/v1/sessions",
    "/mcp",
    "/login",
];

/// Pieces of JSON that never end, or a first piece and then silence.
enum Endless {
    Much,
    Silent,
}

impl HttpBody for Endless {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match *self {
            Self::Much => {
                let piece = Bytes::from(vec![b' '; 64 * 1024]);
                Poll::Ready(Some(Ok(Frame::data(piece))))
            }
            Self::Silent => Poll::Pending,
        }
    }
}

#[tokio::test]
async fn long_bodies_are_refused_announced_or_not() {
    let server = TestServer::new();
    let accept = ("accept", "application/json, text/event-stream");
    for path in TAKERS {
        let announced = [JSON, accept, ("content-length", "4194305")];
        let answer = server.ask("POST", path, &announced, "").await;
        assert_eq!(answer.status, 413, "{path}: {}", answer.text);
        let headers = [JSON, accept];
        let answer = server.ask("POST", path, &headers, Body::new(Endless::Much));
        let answer = answer.await;
        // A path that reads no body answers without it.
        let fine = answer.status.is_client_error() || path == "/api/v1/sessions";
        assert!(fine, "{path}: {} {}", answer.status, answer.text);
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_stops_in_the_middle_of_a_body_is_not_waited_for() {
    let server = TestServer::new();
    for path in ["/api/v1/guard/check", "/api/v1/tools/skill_load", "/mcp"] {
        let headers = [JSON, ("accept", "application/json, text/event-stream")];
        let body = Body::new(Endless::Silent);
        let answer = server.ask("POST", path, &headers, body).await;
        assert_eq!(answer.status, 408, "{path}: {}", answer.text);
    }
}
