#![doc = include_str!("../README.md")]

pub mod fetch;
pub mod reference;
