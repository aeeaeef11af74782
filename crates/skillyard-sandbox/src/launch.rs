//! Running a program through our launcher, inside bubblewrap or alone.

mod begin;
mod guarded;
mod inspector;
mod lines;
mod orders;
mod prepared;
mod verdict;

use std::cell::OnceCell;
use std::io;
use std::process::Child;

use crate::backend::Backend;
use crate::command::{Command, Live};
use crate::error::{Doing as _, SandboxError};
use crate::launcher::report::LaunchStep;
use crate::outcome::Outcome;
use crate::processes;
use crate::profile::{Network, Profile};
use crate::proxy::Proxy;
use crate::pump::{self, Patience, Running};
use crate::sandbox::Sandbox;
use crate::scratch::Scratch;

use begin::{Begun, begin};
use inspector::Inspector;
use verdict::judge;

/// How often a sandbox is made anew because its workspace changed meanwhile.
const MAX_TRIES: usize = 5;

pub(crate) fn run(
    sandbox: &Sandbox,
    profile: &Profile,
    command: &Command,
    live: Live<'_>,
) -> Result<Outcome, SandboxError> {
    let scratch = match sandbox.backend {
        Backend::Bubblewrap => None,
        _ => Some(
            Scratch::make(&sandbox.temporary, sandbox.identity).doing("make a private folder")?,
        ),
    };
    let mut tries = 1;
    // The program has not begun where this fails.
    let begun = loop {
        match begin(sandbox, profile, command, scratch.as_ref()) {
            Err(SandboxError::Changed { .. }) if tries < MAX_TRIES => tries += 1,
            other => break other?,
        }
    };
    let Begun {
        protection,
        started,
        child,
        stdout,
        stderr,
        input,
        said,
        lines: (control, status, channel),
    } = begun;
    let proxy = match (&profile.network, channel) {
        (Network::Hosts(rules), Some(channel)) => Some(Proxy::start(channel, rules.clone())),
        _ => None,
    };
    let inspection = Inspector {
        sandbox,
        profile,
        scratch: scratch.as_ref(),
        group: OnceCell::new(),
    };
    let running = Running {
        child,
        stdout,
        stderr,
        stdin: input,
        control: Some(control),
        started,
        last_resort: Box::new(end_by_force),
        inspect: Box::new(|child| inspection.look(child)),
    };
    let pumped = pump::run(running, &profile.limits, live).doing("follow the program")?;
    let duration = started.elapsed();
    let decisions = proxy.map(Proxy::finish).unwrap_or_default();
    let mut outcome = judge(sandbox, command, pumped, (said, status), profile)?;
    outcome.duration = duration;
    inspection.correct(&mut outcome);
    outcome.denials.extend(decisions.denials);
    outcome.connections = decisions.connections;
    outcome.denials.extend(protection.violations());
    outcome.created = protection.created();
    Ok(outcome)
}

/// Ends what did not end when it was asked to: the process that holds the others comes last,
/// so that nobody can be left when it has gone.
fn end_by_force(child: &mut Child, patience: Patience) {
    if !processes::end_below(child.id()) || patience == Patience::Over {
        let _ = child.kill();
    }
}

fn failed(step: LaunchStep, code: i32) -> SandboxError {
    SandboxError::Launcher {
        action: step.name().to_owned(),
        source: io::Error::from_raw_os_error(code),
    }
}
