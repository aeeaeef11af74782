//! Connections: how many at once, and how long somebody may take to say what they want.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::ServiceExt as _;

/// The most connections; others wait in the system's queue.
const CONNECTIONS: usize = 4096;
/// How long what was begun may take once the server is to stop.
const FAREWELL: Duration = Duration::from_secs(10);

/// Answers until `stop` ends, then finishes what was begun.
pub(crate) async fn listen(
    listener: TcpListener,
    router: Router,
    header_time: Duration,
    stop: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = async {
            // The semaphore is never closed.
            let permit = Arc::clone(&connections).acquire_owned().await.ok();
            (listener.accept().await, permit)
        };
        let (accepted, permit) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut stop => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // No files left, or a client that went away: neither lasts.
                if !is_of_client(&error) {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                continue;
            }
        };
        let connection = connection(stream, peer, router.clone(), header_time);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that breaks off is not our failure.
            let _ = connection.await;
            drop(permit);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(FAREWELL, graceful.shutdown()).await;
    Ok(())
}

fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    header_time: Duration,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> + Send {
    // Small answers are not held back.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let router = router.clone();
        async move {
            let Ok(response) = router.oneshot(request).await;
            Ok::<_, Infallible>(response)
        }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header_time)
        .max_buf_size(64 * 1024)
        .serve_connection(TokioIo::new(stream), service)
}

fn is_of_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}
