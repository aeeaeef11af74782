//! A script of a skill on its way into the sandbox.
//!
//! `place` finds the skill and copies it while hashing it, `interpreter` finds who understands
//! the script, `approval` asks whether it may run, `declared` is what the skill says about
//! itself, and `profile` puts together what it may do.

pub(crate) mod approval;
mod declared;
pub(crate) mod interpreter;
pub(crate) mod place;
pub(crate) mod profile;
pub(crate) mod record;
pub(crate) mod sandboxed;
