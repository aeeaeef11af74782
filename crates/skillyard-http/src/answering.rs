//! Knows when an answer is over: not when it begins, but when the last of its body is taken.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use crate::places::Place;

/// Somebody who is being answered as long as this lives.
pub(crate) struct Answering(Arc<Place>);

impl Answering {
    pub(crate) fn new(place: &Arc<Place>) -> Self {
        place.busy();
        Self(Arc::clone(place))
    }

    /// A body that is part of the answer.
    pub(crate) fn with(self, body: Body) -> Body {
        // A short answer needs no watching: it is written at once.
        if body.is_end_stream() {
            return body;
        }
        Body::new(Watched {
            body,
            _answering: self,
        })
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.silent();
    }
}

struct Watched {
    body: Body,
    _answering: Answering,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
