//! What came of a run: all that a person, a model or an audit log wants to know.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::backend::Backend;
use crate::profile::Limits;

/// What came of a run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How it ended.
    pub end: RunEnd,
    /// What it wrote to stdout.
    pub stdout: Captured,
    /// What it wrote to stderr.
    pub stderr: Captured,
    /// How long it took.
    pub duration: Duration,
    /// The processor time of its processes, as far as it is known.
    pub cpu: Duration,
    /// The most memory that was seen in use, in bytes.
    pub peak_memory: u64,
    /// What it was kept from.
    pub denials: Vec<Denial>,
    /// Which hosts it was let through to.
    pub connections: Vec<String>,
    /// The protected places that did not exist before and were created while it ran.
    pub created: Vec<PathBuf>,
    /// Who kept it.
    pub backend: Backend,
    /// What it was kept to.
    pub limits: Limits,
}

impl Outcome {
    /// The exit code for a shell: the program's own, 128 and the signal, 124 for a timeout, or 130 if it
    /// was cancelled.
    pub fn code(&self) -> i32 {
        match self.end {
            RunEnd::Exited(code) => code,
            RunEnd::Signalled(signal) => 128 + signal,
            RunEnd::Stopped(Limit::WallTime) => 124,
            RunEnd::Cancelled => 130,
            RunEnd::Stopped(_) => 137,
        }
    }
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// By us, because it reached a limit.
    Stopped(Limit),
    /// By us, because we were asked to.
    Cancelled,
}

/// A limit of [`Limits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// [`Limits::wall`].
    WallTime,
    /// [`Limits::cpu`].
    Cpu,
    /// [`Limits::memory`].
    Memory,
    /// [`Limits::processes`].
    Processes,
    /// [`Limits::file_size`].
    FileSize,
    /// [`Limits::scratch`].
    Scratch,
    /// [`Limits::output`].
    Output,
}

impl fmt::Display for Limit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::WallTime => "wall-time",
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::FileSize => "file-size",
            Self::Scratch => "scratch",
            Self::Output => "output",
        })
    }
}

/// Something a program was kept from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denial {
    /// It reached a limit.
    Limit(Limit),
    /// It asked for a host that is not allowed.
    Host {
        /// The host and port it asked for.
        host: String,
        /// Why it did not get it.
        reason: String,
    },
    /// It made a system call that ends a process at once.
    SystemCall,
    /// A link that is protected was replaced or removed.
    Link {
        /// Where it was.
        path: PathBuf,
    },
    /// A protected place was replaced, moved or removed outside of the sandbox, which took its
    /// protection away.
    Exposed {
        /// Where it is.
        path: PathBuf,
    },
}

impl fmt::Display for Denial {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit(limit) => write!(formatter, "limit `{limit}` was reached"),
            Self::Host { host, reason } => write!(formatter, "host `{host}` was refused: {reason}"),
            Self::SystemCall => formatter.write_str("a forbidden system call ended it"),
            Self::Link { path } => write!(
                formatter,
                "it replaced or removed the link `{}`",
                path.display()
            ),
            Self::Exposed { path } => write!(
                formatter,
                "another program replaced or removed `{}` while it ran, which ends the protection of that place",
                path.display()
            ),
        }
    }
}

/// Output as far as it was kept: all of it, or its beginning and its end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    /// The beginning.
    pub head: Vec<u8>,
    /// The end, when something between was left out.
    pub tail: Vec<u8>,
    /// How many bytes there were.
    pub total: u64,
    /// The SHA-256 of all of them, also of those that were left out.
    pub sha256: [u8; 32],
}

impl Captured {
    /// How many bytes were left out.
    pub fn omitted(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    /// The line that stands where bytes were left out.
    pub(crate) fn gap(&self) -> String {
        format!("\n[… {} bytes left out …]\n", self.omitted())
    }

    /// The text, with a line where bytes were left out and a mark for what is not UTF-8.
    pub fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        if self.omitted() > 0 {
            text += &self.gap();
            text += &String::from_utf8_lossy(&self.tail);
        }
        text
    }
}
