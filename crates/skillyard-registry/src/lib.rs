#![doc = include_str!("../README.md")]

mod auth;
pub mod blobs;
mod counter;
mod curation;
pub mod database;
mod endpoints;
pub mod error;
mod guard;
pub mod issuing;
mod listen;
pub mod maintenance;
pub mod names;
pub mod ownership;
pub mod package;
mod pages;
mod peer;
mod problem;
mod publishing;
pub mod rate;
pub mod registry;
pub mod role;
mod routes;
mod scoped;
pub mod search;
mod segments;
pub mod server;
mod squat;
pub mod store;
pub mod token;
mod transparency;

pub use blobs::Blobs;
pub use database::Database;
pub use error::RegistryError;
pub use registry::Registry;
pub use server::{Server, Settings};
