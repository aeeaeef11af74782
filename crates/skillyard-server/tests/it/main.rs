//! The server as strangers meet it: whole requests through its router.

mod access;
mod api;
mod chat;
mod context;
mod listener;
mod mcp;
mod web;
