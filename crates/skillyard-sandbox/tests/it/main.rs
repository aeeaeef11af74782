//! The sandbox under attack. Nothing is skipped: a machine that lacks a back end fails here.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on stops where it is"
)]

mod beside;
mod container;
mod escape;
mod lab;
mod lifecycle;
mod limits;
mod network;
mod policy;
mod programs;
