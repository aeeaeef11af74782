//! Event streams that end when the token or login they were opened with is revoked.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, BodyDataStream, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use tokio::sync::watch;
use tokio_stream::Stream;

use crate::access::{Access, Holder};

/// The response; if it is an event stream, it ends when `access` does not know its holder any more,
/// or `login` completes.
pub(super) fn until_revoked(
    response: Response,
    holder: Holder,
    mut access: watch::Receiver<Access>,
    login: impl Future<Output = ()> + Send + 'static,
) -> Response {
    let kind = response.headers().get(CONTENT_TYPE);
    if !kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream")) {
        return response;
    }
    let gone = async move {
        tokio::select! {
            _ = access.wait_for(|access| !access.knows(&holder)) => {}
            () = login => {}
        }
    };
    response.map(|body| {
        Body::from_stream(RevocableStream {
            pieces: body.into_data_stream(),
            gone: Box::pin(gone),
        })
    })
}

/// A stream that ends when `gone` completes.
struct RevocableStream {
    pieces: BodyDataStream,
    gone: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Stream for RevocableStream {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.gone.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.pieces).poll_next(context)
    }
}
