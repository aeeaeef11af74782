//! The fences that a process puts around itself before it becomes the program.

use std::io;

use rustix::thread::set_no_new_privs;

use super::spec::{Fences, Spec};
use super::{landlock, seccomp};

/// Puts all fences up; the order matters, because each one takes away what an earlier one needs.
pub(super) fn apply(spec: &Spec) -> Result<(), (&'static str, io::Error)> {
    if spec.fences != Fences::Off {
        set_no_new_privs(true).map_err(|error| ("refuse new privileges", error.into()))?;
    }
    for (resource, value) in &spec.limits {
        limit(*resource, *value).map_err(|error| ("set a resource limit", error))?;
    }
    let path = std::env::set_current_dir(&spec.directory);
    path.map_err(|error| ("enter the working directory", error))?;
    if spec.fences == Fences::Off {
        return Ok(());
    }
    landlock::restrict(spec).map_err(|error| ("restrict files", error))?;
    seccomp::restrict(spec).map_err(|error| ("restrict system calls", error))
}

/// Sets a limit for good, or keeps a lower one that is there already.
#[expect(
    unsafe_code,
    reason = "resources are numbers here, and the safe wrapper has names"
)]
fn limit(resource: u32, value: u64) -> io::Result<()> {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the pointer is to a structure of the right type that outlives the call.
    if unsafe { libc::getrlimit(resource, &raw mut limit) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let value = value.min(limit.rlim_max);
    limit.rlim_cur = value;
    // The first signal about processor time says what it is about, the last one only kills.
    limit.rlim_max = match resource {
        libc::RLIMIT_CPU => limit.rlim_max.min(value + 1),
        _ => value,
    };
    // SAFETY: as above; the structure is only read.
    if unsafe { libc::setrlimit(resource, &raw const limit) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
