//! Archives, hostile and honest, against the reader.

#![allow(
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "tables of attacks are long, and a test that cannot go on stops where it is"
)]

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
