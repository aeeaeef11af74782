//! What runs between us and the program: the stage inside the sandbox, and our own binary
//! where root has to prepare it.
//!
//! `main` must be the first thing a binary calls. If the arguments are the launcher's it takes
//! over: it makes mounts as root, gives root up and becomes the next program, or it is the
//! stage itself where the small one cannot be executed.

mod calls;
mod encoding;
mod filter;
mod instruction;
#[cfg(test)]
mod interpreter;
pub(crate) mod landlock;
mod outer;
mod seccomp;
pub(crate) mod spec;
mod stage;
pub(crate) mod staging;

use std::ffi::OsString;
use std::process::ExitCode;

pub(crate) use landlock::abi as landlock_abi;
pub(crate) use outer::{Outer, Staged};
pub(crate) use stage::report::{Report, Step};
pub(crate) use stage::{READY, call, processes};

/// The first argument of a launcher; no command of a binary may be called like this.
pub const ARGUMENT: &str = "--sandbox-launcher";
/// Become another program, after giving up root.
pub(crate) const BECOME: &str = "become";
/// Run a program, fenced in.
pub(crate) const SUPERVISE: &str = "supervise";

/// The stage as a program of its own; empty where it could not be built.
pub(crate) const STAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/stage"));

/// Whether a program with these arguments was started to be the launcher.
pub(crate) fn is_meant(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.nth(1).is_some_and(|word| word == ARGUMENT)
}

/// Takes over if `arguments` are a launcher's, and returns its exit code then.
pub fn main(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if arguments.nth(1)? != ARGUMENT {
        return None;
    }
    let (mode, descriptor) = (arguments.next()?, arguments.next()?);
    let descriptor = descriptor.to_str().and_then(|number| number.parse().ok());
    match (mode.to_str(), descriptor) {
        (Some(BECOME), Some(descriptor)) => Some(outer::run(descriptor)),
        (Some(SUPERVISE), Some(descriptor)) => stage::run(descriptor),
        _ => Some(ExitCode::from(2)),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_launcher_is_known_by_its_first_argument() {
        let is_meant = |words: &[&str]| super::is_meant(words.iter().map(Into::into));
        assert!(is_meant(&["host", super::ARGUMENT, super::BECOME, "3"]));
        assert!(!is_meant(&["host", "run", super::ARGUMENT]));
        assert!(!is_meant(&["host"]));
    }

    #[test]
    fn the_stage_was_built_and_needs_nobody() {
        assert_eq!(super::STAGE.get(..4), Some(&b"\x7fELF"[..]));
        let names_an_interpreter = super::STAGE.windows(9).any(|part| part == b"ld-linux-");
        assert!(!names_an_interpreter && super::STAGE.len() < 64 * 1024);
    }
}
