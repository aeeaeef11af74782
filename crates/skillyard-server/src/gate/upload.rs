//! The body of a request, watched: when an answer takes too long or fails, it shows whose fault
//! that is.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, BodyDataStream, Bytes, HttpBody as _};
use tokio_stream::Stream;

/// What is known of a body that is on its way.
#[derive(Debug, Clone, Default)]
pub(super) struct Waiting(Arc<UploadProgress>);

#[derive(Debug, Default)]
struct UploadProgress {
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
        Body::from_stream(Upload {
            pieces: body.into_data_stream(),
            waiting: self.clone(),
        })
    }
}

struct Upload {
    pieces: BodyDataStream,
    waiting: Waiting,
}

impl Stream for Upload {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = Pin::new(&mut self.pieces).poll_next(context);
        let seen = &self.waiting.0;
        seen.waiting.store(polled.is_pending(), Ordering::Relaxed);
        if let Poll::Ready(Some(Ok(piece))) = &polled {
            seen.bytes.fetch_add(piece.len(), Ordering::Relaxed);
        }
        polled
    }
}
