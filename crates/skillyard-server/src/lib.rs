#![doc = include_str!("../README.md")]

mod access;
mod activation;
mod agent_cards;
mod agents;
mod api;
mod audit;
mod catalog_cache;
mod catalog_watch;
mod chat;
mod command_line;
mod concurrency;
mod consent;
mod contents;
mod conversation_skills;
mod gate;
mod host;
mod inspection;
mod log;
mod lookup;
mod mcp;
mod metrics;
mod monitoring;
mod mounted_registry;
mod path_redactor;
mod problem;
mod rate_limit;
mod replay;
mod request_context;
mod router;
mod script;
mod serve;
mod server;
mod telemetry;
mod tool;
mod turn;
mod upstream;
mod usage;
mod view;
mod web;

pub use access::{Access, AccessError, Holder, Role, Tokens};
pub use agents::{Agents, AgentsError, Models, NewSession};
pub use catalog_watch::Watch;
pub use contents::{Contents, ContentsError};
pub use host::install::{Installation, Installing, Order, OrderScope, Refusal, RevokedSkill};
pub use host::{
    Alteration, Executed, Host, HostError, Portions, Ran, Revocation, Runs, ScriptRun, SkillTrust,
    Switch,
};
pub use log::LogLine;
pub use mcp::{McpError, serve_stdio};
pub use mounted_registry::{MountedRegistry, Readers};
pub use router::router;
pub use serve::{Bound, ServeError, bind};
pub use server::{Server, Settings};
pub use skillyard_http::Proxy;
