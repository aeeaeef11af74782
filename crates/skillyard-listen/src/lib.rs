#![doc = include_str!("../README.md")]

mod answering;
mod listener;
mod patient;
mod places;

pub use listener::{Limits, listen};
