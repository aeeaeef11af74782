//! What went wrong inside, on its way to the log of whoever serves. It travels with an answer as
//! an extension, and never in it.

use std::error::Error;

/// What went wrong inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause(pub String);

impl Cause {
    /// An error and what caused it, in one line.
    pub fn of(error: &dyn Error) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        Self(text)
    }
}
