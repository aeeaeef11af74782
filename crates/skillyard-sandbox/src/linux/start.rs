//! Starting a sandbox, up to the moment when its program begins.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Pid;

use super::command_line::{bubblewrap_command, stage_command};
use super::mounts::{EnterError, enter};
use super::orders::stage_orders;
use super::protection::{Protection, is_change};
use super::scratch::Scratch;
use crate::backend::Backend;
use crate::command::{Command, Stdin};
use crate::error::{Doing as _, SandboxError};
use crate::launcher::orders::ProxyListener;
use crate::launcher::report::READY;
use crate::profile::{Network, Profile};
use crate::proxy;
use crate::pump::Feed;
use crate::setup::Setup;
use crate::spawn::{self, StartPlan};

/// More than `bwrap` ever says about a process.
const MAX_SAID: usize = 4096;

/// A sandbox whose program begins.
pub(super) struct Started {
    pub(super) protection: Protection,
    pub(super) since: Instant,
    pub(super) child: Child,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    pub(super) input: Feed,
    /// What the launcher has said of its end so far.
    pub(super) said: Vec<u8>,
    /// Our ends of control, status and the proxy's channel.
    pub(super) lines: (OwnedFd, OwnedFd, Option<OwnedFd>),
}

/// Makes the sandbox and lets its program begin.
pub(super) fn start(
    setup: &Setup,
    profile: &Profile,
    command: &Command,
    scratch: Option<&Scratch>,
) -> Result<Started, SandboxError> {
    let protection = Protection::prepare(setup, profile, command)?;
    let started = Instant::now();
    let (control, status) = (pipe(setup)?, pipe(setup)?);
    let proxy = match profile.network {
        Network::Hosts(_) => Some(proxy::channel().doing("make a socket")?),
        Network::None | Network::Full => None,
    };
    let mut spec = stage_orders(setup, profile, command, scratch);
    spec.control = control.0.as_raw_fd();
    spec.status = status.1.as_raw_fd();
    spec.proxy = proxy.as_ref().map(|(_, theirs)| ProxyListener {
        channel: theirs.as_raw_fd(),
        port: proxy::PORT,
    });
    let (mut told, mut telling) = (None, None);
    if !protection.steps.is_empty() {
        spec.waits_for_mounts = true;
        let (ours, theirs) = pipe(setup)?;
        (told, telling) = (Some(ours), Some(theirs));
    }
    let prepared = match setup.backend {
        Backend::Bubblewrap => bubblewrap_command(setup, profile, &spec, telling.as_ref())?,
        _ => stage_command(setup, profile, &spec)?,
    };
    let (stdout, stderr) = (pipe(setup)?, pipe(setup)?);
    let (stdin, input) = stdin(setup, command)?;
    let mut kept: Vec<BorrowedFd<'_>> = prepared.kept.iter().map(|each| each.as_fd()).collect();
    kept.extend([control.0.as_fd(), status.1.as_fd()]);
    kept.extend(proxy.as_ref().map(|(_, theirs)| theirs.as_fd()));
    kept.extend(telling.as_ref().map(|each| each.as_fd()));
    let plan = StartPlan {
        argv: &prepared.argv,
        stdio: [stdin, stdout.1, stderr.1],
        kept: &kept,
        identity: prepared.identity,
    };
    let mut begun = Started {
        child: plan.spawn().doing("start a process")?,
        lines: (control.1, status.0, proxy.map(|(ours, _)| ours)),
        stdout: stdout.0,
        stderr: stderr.0,
        said: Vec::new(),
        protection,
        since: started,
        input,
    };
    // While we hold the other ends of the pipes there would be no end.
    drop((prepared, telling, control.0, status.1));
    if let Some(told) = told
        && let Err(error) = begun.go_in(setup, profile, told)
    {
        let _ = begun.child.kill();
        let _ = begun.child.wait();
        return Err(error);
    }
    Ok(begun)
}

impl Started {
    /// Does what is to be done in the sandbox, and lets the program begin. A sandbox that could
    /// not be made says so itself when it has ended.
    fn go_in(
        &mut self,
        setup: &Setup,
        profile: &Profile,
        told: OwnedFd,
    ) -> Result<(), SandboxError> {
        let action = "look into the sandbox";
        let first = first_byte(&self.lines.1, profile.limits.wall).doing(action)?;
        if first != Some(READY) {
            self.said.extend(first);
            return Ok(());
        }
        let process = process(told).doing(action)?;
        enter(process, setup.identity, &self.protection.steps)
            .map_err(|failed| self.unprotected(failed))?;
        let control = File::from(self.lines.0.try_clone().doing(action)?);
        (&control).write_all(&[0]).doing(action)
    }

    fn unprotected(&self, EnterError { step, error }: EnterError) -> SandboxError {
        use std::os::unix::ffi::OsStrExt as _;
        match step.and_then(|step| self.protection.steps.get(step)) {
            Some(step) if is_change(&error) => SandboxError::Changed {
                path: PathBuf::from(std::ffi::OsStr::from_bytes(step.path.as_bytes())),
                source: error,
            },
            _ => SandboxError::Setup {
                action: "protect places in the workspace",
                source: error,
            },
        }
    }
}

/// The first byte that comes; none at the end, or when there is none for too long.
fn first_byte(status: &OwnedFd, patience: Duration) -> io::Result<Option<u8>> {
    let deadline = Instant::now() + patience;
    loop {
        let rest = deadline.saturating_duration_since(Instant::now());
        let rest = Timespec::try_from(rest).ok();
        let mut watched = [PollFd::new(status, PollFlags::IN)];
        match poll(&mut watched, rest.as_ref()) {
            Ok(0) => return Ok(None),
            Ok(_) => break,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let mut byte = [0];
    Ok((rustix::io::read(status, &mut byte)? == 1).then_some(byte[0]))
}

/// The first process in the sandbox, which `bwrap` names before that begins.
fn process(told: OwnedFd) -> io::Result<Pid> {
    let mut text = [0; MAX_SAID];
    let length = File::from(told).read(&mut text)?;
    let text = String::from_utf8_lossy(&text[..length]);
    let number = text.split_once("\"child-pid\":").map(|(_, rest)| {
        let digits = rest.trim_start();
        let end = digits.find(|each: char| !each.is_ascii_digit());
        digits[..end.unwrap_or(digits.len())].parse::<i32>()
    });
    let process = number.and_then(Result::ok).and_then(Pid::from_raw);
    process.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn pipe(setup: &Setup) -> Result<(OwnedFd, OwnedFd), SandboxError> {
    spawn::pipe(setup.identity).doing("make a pipe")
}

fn stdin(setup: &Setup, command: &Command) -> Result<(OwnedFd, Feed), SandboxError> {
    Ok(match &command.stdin {
        Stdin::Empty => {
            let nothing = File::open("/dev/null").doing("open `/dev/null`")?;
            (nothing.into(), None)
        }
        // A file, or a pipe of another user, could be read but not opened by its name.
        Stdin::Inherited if !io::stdin().is_terminal() => {
            let (read, write) = pipe(setup)?;
            // It ends with the input, with the program, or with us.
            std::thread::spawn(move || io::copy(&mut io::stdin(), &mut File::from(write)));
            (read, None)
        }
        Stdin::Inherited => {
            let own = io::stdin().as_fd().try_clone_to_owned();
            (own.doing("hand over the input")?, None)
        }
        Stdin::Bytes(bytes) => {
            let (read, write) = pipe(setup)?;
            (read, Some((write, bytes.clone())))
        }
    })
}
