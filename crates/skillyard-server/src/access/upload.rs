//! The body of a request, watched: when an answer takes too long or fails, it shows whose fault
//! that is.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

/// What is known of a body that is on its way.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting(Arc<Seen>);

#[derive(Debug, Default)]
struct Seen {
    waiting: AtomicBool,
    bytes: AtomicUsize,
}

impl Waiting {
    /// Whether the next piece of the body has been asked for and has not come.
    pub(super) fn for_client(&self) -> bool {
        self.0.waiting.load(Ordering::Relaxed)
    }

    /// How many bytes have come.
    pub(super) fn bytes(&self) -> usize {
        self.0.bytes.load(Ordering::Relaxed)
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
        let seen = &self.waiting.0;
        seen.waiting.store(polled.is_pending(), Ordering::Relaxed);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
        {
            seen.bytes.fetch_add(data.len(), Ordering::Relaxed);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
