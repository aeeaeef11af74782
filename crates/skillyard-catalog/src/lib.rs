#![doc = include_str!("../README.md")]

pub mod agents;
pub mod budget;
pub mod builtin;
pub mod catalog;
pub mod finder;
pub mod ignored;
mod index;
pub mod inner;
pub mod known_digests;
pub mod modes;
pub mod order;
pub mod own_folder;
mod parallel;
pub mod patterns;
pub mod prompt;
pub mod quirk;
pub mod record;
pub mod regular_file;
mod remembered;
pub mod requires;
pub mod resource;
mod same;
pub mod search;
pub mod selection;
pub mod source;
pub mod status;
pub mod text;
pub mod unhashable;
pub mod walk;
pub mod watch;
pub mod ways;

pub use catalog::{Catalog, CatalogSkill, ProjectTrust, Settings, Status};
pub use index::IndexUse;
