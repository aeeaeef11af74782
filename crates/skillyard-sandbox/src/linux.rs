//! Running a program through our launcher, inside bubblewrap or alone.

mod bubblewrap;
mod command_line;
mod guard;
mod monitor;
mod mounts;
mod orders;
mod protection;
mod scratch;
mod start;
mod system_paths;

use std::cell::OnceCell;
use std::process::Child;

use crate::backend::Backend;
use crate::command::{Command, Live};
use crate::error::{Doing as _, SandboxError};
use crate::outcome::Outcome;
use crate::processes;
use crate::profile::{Network, Profile};
use crate::proxy::Proxy;
use crate::pump::{self, Patience, Running};
use crate::setup::Setup;

use monitor::{Inspector, outcome};
use scratch::Scratch;
use start::{Started, start};

/// How often a sandbox is set up again because its workspace changed meanwhile.
const MAX_TRIES: usize = 5;

pub(crate) fn run(
    setup: &Setup,
    profile: &Profile,
    command: &Command,
    live: Live<'_>,
) -> Result<Outcome, SandboxError> {
    let scratch = match setup.backend {
        Backend::Bubblewrap => None,
        _ => Some(Scratch::make(&setup.temporary, setup.identity).doing("make a private folder")?),
    };
    let mut tries = 1;
    // The program has not begun where this fails.
    let begun = loop {
        match start(setup, profile, command, scratch.as_ref()) {
            Err(SandboxError::Changed { .. }) if tries < MAX_TRIES => tries += 1,
            other => break other?,
        }
    };
    let Started {
        protection,
        since: started,
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
        setup,
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
    let mut outcome = outcome(setup, command, pumped, (said, status), profile)?;
    outcome.duration = duration;
    inspection.correct(&mut outcome);
    outcome.denials.extend(decisions.denials);
    outcome.connections = decisions.connections;
    outcome.denials.extend(protection.violations());
    outcome.created = protection.created();
    Ok(outcome)
}

/// Ends what did not end when it was asked to: the process that holds the others comes last,
/// so that no process is left when it exits.
fn end_by_force(child: &mut Child, patience: Patience) {
    if !processes::end_below(child.id()) || patience == Patience::Over {
        let _ = child.kill();
    }
}
