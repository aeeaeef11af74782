//! Lets connections in, and ends them in order.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::header::EXPECT;
use axum::http::{Extensions, Request};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt as _;

use crate::answering::Answering;
use crate::patient::Patient;
use crate::places::{Place, Places};
use crate::room::{is_missing, room};
use crate::upload::Upload;

/// How long to wait when the system has no room for a connection.
const BREATH: Duration = Duration::from_millis(50);

/// What connections may do.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many are open at once, or fewer where fewer files may be open; the others wait.
    pub connections: usize,
    /// How long a client may take to send the head of a request.
    pub head: Duration,
    /// How long a client may take nothing of its answer.
    pub stall: Duration,
    /// How long answers under way may take when the server ends.
    pub farewell: Duration,
}

/// Answers until `end` is done, then lets what is under way finish.
///
/// `introduce` tells those who answer where a request comes from.
pub async fn listen(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    introduce: fn(&mut Extensions, SocketAddr),
    end: impl Future<Output = ()>,
) -> io::Result<()> {
    let places = Places::new(room(limits.connections));
    let graceful = GracefulShutdown::new();
    let mut end = std::pin::pin!(end);
    loop {
        let arrived = async {
            let place = places.take().await;
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            () = &mut end => break,
            arrived = arrived => arrived,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // No descriptors left, which others use as well, or a client that went away again.
                if is_missing(&error) {
                    places.ask_to_leave();
                }
                tokio::time::sleep(BREATH).await;
                continue;
            }
        };
        // Small answers are not held back.
        let _ = stream.set_nodelay(true);
        let guest = Guest {
            router: router.clone(),
            place: Arc::new(place),
            peer,
            introduce,
        };
        serve(stream, guest, limits, &graceful);
    }
    drop(listener);
    let _ = tokio::time::timeout(limits.farewell, graceful.shutdown()).await;
    Ok(())
}

/// Somebody who has been let in.
#[derive(Clone)]
struct Guest {
    router: Router,
    place: Arc<Place>,
    peer: SocketAddr,
    introduce: fn(&mut Extensions, SocketAddr),
}

fn serve(stream: TcpStream, guest: Guest, limits: Limits, graceful: &GracefulShutdown) {
    let place = Arc::clone(&guest.place);
    let answer = service_fn(move |request| answer(guest.clone(), request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(64 * 1024)
        .serve_connection(TokioIo::new(Patient::new(stream, limits.stall)), answer);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        let mut connection = std::pin::pin!(connection);
        loop {
            tokio::select! {
                // A client that goes away in the middle is its own affair.
                _ = &mut connection => return,
                // Who began to say something in the meantime stays.
                () = place.needed() => if place.is_silent() {
                    return;
                },
            }
        }
    });
}

async fn answer(
    guest: Guest,
    request: Request<Incoming>,
) -> Result<axum::response::Response, Infallible> {
    let answering = Answering::new(&guest.place);
    let waits = request.headers().contains_key(EXPECT);
    let mut request = request.map(|body| Body::new(Upload::new(body, waits)));
    (guest.introduce)(request.extensions_mut(), guest.peer);
    let response = guest.router.oneshot(request).await?;
    Ok(response.map(|body| answering.with(body)))
}
