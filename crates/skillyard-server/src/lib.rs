#![doc = include_str!("../README.md")]

mod access;
mod activation;
mod contents;
mod host;
mod machine;
mod metrics;
mod problem;
mod router;
mod serve;
mod server;
mod shelf;
mod view;
mod watching;
mod web;

pub use access::{Access, AccessError, Role, Tokens};
pub use contents::{Contents, ContentsError};
pub use host::{Host, HostError, Standing, Switch};
pub use router::router;
pub use serve::{Bound, ServeError, bind};
pub use server::{Server, Settings};
