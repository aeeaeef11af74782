//! The MCP client with servers of another implementation, and with hostile servers.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on stops where it is"
)]

#[path = "../../examples/mcp_fixture/handler.rs"]
mod handler;
mod hostile;
mod servers;
mod stage;
mod streams;
