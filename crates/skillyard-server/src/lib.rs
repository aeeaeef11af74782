#![doc = include_str!("../README.md")]

mod absent;
mod access;
mod activation;
mod agents;
mod api;
mod asker;
mod catalog_prompt;
mod chat;
mod consent;
mod contents;
mod host;
mod inspection;
mod installing;
mod log;
mod losses;
mod machine;
mod mcp;
mod metrics;
mod mounted;
mod problem;
mod quota;
mod replaying;
mod roster;
mod router;
mod script;
mod serve;
mod served;
mod server;
mod shelf;
mod tool;
mod under_way;
mod usage;
mod veil;
mod view;
mod watching;
mod web;

pub use access::{Access, AccessError, Holder, Role, Tokens};
pub use agents::{Agents, AgentsError, Models, Wish};
pub use contents::{Contents, ContentsError};
pub use host::{
    Alteration, Executed, Host, HostError, Portions, Ran, Revocation, Runs, ScriptRun, Standing,
    Switch,
};
pub use installing::{Installation, Installing, Order, OrderScope, Refusal, RevokedSkill};
pub use log::Line;
pub use mcp::{McpError, serve_stdio};
pub use mounted::{MountedRegistry, Readers};
pub use router::router;
pub use serve::{Bound, ServeError, bind};
pub use server::{Server, Settings};
pub use skillyard_http::Proxy;
pub use watching::Watch;
