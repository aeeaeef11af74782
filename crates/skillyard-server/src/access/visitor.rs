//! Who sent a request.

use std::net::SocketAddr;

use super::Holder;

/// The other end of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// Who sent a request; every request that passed the gate has one.
#[derive(Debug, Clone)]
pub(crate) struct Visitor {
    /// Their token and role.
    pub(crate) holder: Holder,
    /// The value that their pages carry against forged changes.
    pub(crate) csrf: String,
    /// Whether they logged in, so that they can log out.
    pub(crate) logged_in: bool,
    /// Whose sessions they see.
    pub(crate) session_owner: SessionOwner,
    /// Optional parts that their pages link to.
    pub(crate) extras: Extras,
}

/// Optional parts of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Extras {
    /// Agents that answer.
    pub(crate) agents: bool,
    /// A registry.
    pub(crate) registry: bool,
}

/// Whose sessions a visitor sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SessionOwner {
    /// All of them: the visitor is the user of this machine or an admin.
    All,
    /// Those that were begun with this token.
    Token(String),
}

impl SessionOwner {
    pub(crate) fn sees(&self, owner: Option<&str>) -> bool {
        match self {
            Self::All => true,
            Self::Token(token) => owner == Some(token),
        }
    }
}
