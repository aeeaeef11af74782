#![doc = include_str!("../README.md")]

mod ignored;
pub mod resource;
pub mod search;
pub mod walk;
pub mod watch;
