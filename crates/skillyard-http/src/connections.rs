//! Accepts connections under limits, and shuts them down in order.

mod slots;
mod streams;

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
use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt as _;

use self::slots::{ActiveResponse, ConnectionSlot, ConnectionSlots};
use self::streams::{DrainedBody, WriteTimeout};

/// How long to wait after a connection could not be accepted.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(50);

/// Limits of the connections of a server.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// The most open connections, or fewer if the process may open fewer files; others wait.
    pub connections: usize,
    /// How long a client may take to send the head of a request.
    pub header_timeout: Duration,
    /// How long a client may accept no bytes of its response.
    pub write_timeout: Duration,
    /// How long open responses may take once the server shuts down.
    pub shutdown_timeout: Duration,
}

/// Serves requests until `end` completes, then waits for open responses.
///
/// `set_peer` stores the address of the client in the extensions of each request.
pub async fn listen(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    set_peer: fn(&mut Extensions, SocketAddr),
    end: impl Future<Output = ()>,
) -> io::Result<()> {
    let slots = ConnectionSlots::new(connections_within_files(limits.connections));
    let graceful = GracefulShutdown::new();
    let mut end = std::pin::pin!(end);
    loop {
        let arrived = async {
            let slot = slots.acquire().await;
            (listener.accept().await, slot)
        };
        let (accepted, slot) = tokio::select! {
            () = &mut end => break,
            arrived = arrived => arrived,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, or the client disconnected again.
                if is_out_of_files(&error) {
                    slots.evict_longest_idle();
                }
                tokio::time::sleep(ACCEPT_BACKOFF).await;
                continue;
            }
        };
        // Small responses are sent at once.
        let _ = stream.set_nodelay(true);
        let conn = Conn {
            router: router.clone(),
            slot: Arc::new(slot),
            peer,
            set_peer,
        };
        serve(stream, conn, limits, &graceful);
    }
    drop(listener);
    let _ = tokio::time::timeout(limits.shutdown_timeout, graceful.shutdown()).await;
    Ok(())
}

/// An accepted connection.
#[derive(Clone)]
struct Conn {
    router: Router,
    slot: Arc<ConnectionSlot>,
    peer: SocketAddr,
    set_peer: fn(&mut Extensions, SocketAddr),
}

fn serve(stream: TcpStream, conn: Conn, limits: ConnectionLimits, graceful: &GracefulShutdown) {
    let slot = Arc::clone(&conn.slot);
    let answer = service_fn(move |request| answer(conn.clone(), request));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_buf_size(64 * 1024)
        .serve_connection(
            TokioIo::new(WriteTimeout::new(stream, limits.write_timeout)),
            answer,
        );
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        let mut connection = std::pin::pin!(connection);
        loop {
            tokio::select! {
                // Errors of a connection concern its client alone.
                _ = &mut connection => return,
                // A connection with a new request stays.
                () = slot.evicted() => if slot.is_idle() {
                    return;
                },
            }
        }
    });
}

async fn answer(
    conn: Conn,
    request: Request<Incoming>,
) -> Result<axum::response::Response, Infallible> {
    let active = ActiveResponse::new(&conn.slot);
    let expects_continue = request.headers().contains_key(EXPECT);
    let mut request = request.map(|body| Body::new(DrainedBody::new(body, expects_continue)));
    (conn.set_peer)(request.extensions_mut(), conn.peer);
    let response = conn.router.oneshot(request).await?;
    Ok(response.map(|body| active.wrap(body)))
}

/// The number of connections that fit into the limit of open files, which is raised as far as they
/// need it and the system allows.
fn connections_within_files(wanted: usize) -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let Some(now) = current else {
        return wanted;
    };
    let needed = u64::try_from(wanted).unwrap_or(u64::MAX);
    // A quarter of the files is reserved for everything else.
    let needed = needed.saturating_mul(4).div_ceil(3);
    let raised = maximum.map_or(needed, |most| needed.min(most));
    let limit = Rlimit {
        current: Some(raised),
        maximum,
    };
    let is_raised = raised > now && setrlimit(Resource::Nofile, limit).is_ok();
    without_reserve(wanted, if is_raised { raised } else { now })
}

/// Whether the process or the system has no file descriptors left.
fn is_out_of_files(error: &std::io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(Errno::MFILE | Errno::NFILE)
    )
}

/// The number of connections that leaves a quarter of `files` for everything else.
fn without_reserve(wanted: usize, files: u64) -> usize {
    let most = usize::try_from(files - files / 4).unwrap_or(usize::MAX);
    wanted.min(most).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_is_left_for_everything_else() {
        assert_eq!(without_reserve(1_024, 20_000), 1_024);
        assert_eq!(without_reserve(1_024, 1_366), 1_024);
        assert_eq!(without_reserve(1_024, 1_024), 768);
        assert_eq!(without_reserve(1_024, 120), 90);
        assert_eq!(without_reserve(1_024, 0), 1);
    }
}
