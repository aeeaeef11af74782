//! Looking at a running program, and judging how it ended.

use std::cell::OnceCell;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::process::Child;
use std::time::Duration;

use super::scratch::Scratch;
use crate::backend::Backend;
use crate::cgroup::Group;
use crate::command::Command;
use crate::error::SandboxError;
use crate::launcher::report::{Report, Usage};
use crate::outcome::{Captured, Denial, Limit, Outcome, RunEnd};
use crate::processes;
use crate::profile::Profile;
use crate::pump::{Inspection, Pumped};
use crate::setup::Setup;

/// Looks at the processes from time to time.
pub(super) struct Inspector<'a> {
    pub(super) setup: &'a Setup,
    pub(super) profile: &'a Profile,
    pub(super) scratch: Option<&'a Scratch>,
    /// Made at the first look, where groups can be made.
    pub(super) group: OnceCell<Option<Group>>,
}

impl Inspector<'_> {
    pub(super) fn look(&self, child: &Child) -> Inspection {
        // The stage is one of them inside bubblewrap, and the one that holds them otherwise.
        let stages = usize::from(self.setup.backend == Backend::Bubblewrap);
        let below = processes::below(child.id());
        let below = below.get(stages..).unwrap_or_default();
        let memory = processes::memory(below);
        let over = |used: u64, limit: u64, name: Limit| (used > limit).then_some(name);
        let limits = &self.profile.limits;
        let full = self
            .scratch
            .is_some_and(|scratch| scratch.is_over(limits.scratch));
        let reached = over(memory, limits.memory, Limit::Memory)
            .or_else(|| self.is_short_of_memory(below).then_some(Limit::Memory))
            .or_else(|| full.then_some(Limit::Scratch));
        Inspection { memory, reached }
    }

    /// Puts the program into its group, and reports whether the kernel killed a process there.
    fn is_short_of_memory(&self, below: &[u32]) -> bool {
        let made = || {
            let groups = self.setup.survey.groups.as_ref()?;
            // Without a group the limits are kept by looking, as they are where there are none.
            Group::make(groups, &self.profile.limits).ok()
        };
        let Some(group) = self.group.get_or_init(made) else {
            return false;
        };
        group.gather(below);
        group.killed_for_memory() > 0
    }

    /// The kernel may have ended the program between two looks.
    pub(super) fn correct(&self, outcome: &mut Outcome) {
        let Some(group) = self.group.get().and_then(Option::as_ref) else {
            return;
        };
        outcome.peak_memory = outcome.peak_memory.max(group.peak_memory());
        let is_ours = matches!(outcome.end, RunEnd::Stopped(_) | RunEnd::Cancelled);
        if group.killed_for_memory() > 0 && !is_ours {
            if outcome.end == RunEnd::Signalled(libc::SIGKILL) {
                outcome.end = RunEnd::Stopped(Limit::Memory);
            }
            outcome.denials.push(Denial::Limit(Limit::Memory));
        }
    }
}

/// What the launcher and the system say about the end.
pub(super) fn outcome(
    setup: &Setup,
    command: &Command,
    pumped: Pumped,
    (mut bytes, status): (Vec<u8>, OwnedFd),
    profile: &Profile,
) -> Result<Outcome, SandboxError> {
    // Every process that could write to the pipe has exited.
    let _ = File::from(status).read_to_end(&mut bytes);
    let report = Report::read(&bytes);
    let none = Usage { memory: 0, cpu: 0 };
    let (end, usage) = match (pumped.stopped, report) {
        (_, Some(Report::Failed(action, error))) => {
            let source = io::Error::from_raw_os_error(error);
            return Err(SandboxError::Launcher { action, source });
        }
        (_, Some(Report::NotStarted(error))) => {
            return Err(SandboxError::Start {
                program: command.program.clone(),
                reason: io::Error::from_raw_os_error(error).to_string(),
            });
        }
        (Some(stop), _) => (stop.into(), none),
        (None, Some(Report::Exited(code, usage))) => (RunEnd::Exited(code), usage),
        (None, Some(Report::Signalled(signal, usage))) => (RunEnd::Signalled(signal), usage),
        (None, None) => {
            let said = pumped.stderr.text();
            let said = said.trim();
            let message = if said.is_empty() {
                pumped.status.to_string()
            } else {
                said.to_owned()
            };
            return Err(SandboxError::Broken {
                backend: setup.backend,
                message,
            });
        }
    };
    let mut denials = Vec::new();
    match end {
        RunEnd::Stopped(limit) => denials.push(Denial::Limit(limit)),
        RunEnd::Signalled(libc::SIGXCPU) => denials.push(Denial::Limit(Limit::Cpu)),
        RunEnd::Signalled(libc::SIGXFSZ) => denials.push(Denial::Limit(Limit::FileSize)),
        RunEnd::Signalled(libc::SIGSYS) => denials.push(Denial::SystemCall),
        RunEnd::Signalled(_) | RunEnd::Exited(_) | RunEnd::Cancelled => {}
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
        backend: setup.backend,
        limits: profile.limits,
    })
}
