#![doc = include_str!("../README.md")]

pub mod agent;
pub mod front_end;
pub mod host;
pub mod invocation;
pub mod mcp_client;
pub mod message;
pub mod mode;
pub mod probe;
pub mod prompt;
pub mod provider;
pub mod replay;
mod router;
pub mod script;
pub mod session;
pub mod settings;
pub mod shelf;
pub mod telemetry;
pub mod tool;
pub mod tool_spec;
pub mod trace_context;
mod turn;
pub mod workspace;

pub use turn::{Runtime, TurnEnd, TurnError};
