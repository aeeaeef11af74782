#![doc = include_str!("../README.md")]

pub mod approval;
pub mod guard;
pub mod policy;
pub mod provenance;
pub mod signature;
pub mod tier;
pub mod transparency;
pub mod verdict;
mod wildcard;
