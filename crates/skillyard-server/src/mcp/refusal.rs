//! What goes wrong, as clients of MCP are told it: without the places of this machine, and what is
//! the server's own trouble as such.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};

use super::caller::Caller;
use super::skills::invalid;
use crate::problem::Problem;
use crate::server::Server;

/// A problem as the error of a request.
pub(super) fn error(server: &Server, caller: &Caller, problem: &Problem) -> ErrorData {
    let text = words(server, caller, problem);
    if problem.status().is_server_error() {
        ErrorData::internal_error(text, None)
    } else {
        invalid(text)
    }
}

/// A problem as the result of a tool, which the model reads and may do better.
pub(super) fn result(server: &Server, caller: &Caller, problem: &Problem) -> CallToolResult {
    failed(words(server, caller, problem))
}

/// The same of words that no place stands in.
pub(super) fn failed(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text.into())])
}

/// What they are told; what went wrong inside goes into the log.
fn words(server: &Server, caller: &Caller, problem: &Problem) -> String {
    server.log_trouble("MCP", problem);
    caller.viewer(server).veil().over(problem.detail())
}
