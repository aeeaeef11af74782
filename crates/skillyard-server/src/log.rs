//! What the server's own log says: who asked for what, and what went wrong inside.

use axum::response::Response;
use serde::Serialize;
use skillyard_http::cause::Cause;

/// A line of the log; it never holds what somebody said or sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum LogLine<'a> {
    /// A request was answered.
    Request {
        /// How it was asked.
        method: &'a str,
        /// What was asked for, without what stands behind a `?`.
        path: &'a str,
        /// The status of the answer.
        status: u16,
        /// How long the answer took to begin.
        milliseconds: u64,
        /// What whoever asked may do, if that is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        role: Option<&'a str>,
        /// The trace that the request belongs to.
        #[serde(skip_serializing_if = "Option::is_none")]
        trace: Option<&'a str>,
    },
    /// Something went wrong that whoever asked was told nothing about.
    Failure {
        /// What was being done.
        what: &'a str,
        /// What went wrong.
        cause: &'a str,
    },
}

/// What went wrong inside with an answer.
pub(crate) fn cause(response: &Response) -> Option<&str> {
    let cause = response.extensions().get::<Cause>();
    cause.map(|Cause(text)| text.as_str())
}
