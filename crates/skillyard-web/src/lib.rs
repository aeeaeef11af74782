#![doc = include_str!("../README.md")]

pub mod address;
pub mod assets;
pub mod bearer;
pub mod caught;
pub mod cause;
pub mod login;
pub mod markdown;
pub mod mount;
mod nesting;
pub mod policy;
mod runs;
pub mod sight;
pub mod size;
pub mod tag;
mod tokens;
