//! The registry as its clients meet it, and as those who mean it no good do.

#![allow(
    clippy::print_stderr,
    clippy::too_many_lines,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops where it is, and one that is left out says so"
)]

mod archives;
mod attacks;
mod audit;
mod copies;
mod interfaces;
mod log;
mod login;
mod names;
mod namespaces;
mod openapi;
mod pages;
mod programs;
mod registry;
mod searching;
mod storage;
mod tags;
mod tokens;
mod yard;
