//! Starting a process that inherits nothing but what it is given.
//!
//! The new process borrows our memory until it executes its program, as `vfork` does. Copying
//! the tables of a large process, and every page that it touches afterwards, would take longer
//! than everything else that we do to start a sandbox.

#![expect(
    unsafe_code,
    reason = "a process that borrows our memory can be made by no safe call"
)]

use std::ffi::{CString, OsString, c_char, c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use crate::identity::Identity;
use crate::launcher::call;
use crate::process::Process;

/// How much stack the new process has until it executes its program.
const STACK: usize = 64 * 1024;
/// The signals of the kernel that there are.
const SIGNALS: std::ops::RangeInclusive<c_int> = 1..=64;

/// What to start. It begins in `/`, with an empty environment.
pub(crate) struct Start<'a> {
    /// The program and its arguments.
    pub(crate) argv: &'a [OsString],
    /// Its input, output and messages.
    pub(crate) stdio: [BorrowedFd<'a>; 3],
    /// What else it inherits. Descriptors that our own parent forgot to close would otherwise
    /// reach the program: an open folder is a way out of any file system sandbox.
    pub(crate) kept: &'a [BorrowedFd<'a>],
    /// Whom to become before.
    pub(crate) identity: Option<Identity>,
}

impl Start<'_> {
    /// Starts it, or tells why it could not be executed.
    pub(crate) fn spawn(&self) -> io::Result<Process> {
        let words = self.argv.iter().map(|word| CString::new(word.as_bytes()));
        let words = words.collect::<Result<Vec<CString>, _>>()?;
        let mut argv: Vec<*const c_char> = Vec::with_capacity(words.len() + 1);
        argv.extend(words.iter().map(|word| word.as_ptr()));
        argv.push(ptr::null());
        let kept: Vec<RawFd> = self.kept.iter().map(AsRawFd::as_raw_fd).collect();
        let plan = Plan {
            argv: &argv,
            stdio: self.stdio.map(|each| each.as_raw_fd()),
            kept: &kept,
            identity: self.identity,
            error: AtomicI32::new(0),
        };
        let argument = (&raw const plan).cast_mut().cast::<c_void>();
        let process = Process::new(borrow_memory(begin, argument)?);
        match plan.error.load(Ordering::Relaxed) {
            0 => Ok(process),
            error => {
                process.forget();
                Err(io::Error::from_raw_os_error(error))
            }
        }
    }
}

/// What the new process needs, in memory that it borrows.
struct Plan<'a> {
    argv: &'a [*const c_char],
    stdio: [RawFd; 3],
    kept: &'a [RawFd],
    identity: Option<Identity>,
    /// Why it could not execute the program.
    error: AtomicI32,
}

/// Makes a process that borrows our memory to do something, and waits until it has let go of
/// it. It must neither allocate nor lock, and may not return.
pub(crate) fn borrow_memory(
    begin: extern "C" fn(*mut c_void) -> c_int,
    argument: *mut c_void,
) -> io::Result<c_int> {
    let mut stack = vec![0_u128; STACK / size_of::<u128>()];
    let top = stack.as_mut_ptr_range().end.cast::<c_void>();
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: a set of signals consists of numbers, for which zero is a value.
    let (mut all, mut before) = unsafe { std::mem::zeroed::<(libc::sigset_t, libc::sigset_t)>() };
    // SAFETY: the pointers are to sets. No handler of ours may run in the process that borrows
    // our memory, so all signals wait. This thread waits as well, so the argument and the stack
    // outlive their use; the other threads go on, and nothing of theirs is touched.
    let process = unsafe {
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let process = libc::clone(begin, top, flags, argument);
        let error = io::Error::last_os_error();
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut());
        if process < 0 {
            return Err(error);
        }
        process
    };
    drop(stack);
    Ok(process)
}

/// What the new process does. It must neither allocate nor lock.
extern "C" fn begin(plan: *mut c_void) -> c_int {
    // SAFETY: `borrow_memory` was given this plan, and its owner waits.
    let plan = unsafe { &*plan.cast_const().cast::<Plan<'_>>() };
    let error = follow(plan);
    plan.error.store(error, Ordering::Relaxed);
    // SAFETY: this ends the process without any of our handlers for an end.
    unsafe { libc::_exit(127) }
}

/// Follows a plan; returns only an error's number.
fn follow(plan: &Plan<'_>) -> c_int {
    for (target, source) in (0..).zip(plan.stdio) {
        // SAFETY: only descriptors of the new process change.
        if unsafe { libc::dup2(source, target) } < 0 {
            return last_error();
        }
    }
    if let Some(Identity { uid, gid }) = plan.identity
        && !become_user(uid, gid)
    {
        return last_error();
    }
    // SAFETY: the path ends in NUL.
    if unsafe { libc::chdir(c"/".as_ptr()) } < 0 {
        return last_error();
    }
    if let Err(error) = call::close_on_exec(3) {
        return error;
    }
    for kept in plan.kept {
        // SAFETY: only a flag of a descriptor changes.
        if unsafe { libc::fcntl(*kept, libc::F_SETFD, 0) } < 0 {
            return last_error();
        }
    }
    reset_signals();
    let environment: [*const c_char; 1] = [ptr::null()];
    // SAFETY: both lists end in a null pointer and hold strings that end in NUL.
    unsafe { libc::execve(plan.argv[0], plan.argv.as_ptr(), environment.as_ptr()) };
    last_error()
}

/// The library's own calls would change all threads of the process that lends its memory.
pub(crate) fn become_user(uid: u32, gid: u32) -> bool {
    let none = ptr::null::<libc::gid_t>();
    // SAFETY: an empty list of groups is not read, and the others take numbers.
    unsafe {
        libc::syscall(libc::SYS_setgroups, 0, none) == 0
            && libc::syscall(libc::SYS_setresgid, gid, gid, gid) == 0
            && libc::syscall(libc::SYS_setresuid, uid, uid, uid) == 0
    }
}

/// Gives signals their first meaning: what we handle must not be handled in borrowed memory,
/// and programs expect to end when nobody reads what they write.
fn reset_signals() {
    for signal in SIGNALS {
        // SAFETY: the structures consist of numbers, for which zero is a value; the tables of
        // handlers belong to the new process alone.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, ptr::null(), &raw mut action) != 0 {
                continue;
            }
            let ours = action.sa_sigaction != libc::SIG_IGN && action.sa_sigaction != libc::SIG_DFL;
            if ours || signal == libc::SIGPIPE {
                action = std::mem::zeroed();
                libc::sigaction(signal, &raw const action, ptr::null_mut());
            }
        }
    }
    // SAFETY: an empty set is one of zeros.
    unsafe {
        let none: libc::sigset_t = std::mem::zeroed();
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
    }
}

pub(crate) fn last_error() -> c_int {
    io::Error::last_os_error()
        .raw_os_error()
        .unwrap_or(libc::EIO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::Read as _;
    use std::os::fd::{AsFd as _, OwnedFd};

    fn run(argv: &[&str], kept: &[BorrowedFd<'_>]) -> io::Result<(String, i32)> {
        let nothing = File::open("/dev/null")?;
        let (read, write) = crate::child::pipe(None)?;
        let argv: Vec<OsString> = argv.iter().map(OsString::from).collect();
        let start = Start {
            argv: &argv,
            stdio: [nothing.as_fd(), write.as_fd(), nothing.as_fd()],
            kept,
            identity: None,
        };
        let mut process = start.spawn()?;
        drop(write);
        let mut said = String::new();
        File::from(read).read_to_string(&mut said)?;
        let code = process.wait()?.code().unwrap_or(-1);
        Ok((said, code))
    }

    #[test]
    fn it_gets_what_it_is_given_and_nothing_else() {
        let lost: OwnedFd = File::open("/").unwrap().into();
        let kept: OwnedFd = File::open("/").unwrap().into();
        rustix::io::fcntl_setfd(&lost, rustix::io::FdFlags::empty()).unwrap();
        let (one, other) = (kept.as_raw_fd(), lost.as_raw_fd());
        let script = format!(
            "pwd; env | grep -c SECRET; cd /proc/$$/fd; test -e {one} && echo kept; test -e {other} || echo closed; exit 3"
        );
        let (said, code) = run(&["/bin/sh", "-c", &script], &[kept.as_fd()]).unwrap();
        assert_eq!((said.as_str(), code), ("/\n0\nkept\nclosed\n", 3));
    }

    #[test]
    fn what_cannot_be_executed_is_an_error_and_leaves_nothing() {
        let error = run(&["/no/such/program"], &[]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert_eq!(
            run(&["/bin/true", "a\0b"], &[]).unwrap_err().kind(),
            io::ErrorKind::InvalidInput
        );
    }

    #[test]
    fn signals_are_as_for_a_new_program() {
        let (said, _) = run(&["/bin/cat", "/proc/self/status"], &[]).unwrap();
        for line in ["SigBlk:\t0000000000000000", "SigCgt:\t0000000000000000"] {
            assert!(said.contains(line), "{said}");
        }
        // Only what was ignored before us stays ignored: not the signal that Rust ignores.
        let ignored = said.lines().find_map(|line| line.strip_prefix("SigIgn:\t"));
        let ignored = u64::from_str_radix(ignored.unwrap(), 16).unwrap();
        assert_eq!(ignored & (1 << (libc::SIGPIPE - 1)), 0, "{said}");
    }
}
