//! The listener: which address, and what connections to it may do.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use skillyard_http::{ConnectionLimits, listen};

use crate::access::{Access, Peer};
use crate::server::Server;

/// What connections may do.
const LIMITS: ConnectionLimits = ConnectionLimits {
    connections: 1_024,
    header_timeout: Duration::from_secs(15),
    write_timeout: Duration::from_secs(30),
    shutdown_timeout: Duration::from_secs(5),
};

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
        let set_peer = |extensions: &mut axum::http::Extensions, peer| {
            extensions.insert(Peer(peer));
            extensions.insert(ConnectInfo(peer));
        };
        listen(listener, crate::router(server), LIMITS, set_peer, end).await?;
        Ok(())
    }
}
