//! Running a program through our launcher, inside bubblewrap or alone.

mod inspector;
mod lines;
mod orders;
mod prepared;
mod verdict;

use std::cell::OnceCell;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::time::Instant;

use crate::backend::Backend;
use crate::backend::guard::Guard;
use crate::backend::link::Links;
use crate::backend::placeholder::Placeholders;
use crate::command::{Command, Live};
use crate::error::{Doing as _, SandboxError};
use crate::launcher::Step;
use crate::outcome::{Denial, Outcome};
use crate::process::Process;
use crate::processes;
use crate::profile::{Mount, Network, Profile};
use crate::proxy::Proxy;
use crate::pump::{self, Patience, Running};
use crate::sandbox::Sandbox;
use crate::scratch::Scratch;
use crate::spawn::Start;

use inspector::Inspector;
use lines::{Lines, pipe, stdin};
use orders::spec;
use prepared::{alone, in_bubblewrap};
use verdict::judge;

pub(crate) fn run(
    sandbox: &Sandbox,
    profile: &Profile,
    command: &Command,
    live: Live<'_>,
) -> Result<Outcome, SandboxError> {
    let guarded = guarded(sandbox, profile).doing("protect places in the workspace")?;
    let scratch = match sandbox.backend {
        Backend::Bubblewrap => None,
        _ => Some(
            Scratch::make(&sandbox.temporary, sandbox.identity).doing("make a private folder")?,
        ),
    };
    let started = Instant::now();
    let lines = Lines::open(profile, sandbox.identity)?;
    let mut spec = spec(sandbox, profile, command, scratch.as_ref());
    spec.control = lines.control.0.as_raw_fd();
    spec.status = lines.status.1.as_raw_fd();
    spec.proxy = lines.proxy.as_ref().map(|(_, theirs)| theirs.as_raw_fd());
    let prepared = match sandbox.backend {
        Backend::Bubblewrap => in_bubblewrap(sandbox, profile, &spec, &guarded)?,
        _ => alone(sandbox, profile, &spec)?,
    };
    let (stdout, stderr) = (pipe(sandbox)?, pipe(sandbox)?);
    let (stdin, input) = stdin(sandbox, command)?;
    let mut kept: Vec<BorrowedFd<'_>> = prepared.kept.iter().map(|each| each.as_fd()).collect();
    kept.extend([lines.control.0.as_fd(), lines.status.1.as_fd()]);
    kept.extend(lines.proxy.as_ref().map(|(_, theirs)| theirs.as_fd()));
    let start = Start {
        argv: &prepared.argv,
        stdio: [stdin.as_fd(), stdout.1.as_fd(), stderr.1.as_fd()],
        kept: &kept,
        identity: prepared.identity,
    };
    let child = start.spawn().doing("start a process")?;
    // While we hold the other ends of the pipes there would be no end.
    drop((prepared, stdin, stdout.1, stderr.1));
    let (control, status, channel) = lines.ours();
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
        stdout: stdout.0,
        stderr: stderr.0,
        stdin: input,
        control: Some(control),
        started,
        last_resort: Box::new(end_by_force),
        inspect: Box::new(|child| inspection.look(child)),
    };
    let pumped = pump::run(running, &profile.limits, live).doing("follow the program")?;
    let duration = started.elapsed();
    let decisions = proxy.map(Proxy::finish).unwrap_or_default();
    let mut outcome = judge(sandbox, command, pumped, status, profile)?;
    outcome.duration = duration;
    inspection.correct(&mut outcome);
    outcome.denials.extend(decisions.denials);
    outcome.connections = decisions.connections;
    let replaced = guarded.links.put_back().doing("put links back")?;
    outcome
        .denials
        .extend(replaced.into_iter().map(Denial::Link));
    Ok(outcome)
}

/// What keeps places in writable folders as they are.
struct Guarded<'a> {
    guards: Vec<(&'a Mount, Guard)>,
    placeholders: Placeholders,
    links: Links,
}

/// Only bubblewrap can; the others refuse such a profile or hold nothing at all.
fn guarded<'a>(sandbox: &Sandbox, profile: &'a Profile) -> io::Result<Guarded<'a>> {
    let mut guards = Vec::new();
    let mut links = Links::default();
    if sandbox.backend == Backend::Bubblewrap {
        for mount in profile.writable() {
            let guard = Guard::of(&mount.source, &profile.protected)?;
            links.note(&mount.source, &guard);
            guards.push((mount, guard));
        }
    }
    Ok(Guarded {
        placeholders: Placeholders::make(&guards, sandbox.notes.as_deref())?,
        guards,
        links,
    })
}

/// Ends what did not end when it was asked to: the process that holds the others comes last,
/// so that nobody can be left when it has gone.
fn end_by_force(child: &Process, patience: Patience) {
    if !processes::end(child.id()) || patience == Patience::Over {
        child.kill();
    }
}

fn failed(step: Step, code: i32) -> SandboxError {
    SandboxError::Launcher {
        action: step.name().to_owned(),
        source: io::Error::from_raw_os_error(code),
    }
}
