//! The body of a request. What nobody wants of it is taken all the same, up to a limit: a connection
//! that is closed on what its client still sends takes the answer with it.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};

/// How much of what nobody wants is taken, and for how long.
const MAX_BYTES: usize = 64 * 1024 * 1024;
const LONGEST: Duration = Duration::from_secs(5);

/// A body on its way.
pub(crate) struct Upload {
    body: Option<Incoming>,
    /// Whether the client sends it without being asked to.
    comes: bool,
}

impl Upload {
    /// The body of a request; a client that waits to be asked for it sends nothing otherwise.
    pub(crate) fn new(body: Incoming, waits: bool) -> Self {
        Self {
            body: Some(body),
            comes: !waits,
        }
    }
}

impl HttpBody for Upload {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.comes = true;
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map(HttpBody::size_hint)
            .unwrap_or_default()
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if self.comes
            && !self.is_end_stream()
            && let Some(body) = self.body.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(tokio::time::timeout(LONGEST, rest(body)));
        }
    }
}

/// Takes the rest of a body.
async fn rest(mut body: Incoming) {
    let mut taken = 0;
    while taken < MAX_BYTES {
        let frame = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        match frame.await {
            Some(Ok(frame)) => taken += frame.data_ref().map_or(0, Bytes::len),
            Some(Err(_)) | None => return,
        }
    }
}
