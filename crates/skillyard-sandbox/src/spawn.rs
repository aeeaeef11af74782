//! Starting a process that inherits nothing but what it is given, and what it is given.

#![expect(
    unsafe_code,
    reason = "some calls have no safe form, and code before exec must be vouched for"
)]

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::identity::UserIds;

/// What to start. It begins in `/`, with an empty environment.
pub(crate) struct StartPlan<'a> {
    /// The program and its arguments.
    pub(crate) argv: &'a [OsString],
    /// Its input, output and messages.
    pub(crate) stdio: [OwnedFd; 3],
    /// What else it inherits. Descriptors that our own parent forgot to close would otherwise
    /// reach the program: an open folder is a way out of any file system sandbox.
    pub(crate) kept: &'a [BorrowedFd<'a>],
    /// Whom to become before.
    pub(crate) identity: Option<UserIds>,
}

impl StartPlan<'_> {
    /// Starts it, or tells why it could not be executed.
    #[expect(clippy::disallowed_methods, reason = "this is where sandboxes start")]
    pub(crate) fn spawn(self) -> io::Result<Child> {
        let (program, arguments) = self.argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let [stdin, stdout, stderr] = self.stdio;
        let mut command = Command::new(program);
        command.args(arguments).env_clear().current_dir("/");
        command.stdin(stdin).stdout(stdout).stderr(stderr);
        if let Some(UserIds { uid, gid }) = self.identity {
            // The library gives up other groups, too.
            command.uid(uid).gid(gid);
        }
        let kept: Vec<RawFd> = self.kept.iter().map(AsRawFd::as_raw_fd).collect();
        // SAFETY: in the new process this only makes system calls, and neither allocates nor locks.
        unsafe { command.pre_exec(move || keep_only(&kept)) };
        command.spawn()
    }
}

/// Lets only these descriptors, stdin, stdout and stderr pass the next exec.
fn keep_only(kept: &[RawFd]) -> io::Result<()> {
    close_on_exec_from(3)?;
    for kept in kept {
        // SAFETY: only a flag of a descriptor changes.
        if unsafe { libc::fcntl(*kept, libc::F_SETFD, 0) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Marks every descriptor from `first` on to be closed at the next exec.
pub(crate) fn close_on_exec_from(first: libc::c_uint) -> io::Result<()> {
    const CLOSE_ON_EXEC: libc::c_uint = 4;
    // SAFETY: only flags of descriptors change.
    let result = unsafe {
        libc::syscall(
            libc::SYS_close_range,
            first,
            libc::c_uint::MAX,
            CLOSE_ON_EXEC,
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// A pipe whose ends the program may open again by name, as `/dev/stdout`.
pub(crate) fn pipe(identity: Option<UserIds>) -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    if let Some(identity) = identity {
        // Both ends are one inode. Where that cannot be, only opening by name is lost.
        let _ = std::os::unix::fs::fchown(&write, Some(identity.uid), Some(identity.gid));
    }
    Ok((read, write))
}

/// A file in memory with this content, to be read from its start.
pub(crate) fn memory_file(content: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("sandbox", MemfdFlags::CLOEXEC)?);
    file.write_all(content)?;
    rustix::fs::seek(&file, rustix::fs::SeekFrom::Start(0))?;
    Ok(file.into())
}

/// The number of a descriptor, for an argument.
pub(crate) fn number(descriptor: &impl AsFd) -> String {
    descriptor.as_fd().as_raw_fd().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    fn run(argv: &[&str], kept: &[BorrowedFd<'_>]) -> io::Result<(String, i32)> {
        let nothing = || File::open("/dev/null").map(OwnedFd::from);
        let (read, write) = pipe(None)?;
        let argv: Vec<OsString> = argv.iter().map(OsString::from).collect();
        let plan = StartPlan {
            argv: &argv,
            stdio: [nothing()?, write, nothing()?],
            kept,
            identity: None,
        };
        let mut process = plan.spawn()?;
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
