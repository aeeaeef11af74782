//! The body of a request, watched: when an answer takes too long, it shows who kept whom waiting.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

/// Whether we wait for the client.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting(Arc<AtomicBool>);

impl Waiting {
    /// Whether the next piece of the body has been asked for and has not come.
    pub(super) fn for_client(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The body, watched.
    pub(super) fn watch(&self, body: Body) -> Body {
        if body.is_end_stream() {
            return body;
        }
        Body::new(Upload {
            body,
            waiting: self.clone(),
        })
    }
}

struct Upload {
    body: Body,
    waiting: Waiting,
}

impl HttpBody for Upload {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        self.waiting.0.store(polled.is_pending(), Ordering::Relaxed);
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
