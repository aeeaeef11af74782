#![doc = include_str!("../README.md")]

mod exchange;
mod flock;
mod journal;
pub mod lockfile;
pub mod manifest;
mod occupant;
pub mod origin;
pub mod plan;
pub mod scope;
pub mod store;
pub mod target;
pub mod transaction;
pub mod tree;
mod write;
