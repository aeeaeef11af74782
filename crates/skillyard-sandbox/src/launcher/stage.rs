//! The launcher inside the sandbox: the parent of the program.
//!
//! It forks. The child restricts itself and becomes the program. The parent stays outside these
//! restrictions, waits, ends what is left over and reports through a pipe how the program ended,
//! which the program can neither forge nor stop.

use std::error::Error;
use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::{self, IoSlice, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::time::Duration;

use nix::sys::resource::{Resource, UsageWho, getrlimit, getrusage, setrlimit};
use nix::sys::signal::{SigHandler, SigSet, Signal, signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::time::TimeValLike as _;
use nix::unistd::{ForkResult, execve, fork};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::{
    DumpableBehavior, Pid, WaitOptions, WaitStatus, getpid, set_child_subreaper,
    set_dumpable_behavior, setsid, wait,
};
use rustix::thread::set_no_new_privs;
use seccompiler::BpfProgram;

use super::orders::{Isolation, ProxyListener, ResourceLimits, StageOrders};
use super::report::{READY, Report, Usage};
use super::{FAILED, landlock, orders, seccomp};
use crate::{processes, spawn};

/// How long the launcher waits before it looks for processes again that it has to end.
const END_INTERVAL: Duration = Duration::from_micros(200);

/// Turns an error into a report.
trait Step<T> {
    /// The launcher failed to do this.
    fn step(self, action: &str) -> Result<T, Report>;

    /// The program could not be started.
    fn starting(self) -> Result<T, Report>;
}

impl<T, E: Error + 'static> Step<T> for Result<T, E> {
    fn step(self, action: &str) -> Result<T, Report> {
        self.map_err(|error| Report::Failed(action.to_owned(), error_number(&error)))
    }

    fn starting(self) -> Result<T, Report> {
        self.map_err(|error| Report::NotStarted(error_number(&error)))
    }
}

/// The number of the system's error that is behind an error.
fn error_number(error: &(dyn Error + 'static)) -> i32 {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(number) = error.downcast_ref().and_then(io::Error::raw_os_error) {
            return number;
        }
        if let Some(error) = error.downcast_ref::<rustix::io::Errno>() {
            return error.raw_os_error();
        }
        if let Some(error) = error.downcast_ref::<nix::errno::Errno>() {
            return *error as i32;
        }
        next = error.source();
    }
    libc::EINVAL
}

/// What the launcher does and the pipes to the process that started it.
struct Stage {
    orders: StageOrders,
    control: File,
    status: File,
}

/// Follows the orders in a file; the exit code of this process.
pub(super) fn run(file: RawFd) -> u8 {
    let Some(orders) = orders::read::<StageOrders>(file) else {
        return 2;
    };
    let stage = Stage {
        control: super::inherited(orders.control).into(),
        status: super::inherited(orders.status).into(),
        orders,
    };
    match stage.start() {
        Ok(Some(program)) => stage.supervise(program),
        Ok(None) => FAILED,
        Err(failed) => stage.report(&failed),
    }
}

impl Stage {
    /// Starts the program; `None` if the launcher was told to end before.
    fn start(&self) -> Result<Option<Pid>, Report> {
        if self.orders.waits_for_mounts {
            // The process that started us completes the mounts first.
            (&self.status)
                .write_all(&[READY])
                .step("wait for the mounts")?;
            if (&self.control).read_exact(&mut [0]).is_err() {
                return Ok(None);
            }
        }
        spawn::close_on_exec_from(3).step("close descriptors")?;
        if let Some(listener) = self.orders.proxy {
            offer_proxy(listener).step("open the proxy's socket")?;
        }
        if self.orders.isolation != Isolation::Namespaces {
            // Processes whose parents ended become ours instead of the system's.
            set_child_subreaper(Some(getpid())).step("adopt processes")?;
            let _ = setsid();
        }
        // The program may be the same user: it must not look into this process.
        set_dumpable_behavior(DumpableBehavior::NotDumpable).step("hide the launcher")?;
        SigSet::from(Signal::SIGCHLD)
            .thread_block()
            .step("hear of ended processes")?;
        let filters = match self.orders.isolation {
            Isolation::None => Vec::new(),
            _ => seccomp::filters(&self.orders).step("restrict system calls")?,
        };
        let program = self.fork(&filters).step("make a process")?;
        Ok(Some(program))
    }

    #[expect(unsafe_code, reason = "fork has no safe form")]
    fn fork(&self, filters: &[BpfProgram]) -> nix::Result<Pid> {
        // SAFETY: the launcher has one thread, so the child may do anything.
        match unsafe { fork() }? {
            ForkResult::Parent { child } => {
                Pid::from_raw(child.as_raw()).ok_or(nix::errno::Errno::ESRCH)
            }
            ForkResult::Child => {
                if let Err(failed) = self.become_program(filters) {
                    self.report(&failed);
                }
                std::process::exit(FAILED.into());
            }
        }
    }

    /// Restricts this process and executes the program. The order matters: each restriction
    /// takes away what an earlier one needs.
    fn become_program(&self, filters: &[BpfProgram]) -> Result<(), Report> {
        let orders = &self.orders;
        let words = |words: &[OsString]| -> Result<Vec<CString>, Report> {
            let words = words.iter().map(|word| CString::new(word.as_bytes()));
            words.collect::<Result<_, _>>().starting()
        };
        let (argv, environment) = (words(&orders.argv)?, words(&orders.environment)?);
        if orders.isolation != Isolation::None {
            set_no_new_privs(true).step("refuse new privileges")?;
        }
        std::env::set_current_dir(&orders.directory).starting()?;
        if orders.isolation != Isolation::None {
            landlock::restrict(&orders.rules, orders.isolation).step("restrict files")?;
        }
        set_limits(&orders.limits).step("set a resource limit")?;
        for filter in filters {
            seccompiler::apply_filter(filter).step("restrict system calls")?;
        }
        reset_signals().step("hear of ended processes")?;
        let program = argv.first().map_or(c"", CString::as_c_str);
        execve(program, &argv, &environment).starting()?;
        Ok(())
    }

    /// Waits for the program, for orphans, and for an order to end everything.
    fn supervise(&self, program: Pid) -> u8 {
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        let children = SignalFd::with_flags(&Signal::SIGCHLD.into(), flags);
        let children = match children.step("hear of ended processes") {
            Ok(children) => children,
            Err(failed) => return self.report(&failed),
        };
        loop {
            let mut watched = [
                PollFd::new(&self.control, PollFlags::IN),
                PollFd::new(&children, PollFlags::IN),
            ];
            match poll(&mut watched, None) {
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(_) => break,
            }
            if !watched[0].revents().is_empty() {
                // Whoever started us closes this to end everything, or by dying.
                self.end_all();
                return FAILED;
            }
            while let Ok(Some(_)) = children.read_signal() {}
            if let Some(ended) = reap(program) {
                self.report(&ended);
                break;
            }
        }
        self.end_all();
        0
    }

    /// Ends what is left. In a process namespace the kernel does that when we end.
    fn end_all(&self) {
        if self.orders.isolation == Isolation::Namespaces {
            return;
        }
        while processes::end_below(std::process::id()) {
            while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
            std::thread::sleep(END_INTERVAL);
        }
    }

    /// Sends a report; nobody can be told if that fails.
    fn report(&self, report: &Report) -> u8 {
        if let Ok(bytes) = postcard::to_allocvec(report) {
            let _ = (&self.status).write_all(&bytes);
        }
        FAILED
    }
}

/// Takes note of every process that ended; the report if `program` is one of them.
fn reap(program: Pid) -> Option<Report> {
    let mut ended = None;
    while let Ok(Some((process, status))) = wait(WaitOptions::NOHANG) {
        if process == program {
            ended = Some(report_of(status));
        }
    }
    ended
}

fn report_of(status: WaitStatus) -> Report {
    let number = |value: i64| u64::try_from(value).unwrap_or(0);
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN);
    let usage = usage.map_or(Usage { memory: 0, cpu: 0 }, |usage| Usage {
        memory: number(usage.max_rss()),
        cpu: number((usage.user_time() + usage.system_time()).num_microseconds()),
    });
    match status.terminating_signal() {
        Some(signal) => Report::Signalled(signal, usage),
        None => Report::Exited(status.exit_status().unwrap_or(0), usage),
    }
}

/// Listens inside our network namespace and hands the socket to the proxy outside: a socket
/// belongs to the namespace it was made in, so nothing has to carry bytes across.
fn offer_proxy(listener: ProxyListener) -> io::Result<()> {
    let channel: OwnedFd = super::inherited(listener.channel);
    let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, listener.port))?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut message = SendAncillaryBuffer::new(&mut space);
    let sockets = [socket.as_fd()];
    message.push(SendAncillaryMessage::ScmRights(&sockets));
    let byte = [IoSlice::new(b"!")];
    sendmsg(&channel, &byte, &mut message, SendFlags::empty())?;
    Ok(())
}

/// Sets the limits for good, or keeps lower ones that exist already.
fn set_limits(limits: &ResourceLimits) -> nix::Result<()> {
    let limits = [
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_MSGQUEUE, 0),
        (Resource::RLIMIT_CPU, limits.cpu),
        (Resource::RLIMIT_DATA, limits.memory),
        (Resource::RLIMIT_FSIZE, limits.file_size),
        (Resource::RLIMIT_NOFILE, limits.open_files),
        (Resource::RLIMIT_NPROC, limits.processes),
    ];
    for (resource, value) in limits {
        let (_, most) = getrlimit(resource)?;
        let value = value.min(most);
        // The first signal about processor time says what it is about, the last one only kills.
        let last = match resource {
            Resource::RLIMIT_CPU => most.min(value.saturating_add(1)),
            _ => value,
        };
        setrlimit(resource, value, last)?;
    }
    Ok(())
}

/// Programs expect to end when nobody reads what they write; Rust ignores that signal.
#[expect(unsafe_code, reason = "setting a signal's action has no safe form")]
fn reset_signals() -> nix::Result<()> {
    // SAFETY: the default action runs no code of ours.
    unsafe { signal(Signal::SIGPIPE, SigHandler::SigDfl) }?;
    SigSet::all().thread_unblock()
}
