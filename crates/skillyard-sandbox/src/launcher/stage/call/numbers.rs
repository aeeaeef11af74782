//! The numbers of the system calls.

pub(crate) use table::*;

#[cfg(target_arch = "x86_64")]
mod table {
    pub(crate) const READ: usize = 0;
    pub(crate) const WRITE: usize = 1;
    pub(crate) const CLOSE: usize = 3;
    pub(crate) const LSEEK: usize = 8;
    pub(crate) const MMAP: usize = 9;
    pub(crate) const RT_SIGPROCMASK: usize = 14;
    pub(crate) const NANOSLEEP: usize = 35;
    pub(crate) const GETPID: usize = 39;
    pub(crate) const SOCKET: usize = 41;
    pub(crate) const SENDMSG: usize = 46;
    pub(crate) const BIND: usize = 49;
    pub(crate) const LISTEN: usize = 50;
    pub(crate) const SETSOCKOPT: usize = 54;
    pub(crate) const CLONE: usize = 56;
    pub(crate) const EXECVE: usize = 59;
    pub(crate) const WAIT4: usize = 61;
    pub(crate) const KILL: usize = 62;
    pub(crate) const CHDIR: usize = 80;
    pub(crate) const GETRUSAGE: usize = 98;
    pub(crate) const SETSID: usize = 112;
    pub(crate) const PRCTL: usize = 157;
    pub(crate) const GETDENTS64: usize = 217;
    pub(crate) const EXIT_GROUP: usize = 231;
    pub(crate) const OPENAT: usize = 257;
    pub(crate) const PPOLL: usize = 271;
    pub(crate) const SIGNALFD4: usize = 289;
    pub(crate) const PRLIMIT64: usize = 302;
    pub(crate) const SECCOMP: usize = 317;
}

/// The numbers that all newer architectures share.
#[cfg(not(target_arch = "x86_64"))]
mod table {
    pub(crate) const CHDIR: usize = 49;
    pub(crate) const OPENAT: usize = 56;
    pub(crate) const CLOSE: usize = 57;
    pub(crate) const GETDENTS64: usize = 61;
    pub(crate) const LSEEK: usize = 62;
    pub(crate) const READ: usize = 63;
    pub(crate) const WRITE: usize = 64;
    pub(crate) const PPOLL: usize = 73;
    pub(crate) const SIGNALFD4: usize = 74;
    pub(crate) const EXIT_GROUP: usize = 94;
    pub(crate) const NANOSLEEP: usize = 101;
    pub(crate) const KILL: usize = 129;
    pub(crate) const RT_SIGPROCMASK: usize = 135;
    pub(crate) const SETSID: usize = 157;
    pub(crate) const GETRUSAGE: usize = 165;
    pub(crate) const PRCTL: usize = 167;
    pub(crate) const GETPID: usize = 172;
    pub(crate) const SOCKET: usize = 198;
    pub(crate) const BIND: usize = 200;
    pub(crate) const LISTEN: usize = 201;
    pub(crate) const SETSOCKOPT: usize = 208;
    pub(crate) const SENDMSG: usize = 211;
    pub(crate) const CLONE: usize = 220;
    pub(crate) const EXECVE: usize = 221;
    pub(crate) const MMAP: usize = 222;
    pub(crate) const WAIT4: usize = 260;
    pub(crate) const PRLIMIT64: usize = 261;
    pub(crate) const SECCOMP: usize = 277;
}

// Calls that came later have one number everywhere.
pub(crate) const CLOSE_RANGE: usize = 436;
pub(crate) const LANDLOCK_CREATE_RULESET: usize = 444;
pub(crate) const LANDLOCK_ADD_RULE: usize = 445;
pub(crate) const LANDLOCK_RESTRICT_SELF: usize = 446;
