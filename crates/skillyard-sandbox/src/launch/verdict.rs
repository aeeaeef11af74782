//! How a program ended.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::time::Duration;

use super::failed;
use crate::command::Command;
use crate::error::SandboxError;
use crate::launcher::report::{LaunchStep, Report, Usage};
use crate::outcome::{Captured, Denial, End, Limit, Outcome};
use crate::profile::Profile;
use crate::pump::Pumped;
use crate::sandbox::Sandbox;

/// What the launcher and the system say about the end.
pub(super) fn judge(
    sandbox: &Sandbox,
    command: &Command,
    pumped: Pumped,
    (mut bytes, status): (Vec<u8>, OwnedFd),
    profile: &Profile,
) -> Result<Outcome, SandboxError> {
    // Everybody who could write to the pipe has ended.
    let _ = File::from(status).read_to_end(&mut bytes);
    let report = Report::read(&bytes);
    let none = Usage { memory: 0, cpu: 0 };
    let (end, usage) = match (pumped.stopped, report) {
        (_, Some(Report::Failed(step, error))) => return Err(failure(command, step, error)),
        (Some(stop), _) => (stop.into(), none),
        (None, Some(Report::Exited(code, usage))) => (End::Exited(code), usage),
        (None, Some(Report::Signalled(signal, usage))) => (End::Signalled(signal), usage),
        (None, None) => {
            let said = pumped.stderr.text();
            let said = said.trim();
            let message = if said.is_empty() {
                pumped.status.to_string()
            } else {
                said.to_owned()
            };
            return Err(SandboxError::Broken {
                backend: sandbox.backend,
                message,
            });
        }
    };
    let mut denials = Vec::new();
    match end {
        End::Stopped(limit) => denials.push(Denial::Limit(limit)),
        End::Signalled(libc::SIGXCPU) => denials.push(Denial::Limit(Limit::Cpu)),
        End::Signalled(libc::SIGXFSZ) => denials.push(Denial::Limit(Limit::FileSize)),
        End::Signalled(libc::SIGSYS) => denials.push(Denial::SystemCall),
        End::Signalled(_) | End::Exited(_) | End::Cancelled => {}
    }
    let is_cut = |captured: &Captured| captured.omitted() > 0;
    if is_cut(&pumped.stdout) || is_cut(&pumped.stderr) {
        denials.push(Denial::Limit(Limit::Output));
    }
    Ok(Outcome {
        end,
        stdout: pumped.stdout,
        stderr: pumped.stderr,
        duration: Duration::ZERO,
        cpu: Duration::from_micros(usage.cpu),
        peak_memory: pumped.peak_memory.max(usage.memory * 1024),
        denials,
        connections: Vec::new(),
        created: Vec::new(),
        backend: sandbox.backend,
        limits: profile.limits,
    })
}

fn failure(command: &Command, step: LaunchStep, error: i32) -> SandboxError {
    match step {
        LaunchStep::Execute | LaunchStep::Directory => SandboxError::Start {
            program: command.program.clone(),
            reason: io::Error::from_raw_os_error(error).to_string(),
        },
        step => failed(step, error),
    }
}
