//! The launcher: what runs between Skillyard and the sandboxed program, in our own binary.
//!
//! [`main`] must be the first call of a binary. If the arguments are the launcher's, it takes
//! over. As root it makes mounts, gives up root and executes the next program; inside the
//! sandbox it restricts itself, starts the program and supervises it.

pub(crate) mod landlock;
pub(crate) mod orders;
pub(crate) mod report;
pub(crate) mod root;
mod seccomp;
mod stage;
mod syscalls;

use std::ffi::OsString;
use std::os::fd::{FromRawFd as _, OwnedFd, RawFd};
use std::process::ExitCode;

/// The first argument of a launcher; no command of a binary may have this name.
pub const ARGUMENT: &str = "--sandbox-launcher";
/// Make mounts as root, give up root, and execute another program.
pub(crate) const BECOME: &str = "become";
/// Restrict a program, run it, and report how it ended.
pub(crate) const SUPERVISE: &str = "supervise";

/// The exit code of a launcher that failed or was told to end everything.
const FAILED: u8 = 125;

/// Whether a program with these arguments was started as the launcher.
pub(crate) fn is_launcher(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.nth(1).is_some_and(|word| word == ARGUMENT)
}

/// Takes over if `arguments` are a launcher's, and returns its exit code then.
pub fn main(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if arguments.nth(1)? != ARGUMENT {
        return None;
    }
    let (mode, descriptor) = (arguments.next()?, arguments.next()?);
    let descriptor = descriptor.to_str().and_then(|number| number.parse().ok());
    let code = match (mode.to_str(), descriptor) {
        (Some(BECOME), Some(descriptor)) => root::run(descriptor),
        (Some(SUPERVISE), Some(descriptor)) => stage::run(descriptor),
        _ => 2,
    };
    Some(ExitCode::from(code))
}

/// Takes ownership of a descriptor that the process which started us left open for us.
#[expect(unsafe_code, reason = "inherited descriptors come as numbers")]
fn inherited(descriptor: RawFd) -> OwnedFd {
    // SAFETY: the number comes from the process that started us, which left exactly these
    // open for us; each is taken once. A wrong number gives errors, which are handled.
    unsafe { OwnedFd::from_raw_fd(descriptor) }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_launcher_is_known_by_its_first_argument() {
        let is_launcher = |words: &[&str]| super::is_launcher(words.iter().map(Into::into));
        assert!(is_launcher(&["host", super::ARGUMENT, super::BECOME, "3"]));
        assert!(!is_launcher(&["host", "run", super::ARGUMENT]));
        assert!(!is_launcher(&["host"]));
    }
}
