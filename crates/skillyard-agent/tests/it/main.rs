//! The runtime as a front end and a model meet it: one file a concern.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on stops where it is"
)]

mod changes;
mod context;
mod ends;
mod faults;
mod guard;
mod half_answers;
mod lab;
mod lent;
mod library;
mod loops;
mod poor_servers;
mod probes;
mod providers;
mod replays;
mod requirements;
mod searches;
mod server;
mod sessions;
mod stores;
mod strict_servers;
mod telemetry;
mod thinking;

/// PostgreSQL, which the registry's own tests start.
#[allow(clippy::print_stderr, reason = "a test that is left out says so")]
#[allow(dead_code, reason = "sessions need no bucket")]
#[path = "../../../skillyard-registry/tests/it/programs.rs"]
mod programs;
