#![doc = include_str!("../README.md")]

pub mod archive;
pub mod candidate;
pub mod chronicle;
pub mod dependencies;
mod exchange;
pub mod export;
pub mod fetch;
mod flock;
pub mod git;
mod identity;
mod journal;
pub mod local;
pub mod lockfile;
pub mod manifest;
pub mod material;
mod occupant;
pub mod origin;
mod owner;
pub mod plan;
pub mod records;
pub mod reference;
pub mod scanned;
pub mod scope;
mod seen;
pub mod site;
pub mod staging;
pub mod store;
pub mod stored;
pub mod tags;
pub mod target;
pub mod text;
pub mod transaction;
pub mod tree;
mod write;

pub use journal::{Identity, recover_all, recover_moved};
