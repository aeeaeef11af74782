//! Forged changes: a page of another site that makes a browser post a form.
//!
//! Every page of ours carries a value that no other page can know. It belongs to the session, so
//! that it ends with it.

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// The name of the header.
pub const HEADER: &str = "x-csrf-token";
/// The name of the field.
pub const FIELD: &str = "csrf";

/// Makes and checks the values.
#[derive(Clone)]
pub struct Forgery {
    secret: [u8; 32],
}

impl Forgery {
    /// With a new secret, for this process alone.
    pub fn new() -> Result<Self, getrandom::Error> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret)?;
        Ok(Self { secret })
    }

    /// The same in every process: for logins that several share, each of which is a secret itself.
    pub fn shared() -> Self {
        Self { secret: [0; 32] }
    }

    /// The value for the pages of a session.
    pub fn value(&self, session: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(self.secret);
        hash.update(session.as_bytes());
        hex::encode(hash.finalize())
    }

    /// Whether somebody who could read our pages made the request.
    pub fn is_ours(&self, session: &str, value: &str) -> bool {
        self.value(session)
            .as_bytes()
            .ct_eq(value.as_bytes())
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_belongs_to_one_session_of_one_process() {
        let (one, two) = (Forgery::new().unwrap(), Forgery::new().unwrap());
        let value = one.value("a");
        assert!(one.is_ours("a", &value));
        assert!(!one.is_ours("b", &value));
        assert!(!two.is_ours("a", &value));
        assert!(!one.is_ours("a", ""));
    }

    #[test]
    fn a_shared_value_belongs_to_one_session_of_every_process() {
        let value = Forgery::shared().value("a");
        assert!(Forgery::shared().is_ours("a", &value));
        assert!(!Forgery::shared().is_ours("b", &value));
    }
}
