#![doc = include_str!("../README.md")]

mod answering;
pub mod host;
mod listener;
mod patient;
mod places;
mod proxy;
mod room;
mod upload;

pub use listener::{Limits, listen};
pub use proxy::Proxy;
