#![doc = include_str!("../README.md")]

pub mod approval;
pub mod guard;
pub mod obeyed;
pub mod policy;
pub mod provenance;
pub mod scan;
pub mod signature;
pub mod tier;
pub mod transparency;
pub mod verdict;
mod wildcard;
