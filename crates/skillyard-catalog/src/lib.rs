#![doc = include_str!("../README.md")]

pub mod agents;
pub mod budget;
pub mod builtin;
mod cache_file;
pub mod catalog;
pub mod compatibility;
pub mod finder;
pub mod ignored;
mod index;
pub mod known_digests;
pub mod modes;
pub mod nested_skills;
mod parallel;
pub mod path_probe;
pub mod pattern_list;
pub mod private_dir;
pub mod prompt;
pub mod record;
pub mod regular_file;
pub mod requires;
pub mod resource;
pub mod search;
pub mod selection;
pub mod source;
pub mod status;
pub mod surroundings;
pub mod unhashable;
pub mod walk;
pub mod watch;

pub use catalog::{Catalog, CatalogSettings, CatalogSkill, Status};
pub use index::IndexUse;
pub use source::ProjectTrust;
