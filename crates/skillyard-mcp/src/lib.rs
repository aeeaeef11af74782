#![doc = include_str!("../README.md")]

mod connection;
mod error;
mod handshake;
mod limits;
mod listing;
mod name;
mod outcome;
mod progress;
mod rpc;
mod schema;
mod servers;
mod skill;
mod spec;
mod tool;
mod wire;

pub use connection::{Change, Connection, Hello, Protocol};
pub use error::McpError;
pub use limits::Limits;
pub use name::is_server_name;
pub use outcome::{Ending, Outcome, marked};
pub use progress::{Progress, Step};
pub use servers::{Called, ServerState, Servers};
pub use skill::{Manifest, PublishedFile, PublishedSkill, Rejected, Skills};
pub use spec::{Launch, ServerSpec, Transport};
pub use tool::{Tool, Tools};
pub use wire::end_all;
