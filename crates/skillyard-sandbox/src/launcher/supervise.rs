//! The parent of the program: waits for it, ends what it leaves behind, and reports.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::ExitCode;
use std::time::Duration;

use rustix::process::{DumpableBehavior, Pid, WaitOptions, WaitStatus, wait};

use super::spec::{Containment, Spec};
use super::{lockdown, own, program};
use crate::{child, processes};

/// What the launcher has to say, as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Report {
    /// The program did not start.
    Failed {
        /// What was tried.
        action: String,
        /// The error's number.
        code: i32,
    },
    /// The program ended.
    Ended {
        /// The exit code, if it ended by itself.
        exit: Option<i32>,
        /// The signal, if it did not.
        signal: Option<i32>,
        /// The processor time, in microseconds.
        cpu: u64,
        /// The largest process's memory, in kilobytes.
        memory: u64,
    },
}

impl Report {
    /// Sends the line. Nobody can be told if that fails.
    #[expect(unsafe_code, reason = "the pipe is an inherited descriptor")]
    pub(crate) fn write(&self, descriptor: RawFd) {
        let line = match self {
            Self::Failed { action, code } => format!("failed {code} {action}\n"),
            Self::Ended {
                exit: Some(code),
                cpu,
                memory,
                ..
            } => format!("exit {code} {cpu} {memory}\n"),
            Self::Ended {
                signal,
                cpu,
                memory,
                ..
            } => format!("signal {} {cpu} {memory}\n", signal.unwrap_or(0)),
        };
        // SAFETY: the descriptor was left open for us by the process that started us.
        let descriptor = unsafe { BorrowedFd::borrow_raw(descriptor) };
        let _ = rustix::io::write(descriptor, line.as_bytes());
    }

    /// The first line that was sent, if it can be understood.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let line = text.lines().next()?;
        let (word, rest) = line.split_once(' ')?;
        if word == "failed" {
            let (code, action) = rest.split_once(' ')?;
            return Some(Self::Failed {
                action: action.to_owned(),
                code: code.parse().ok()?,
            });
        }
        let mut numbers = rest.split(' ');
        let number = numbers.next()?.parse().ok()?;
        let (exit, signal) = match word {
            "exit" => (Some(number), None),
            "signal" => (None, Some(number)),
            _ => return None,
        };
        Some(Self::Ended {
            exit,
            signal,
            cpu: numbers.next()?.parse().ok()?,
            memory: numbers.next()?.parse().ok()?,
        })
    }
}

/// Runs the program and reports how it ended.
pub(super) fn run(spec: &Spec) -> ExitCode {
    match prepare(spec).and_then(|()| fork()) {
        Ok(Some(program)) => watch(spec, program),
        Ok(None) => become_program(spec),
        Err((action, error)) => failed(spec, action, &error),
    }
}

type Failure = (&'static str, std::io::Error);

/// What must be done before there are two of us.
fn prepare(spec: &Spec) -> Result<(), Failure> {
    child::close_on_exec(3).map_err(|error| ("close descriptors", error))?;
    if let Some(socket) = spec.proxy {
        offer_proxy(&own(socket)).map_err(|error| ("open the proxy's socket", error))?;
    }
    if spec.containment == Containment::Adoption {
        // Processes whose parents ended become ours instead of the system's.
        let adopt = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
        adopt.map_err(|error| ("adopt processes", error.into()))?;
        let _ = rustix::process::setsid();
    }
    // The program may be the same user: it must not look into this process.
    let hidden = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
    hidden.map_err(|error| ("hide the launcher", error.into()))
}

/// Listens inside our network namespace and hands the socket to the proxy outside: a socket
/// belongs to the namespace it was made in, so nothing has to carry bytes across.
fn offer_proxy(channel: &OwnedFd) -> std::io::Result<()> {
    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
    let listener = TcpListener::bind(crate::proxy::ADDRESS)?;
    let sockets = [listener.as_fd()];
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut message = SendAncillaryBuffer::new(&mut space);
    message.push(SendAncillaryMessage::ScmRights(&sockets));
    let byte = [std::io::IoSlice::new(b"!")];
    sendmsg(channel, &byte, &mut message, SendFlags::empty())?;
    Ok(())
}

/// The process of the program, or `None` in that process.
#[expect(unsafe_code, reason = "a program with a parent needs a fork")]
fn fork() -> Result<Option<Pid>, Failure> {
    // SAFETY: the launcher has one thread, so the child may do whatever its parent could.
    let process = unsafe { libc::fork() };
    match process {
        0 => Ok(None),
        process => match Pid::from_raw(process) {
            Some(process) if process.as_raw_nonzero().get() > 0 => Ok(Some(process)),
            _ => Err(("make a process", std::io::Error::last_os_error())),
        },
    }
}

fn become_program(spec: &Spec) -> ExitCode {
    match lockdown::apply(spec) {
        Ok(()) => failed(spec, "exec", &program(spec).exec()),
        Err(failure) => failed(spec, failure.0, &failure.1),
    }
}

fn failed(spec: &Spec, action: &'static str, error: &std::io::Error) -> ExitCode {
    Report::Failed {
        action: action.to_owned(),
        code: error.raw_os_error().unwrap_or(0),
    }
    .write(spec.status);
    ExitCode::from(125)
}

fn watch(spec: &Spec, program: Pid) -> ExitCode {
    let control = File::from(own(spec.control));
    let containment = spec.containment;
    std::thread::spawn(move || {
        // Whoever started us closes this to end everything, or by dying.
        let mut byte = [0];
        let _ = (&control).read(&mut byte);
        end_all(containment);
        exit_now(125);
    });
    let status = loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((process, status))) if process == program => break Some(status),
            // An orphan that came to us.
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => break None,
        }
    };
    if let Some(status) = status {
        report(status).write(spec.status);
    }
    end_all(containment);
    exit_now(0)
}

/// Ends what is left. In a namespace of our own the kernel does that when we end.
fn end_all(containment: Containment) {
    if containment == Containment::Namespace {
        return;
    }
    while processes::end(std::process::id()) {
        while matches!(wait(WaitOptions::NOHANG), Ok(Some(_))) {}
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Two threads may come here at once; the first one ends both.
fn exit_now(code: u8) -> ExitCode {
    let _ = std::io::stderr().flush();
    std::process::exit(i32::from(code))
}

fn report(status: WaitStatus) -> Report {
    let (cpu, memory) = usage();
    Report::Ended {
        exit: status.exit_status(),
        signal: status.terminating_signal(),
        cpu,
        memory,
    }
}

/// The processor time in microseconds and the largest process in kilobytes, of all that ended.
#[expect(unsafe_code, reason = "no safe wrapper of this system call exists")]
fn usage() -> (u64, u64) {
    // SAFETY: the structure consists of numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a structure of the right type that outlives the call.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let microseconds =
        |time: libc::timeval| u64::try_from(time.tv_sec * 1_000_000 + time.tv_usec).unwrap_or(0);
    let cpu = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
    (cpu, u64::try_from(usage.ru_maxrss).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_read_as_written() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        let reports = [
            Report::Failed {
                action: "give up root".into(),
                code: 1,
            },
            Report::Ended {
                exit: Some(3),
                signal: None,
                cpu: 5,
                memory: 7,
            },
            Report::Ended {
                exit: None,
                signal: Some(9),
                cpu: 0,
                memory: 1,
            },
        ];
        for report in &reports {
            report.write(std::os::fd::AsRawFd::as_raw_fd(&write));
        }
        drop(write);
        let mut text = String::new();
        File::from(read).read_to_string(&mut text).unwrap();
        for (line, report) in text.lines().zip(&reports) {
            assert_eq!(Report::read(line).as_ref(), Some(report));
        }
        assert_eq!(Report::read("exit x 1 2"), None);
        assert_eq!(Report::read(""), None);
    }
}
