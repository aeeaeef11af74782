#![doc = include_str!("../README.md")]

pub mod resource;
pub mod search;
pub mod watch;
