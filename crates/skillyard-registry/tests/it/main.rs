//! The registry as its clients meet it, and as those who mean it no good do.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on stops where it is"
)]

mod archives;
mod attacks;
mod interfaces;
mod registry;
mod storage;
mod yard;
