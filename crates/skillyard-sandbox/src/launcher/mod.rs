//! The second stage: our own binary, started inside the sandbox that is being built.
//!
//! `main` must be the first thing a binary calls. If the arguments are the launcher's it takes
//! over: it gives up root, forks, and in the child sets resource limits, landlock and seccomp
//! before the program is executed. The parent stays outside these fences, waits, ends what is
//! left over and says through a pipe how the program ended; the program cannot forge that.

mod filter;
mod landlock;
mod lockdown;
mod seccomp;
pub(crate) mod spec;
pub(crate) mod staging;
mod supervise;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::{FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use crate::identity::Identity;
use spec::Spec;

pub(crate) use landlock::abi as landlock_abi;
pub(crate) use supervise::Report;

/// The first argument of a launcher; no command of a binary may be called like this.
pub const ARGUMENT: &str = "--sandbox-launcher";
/// Become the program of the specification, after giving up root: for bubblewrap.
pub(crate) const BECOME: &str = "become";
/// Run the program of the specification, fenced in.
pub(crate) const SUPERVISE: &str = "supervise";

/// Takes over if `arguments` are a launcher's, and returns its exit code then.
pub fn main(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if arguments.nth(1)? != ARGUMENT {
        return None;
    }
    let (mode, descriptor) = (arguments.next(), arguments.next());
    let spec = descriptor.and_then(|descriptor| read(&descriptor));
    Some(match (mode, spec) {
        (Some(mode), Some(spec)) => launch(&mode, &spec),
        _ => ExitCode::from(2),
    })
}

fn read(descriptor: &OsStr) -> Option<Spec> {
    let mut bytes = Vec::new();
    let descriptor = own(descriptor.to_str()?.parse().ok()?);
    File::from(descriptor).read_to_end(&mut bytes).ok()?;
    Spec::decode(&bytes)
}

/// Takes hold of a descriptor that was left open for us.
#[expect(unsafe_code, reason = "inherited descriptors come as numbers")]
fn own(descriptor: RawFd) -> OwnedFd {
    // SAFETY: the number comes from the process that started us, which left exactly these
    // open for us; each is taken once. A wrong number gives errors, which are handled.
    unsafe { OwnedFd::from_raw_fd(descriptor) }
}

fn launch(mode: &OsStr, spec: &Spec) -> ExitCode {
    let failed = |action: &'static str, error: std::io::Error| {
        Report::Failed {
            action: action.to_owned(),
            code: error.raw_os_error().unwrap_or(0),
        }
        .write(spec.status);
        ExitCode::from(125)
    };
    if let Err(error) = staging::mount_all(&spec.staged, spec.identity) {
        return failed("make the workspace's mount", error);
    }
    if let Some(identity) = spec.identity
        && let Err(error) = give_up_root(identity)
    {
        return failed("give up root", error);
    }
    match mode.to_str() {
        Some(BECOME) => failed("start bubblewrap", program(spec).exec()),
        Some(SUPERVISE) => supervise::run(spec),
        _ => ExitCode::from(2),
    }
}

/// The launcher has one thread, so a thread's identity is the process's.
fn give_up_root(identity: Identity) -> std::io::Result<()> {
    let uid = rustix::process::Uid::from_raw(identity.uid);
    let gid = rustix::process::Gid::from_raw(identity.gid);
    set_thread_groups(&[])?;
    set_thread_res_gid(gid, gid, gid)?;
    set_thread_res_uid(uid, uid, uid)?;
    Ok(())
}

/// The program with its arguments and nothing but its own environment.
#[expect(clippy::disallowed_methods, reason = "this is where programs start")]
fn program(spec: &Spec) -> Command {
    use std::os::unix::ffi::OsStrExt as _;
    let mut words = spec.argv.iter();
    let mut command = Command::new(words.next().map_or(OsStr::new(""), OsString::as_os_str));
    command.args(words).env_clear().current_dir(&spec.directory);
    for variable in &spec.environment {
        let bytes = variable.as_bytes();
        let at = bytes
            .iter()
            .position(|byte| *byte == b'=')
            .unwrap_or(bytes.len());
        let value = bytes.get(at + 1..).unwrap_or_default();
        command.env(OsStr::from_bytes(&bytes[..at]), OsStr::from_bytes(value));
    }
    command
}
