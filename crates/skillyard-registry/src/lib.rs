#![doc = include_str!("../README.md")]

mod auth;
pub mod blobs;
mod counter;
pub mod database;
mod endpoints;
pub mod error;
mod guard;
mod kept;
mod look;
pub mod maintenance;
pub mod names;
mod openapi;
pub mod package;
mod pages;
mod peer;
mod problem;
pub mod rate;
pub mod registry;
mod routes;
pub mod search;
mod segments;
pub mod server;
mod sheet;
pub mod store;
mod tag;
pub mod token;
mod transparency;

pub use blobs::Blobs;
pub use database::Database;
pub use error::RegistryError;
pub use registry::Registry;
pub use server::{Server, Settings};
