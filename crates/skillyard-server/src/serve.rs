//! The listener: how many connections, how slow they may be, and how it ends.

use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::sync::Semaphore;
use tower::ServiceExt as _;

use crate::access::Access;
use crate::access::gate::Peer;
use crate::server::Server;

/// How many connections are open at once; the others wait.
const CONNECTIONS: usize = 1_024;
/// How long a client may take to send the head of a request.
const HEAD_PATIENCE: Duration = Duration::from_secs(15);
/// How long answers under way may take when the server ends.
const GRACE: Duration = Duration::from_secs(5);

/// Why the server cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address can be reached from elsewhere, and nobody would be asked for a token.
    #[error("`{0}` can be reached from other machines, and there are no tokens")]
    Public(SocketAddr),
    /// The address is taken, or not ours.
    #[error("cannot listen on `{address}`")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
    /// The listener failed.
    #[error("the listener failed")]
    Listener(#[from] io::Error),
}

/// A listener that nobody has been answered on yet.
#[derive(Debug)]
pub struct Bound {
    listener: TcpListener,
    /// Where it listens.
    pub address: SocketAddr,
}

/// Takes the address, unless strangers could reach it without a token.
pub fn bind(address: SocketAddr, access: &Access) -> Result<Bound, ServeError> {
    if !address.ip().is_loopback() && matches!(access, Access::Loopback) {
        return Err(ServeError::Public(address));
    }
    let taken = |source| ServeError::Bind { address, source };
    let listener = TcpListener::bind(address).map_err(taken)?;
    listener.set_nonblocking(true).map_err(taken)?;
    let address = listener.local_addr().map_err(taken)?;
    Ok(Bound { listener, address })
}

impl Bound {
    /// Answers until `end` is done, then lets what is under way finish.
    pub async fn serve(
        self,
        server: Arc<Server>,
        end: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let router = crate::router(server);
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        let graceful = GracefulShutdown::new();
        let mut end = std::pin::pin!(end);
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else {
                break;
            };
            let accepted = tokio::select! {
                () = &mut end => break,
                accepted = listener.accept() => accepted,
            };
            let Ok((stream, peer)) = accepted else {
                // Without free descriptors there is nothing to do but wait for some.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let _ = stream.set_nodelay(true);
            let router = router.clone();
            let answer = service_fn(move |request| answer(router.clone(), peer, request));
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_PATIENCE)
                .max_buf_size(64 * 1024)
                .serve_connection(TokioIo::new(stream), answer);
            let connection = graceful.watch(connection);
            tokio::spawn(async move {
                // A client that goes away in the middle is its own affair.
                let _ = connection.await;
                drop(place);
            });
        }
        drop(listener);
        let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
        Ok(())
    }
}

async fn answer(
    router: Router,
    peer: SocketAddr,
    request: Request<Incoming>,
) -> Result<axum::response::Response, Infallible> {
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(Peer(peer));
    request.extensions_mut().insert(ConnectInfo(peer));
    router.oneshot(request).await
}
