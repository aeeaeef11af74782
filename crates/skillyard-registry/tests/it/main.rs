//! The registry as its clients meet it, and as those who mean it no good do.

#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test that cannot go on stops where it is, and one that is left out says so"
)]

mod archives;
mod attacks;
mod interfaces;
mod log;
mod openapi;
mod pages;
mod programs;
mod registry;
mod storage;
mod yard;
