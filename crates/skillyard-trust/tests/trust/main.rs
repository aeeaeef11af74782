//! Provenance, policy and approvals at their public boundary.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on stops where it is"
)]

mod approvals;
mod decisions;
mod policies;
