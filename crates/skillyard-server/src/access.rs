//! Who may use the server, and for what: roles, tokens, logins and the visitor of a request.
//!
//! [`crate::gate`] checks every request against these types.

pub(crate) mod logins;
mod role;
mod tokens;
mod visitor;

use skillyard_http::login::{Arrivals, Cookie};

pub use role::Role;
pub use tokens::{AccessError, Holder, Tokens};
pub(crate) use visitor::{Extras, Peer, SessionOwner, Visitor};

/// The cookie of a login.
pub(crate) const COOKIE: Cookie<'static> = Cookie {
    name: "skillyard",
    path: "/",
    arrivals: Arrivals::Own,
};

/// Who may use the server.
#[derive(Debug, Clone)]
pub enum Access {
    /// Every local process, as an admin.
    Loopback,
    /// Clients with a token, with its role.
    Tokens(Tokens),
}

impl Access {
    /// Whether the holder would still be admitted, with the same role.
    pub(crate) fn knows(&self, holder: &Holder) -> bool {
        match self {
            Self::Loopback => true,
            Self::Tokens(tokens) => tokens.has(holder),
        }
    }
}
