//! Answers that go on: they end with the token, or the login, that they were asked for with.
//!
//! A stream is let in once and then tells for hours. Whoever took the token away meanwhile, gave it
//! another role, or logged out, wants nothing more to be told.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, BodyDataStream, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use tokio::sync::watch;
use tokio_stream::Stream;

use super::{Access, Holder};

/// The answer, which ends when its holder is not known any more, or `login` is done, if it would go
/// on.
pub(super) fn while_held(
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
        Body::from_stream(Held {
            pieces: body.into_data_stream(),
            gone: Box::pin(gone),
        })
    })
}

/// A stream of somebody.
struct Held {
    pieces: BodyDataStream,
    /// Is done when they are not known any more.
    gone: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Stream for Held {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.gone.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.pieces).poll_next(context)
    }
}
