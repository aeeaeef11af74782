//! The server as strangers meet it: whole requests through its router.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod access;
mod agents;
mod api;
mod chat;
mod client;
mod consent;
mod context;
mod desk;
mod forms;
mod gateway;
mod held;
mod limits;
mod listener;
mod mcp;
mod mcp_batches;
mod mcp_sessions;
mod proxy;
mod redaction;
mod trouble;
mod under_way;
mod web;
mod who;
