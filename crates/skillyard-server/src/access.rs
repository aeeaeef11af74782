//! Who may ask, and for what.
//!
//! Every request passes [`gate::gate`]: rate, Host, Origin, role, forged changes. A handler cannot
//! forget one of them, because none of them is a handler's business.

pub(crate) mod gate;
mod headers;
mod held;
mod identity;
mod rate;
mod refusal;
mod role;
pub(crate) mod session;
mod tokens;
mod upload;
mod veiled;

use skillyard_http::login::{Arrivals, Cookie};

pub(crate) use rate::Rate;
pub use role::Role;
pub use tokens::{AccessError, Holder, Tokens};
pub(crate) use veiled::Wrong;

/// The cookie of a login, which may change something.
pub(crate) const COOKIE: Cookie<'static> = Cookie {
    name: "skillyard",
    path: "/",
    arrivals: Arrivals::Own,
};

/// Who may ask.
#[derive(Debug, Clone)]
pub enum Access {
    /// Anybody on this machine, as an admin.
    Loopback,
    /// Whoever has a token, with its role.
    Tokens(Tokens),
}

impl Access {
    /// Whether somebody who was let in would be let in now, and with the same role.
    fn knows(&self, holder: &Holder) -> bool {
        match self {
            Self::Loopback => true,
            Self::Tokens(tokens) => tokens.has(holder),
        }
    }
}
