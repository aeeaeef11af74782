#![doc = include_str!("../README.md")]

pub mod address;
mod answering;
pub mod assets;
pub mod bearer;
pub mod caught;
pub mod cause;
pub mod host;
mod listener;
pub mod login;
pub mod markdown;
pub mod mount;
mod nesting;
mod patient;
mod places;
pub mod policy;
mod proxy;
mod room;
mod runs;
pub mod sight;
pub mod size;
pub mod tag;
mod tokens;
mod upload;

pub use listener::{Limits, listen};
pub use proxy::Proxy;
