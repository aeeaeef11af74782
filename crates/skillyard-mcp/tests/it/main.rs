//! Our client and servers of another implementation, and servers that mean ill.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on stops where it is"
)]

#[path = "../../examples/fixture/handler.rs"]
mod handler;
mod hostile;
mod servers;
mod stage;
mod streams;
