#![doc = include_str!("../README.md")]

mod access;
mod activation;
mod api;
mod catalog_prompt;
mod chat;
mod contents;
mod host;
mod machine;
mod mcp;
mod metrics;
mod problem;
mod router;
mod serve;
mod server;
mod shelf;
mod tool;
mod view;
mod watching;
mod web;

pub use access::{Access, AccessError, Role, Tokens};
pub use chat::{Chat, ChatEvent, Consent, Listener, Question, SessionSummary};
pub use contents::{Contents, ContentsError};
pub use host::{Host, HostError, Ran, Runs, ScriptRun, Standing, Switch};
pub use mcp::{McpError, serve_stdio};
pub use router::router;
pub use serve::{Bound, ServeError, bind};
pub use server::{Server, Settings};
