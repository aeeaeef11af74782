//! Logging in with a token, for browsers: what the server and the registry share of it.
//!
//! Who gives a token gets a random value in a cookie, which stands for it. Where such values are
//! kept, and what they allow, is for those who give them out.

mod cookie;
mod forgery;
mod form;
mod next;
pub mod origin;

use std::time::Duration;

use sha2::{Digest as _, Sha256};

pub use cookie::{Arrivals, Cookie};
pub use forgery::{FIELD, Forgery, HEADER};
pub use form::TokenForm;
pub use next::{Next, address};

/// How long a login lasts.
pub const LIFETIME: Duration = Duration::from_hours(12);

/// A new value for a cookie.
pub fn draw() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(hex::encode(bytes))
}

/// What is kept of a value: it is looked up by its hash, so that the time of a comparison tells
/// nothing.
pub fn key(value: &str) -> [u8; 32] {
    Sha256::digest(value.as_bytes()).into()
}
