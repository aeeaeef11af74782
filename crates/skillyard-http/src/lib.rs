#![doc = include_str!("../README.md")]

pub mod address;
pub mod assets;
pub mod cause;
mod connections;
pub mod headers;
pub mod login;
pub mod markdown;
pub mod mount;
pub mod origin;
pub mod visible;

pub use connections::{ConnectionLimits, listen};
pub use origin::Proxy;
