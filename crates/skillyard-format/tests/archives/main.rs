//! Archives, hostile and honest, against the reader.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the answer")]

mod corpus;
mod delivery;
mod honest;
mod hostile;
mod memory;
mod mutate;
mod name_attacks;
mod pack;
mod real_tools;
mod repository;
mod stream_attacks;
mod support;
mod tar_attacks;
mod zip_attacks;
