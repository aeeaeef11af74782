//! Moving bytes in and out of a running program, and stopping it when a limit is reached.

mod pipes;

use std::io;
use std::os::fd::OwnedFd;
use std::process::{Child, ExitStatus};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

pub(crate) use pipes::Feed;
use pipes::{Input, Stream};

use crate::command::Live;
use crate::outcome::{Captured, Limit, RunEnd};
use crate::profile::Limits;

/// How often the processes are looked at.
const TICK: Duration = Duration::from_millis(20);
/// How long a sandbox may take to end its program before it is ended itself.
const GRACE: Duration = Duration::from_millis(150);
/// How long it is tried to end every process before the one that holds them is ended.
const LAST_WAIT: Duration = Duration::from_secs(3);

/// Ends processes by force.
pub(crate) type LastResort<'a> = Box<dyn Fn(&mut Child, Patience) + 'a>;

/// A program that was started, and its pipes.
pub(crate) struct Running<'a> {
    /// The process that everything hangs on.
    pub(crate) child: Child,
    /// Where its output comes from.
    pub(crate) stdout: OwnedFd,
    /// Where its messages come from.
    pub(crate) stderr: OwnedFd,
    /// Where its input goes, and the input.
    pub(crate) stdin: Feed,
    /// Closing this asks the launcher to end everything.
    pub(crate) control: Option<OwnedFd>,
    /// When it was started.
    pub(crate) started: Instant,
    /// What to do about processes that do not end when they are asked to.
    pub(crate) last_resort: LastResort<'a>,
    /// Looks at the processes: the memory in use, and a limit that is reached.
    pub(crate) inspect: Box<dyn Fn(&Child) -> Inspection + 'a>,
}

/// How long something was waited for already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Not for long: do it in order.
    Left,
    /// For too long: do whatever helps.
    Over,
}

/// What a look at the processes showed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Inspection {
    /// The memory in use, in bytes.
    pub(crate) memory: u64,
    /// A limit that is reached.
    pub(crate) reached: Option<Limit>,
}

/// Why we ended it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// It reached a limit.
    Limit(Limit),
    /// We were asked to.
    Cancelled,
}

impl From<Stop> for RunEnd {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Limit(limit) => Self::Stopped(limit),
            Stop::Cancelled => Self::Cancelled,
        }
    }
}

/// What came of it.
pub(crate) struct Pumped {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
    pub(crate) stopped: Option<Stop>,
    pub(crate) peak_memory: u64,
}

/// Waits for the end of a program.
pub(crate) fn run(mut running: Running<'_>, limits: &Limits, live: Live<'_>) -> io::Result<Pumped> {
    let result = pump(&mut running, limits, live);
    if result.is_err() {
        // Whatever went wrong here, nothing may stay behind.
        running.control = None;
        (running.last_resort)(&mut running.child, Patience::Over);
        let _ = running.child.wait();
    }
    result
}

fn pump(running: &mut Running<'_>, limits: &Limits, live: Live<'_>) -> io::Result<Pumped> {
    let cancel = live.cancel;
    let mut stdout = Stream::new(&running.stdout, limits.output, live.stdout)?;
    let mut stderr = Stream::new(&running.stderr, limits.output, live.stderr)?;
    let mut input = Input::new(running.stdin.take())?;
    let end = end_of(&running.child)?;
    let deadline = running.started + limits.wall;
    let (mut stopped, mut peak_memory, mut next_look) = (None, 0, running.started + TICK);
    let mut stopped_at: Option<Instant> = None;
    let status = loop {
        if let Some(status) = running.child.try_wait()? {
            break status;
        }
        let now = Instant::now();
        if stopped.is_none() && now >= deadline {
            stopped = Some(Stop::Limit(Limit::WallTime));
        }
        if stopped.is_none() && cancel.is_some_and(|cancel| cancel.load(Ordering::SeqCst)) {
            stopped = Some(Stop::Cancelled);
        }
        if stopped.is_none() && now >= next_look {
            let seen = (running.inspect)(&running.child);
            peak_memory = peak_memory.max(seen.memory);
            stopped = seen.reached.map(Stop::Limit);
            next_look = Instant::now() + TICK;
        }
        let mut wake = next_look;
        if end.is_none() {
            // Nothing tells of the end here but looking.
            wake = wake.min(now + Duration::from_millis(1));
        }
        if stopped.is_some() {
            running.control = None;
            let waited = now - *stopped_at.get_or_insert(now);
            if waited >= GRACE {
                let patience = if waited < LAST_WAIT {
                    Patience::Left
                } else {
                    Patience::Over
                };
                (running.last_resort)(&mut running.child, patience);
            }
            wake = now + Duration::from_millis(2);
        }
        wait(&mut stdout, &mut stderr, &mut input, end.as_ref(), wake)?;
    };
    stdout.drain();
    stderr.drain();
    Ok(Pumped {
        status,
        stdout: stdout.capture.finish(),
        stderr: stderr.capture.finish(),
        stopped,
        peak_memory,
    })
}

/// Something that becomes readable when the process ends.
#[cfg(target_os = "linux")]
fn end_of(child: &Child) -> io::Result<Option<OwnedFd>> {
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    Ok(Some(pidfd_open(
        Pid::from_child(child),
        PidfdFlags::empty(),
    )?))
}

/// Elsewhere the loop looks itself, every millisecond.
#[cfg(not(target_os = "linux"))]
fn end_of(_: &Child) -> io::Result<Option<OwnedFd>> {
    Ok(None)
}

/// Waits for the next byte, the end of the process or a moment, and moves the bytes.
fn wait<'a>(
    stdout: &mut Stream<'a>,
    stderr: &mut Stream<'a>,
    input: &mut Input,
    end: Option<&OwnedFd>,
    wake: Instant,
) -> io::Result<()> {
    let ready = {
        let mut watched = Vec::with_capacity(4);
        let mut places = [None; 3];
        watched.extend(end.map(|end| PollFd::new(end, PollFlags::IN)));
        // A stream that was closed would be reported again and again.
        for (which, stream) in [&*stdout, &*stderr].into_iter().enumerate() {
            if stream.open {
                places[which] = Some(watched.len());
                watched.push(PollFd::new(&stream.file, PollFlags::IN));
            }
        }
        if let Some((pipe, _)) = &input.pipe {
            places[2] = Some(watched.len());
            watched.push(PollFd::new(pipe, PollFlags::OUT));
        }
        let left = wake.saturating_duration_since(Instant::now());
        let timeout = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: left.subsec_nanos().into(),
        };
        match poll(&mut watched, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        places.map(|place| place.is_some_and(|at| !watched[at].revents().is_empty()))
    };
    if ready[0] {
        stdout.read();
    }
    if ready[1] {
        stderr.read();
    }
    if ready[2] {
        input.write();
    }
    Ok(())
}
