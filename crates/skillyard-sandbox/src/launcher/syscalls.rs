//! The system calls that are refused, by what they reach.
//!
//! `seccomp` decides when a list applies and what the answer is.

#[allow(clippy::wildcard_imports, reason = "a hundred calls by their names")]
use libc::*;

/// A list of calls by their names.
macro_rules! calls {
    ($($name:ident)*) => { &[$($name),*] };
}

/// Calls that are newer than the names we have for them. New calls have one number everywhere.
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const OPEN_TREE_ATTR: c_long = 467;
const FILE_SETATTR: c_long = 469;

/// The newest call that these lists were made with. What comes later may do anything.
pub(super) const NEWEST: u32 = 469;

/// Always refused.
pub(super) const REFUSED: &[c_long] = calls! {
    // Other processes.
    SYS_ptrace SYS_process_vm_readv SYS_process_vm_writev SYS_process_madvise SYS_pidfd_getfd
    SYS_kcmp
    // Namespaces and mounts.
    SYS_unshare SYS_setns SYS_mount SYS_umount2 SYS_pivot_root SYS_chroot SYS_fsopen
    SYS_fsconfig SYS_fsmount SYS_fspick SYS_move_mount SYS_open_tree OPEN_TREE_ATTR
    SYS_mount_setattr SYS_open_by_handle_at SYS_name_to_handle_at
    // Large parts of the kernel that scripts do not need.
    SYS_io_uring_setup SYS_io_uring_enter SYS_io_uring_register SYS_userfaultfd SYS_bpf
    SYS_perf_event_open SYS_fanotify_init SYS_lookup_dcookie SYS_nfsservctl SYS_quotactl
    SYS_quotactl_fd SYS_move_pages SYS_migrate_pages SYS_vhangup
    // Keys of the user's sessions.
    SYS_keyctl SYS_add_key SYS_request_key
    // The machine.
    SYS_init_module SYS_finit_module SYS_delete_module SYS_kexec_load SYS_reboot SYS_swapon
    SYS_swapoff SYS_settimeofday SYS_clock_settime SYS_clock_adjtime SYS_adjtimex
    SYS_sethostname SYS_setdomainname SYS_syslog SYS_acct
};

/// Always refused, where they exist at all.
#[cfg(target_arch = "x86_64")]
pub(super) const REFUSED_HERE: &[c_long] = calls! {
    SYS_kexec_file_load SYS_iopl SYS_ioperm SYS_modify_ldt SYS_uselib SYS__sysctl SYS_ustat
    SYS_sysfs
};
#[cfg(not(target_arch = "x86_64"))]
pub(super) const REFUSED_HERE: &[c_long] = calls! {
    SYS_kexec_file_load
};

/// Objects of the host that are shared with everybody, unless there is an own namespace.
pub(super) const SHARED_OBJECTS: &[c_long] = calls! {
    SYS_shmget SYS_shmat SYS_shmctl SYS_msgget SYS_msgsnd SYS_msgrcv SYS_msgctl SYS_semget
    SYS_semop SYS_semtimedop SYS_semctl SYS_mq_open SYS_mq_unlink
};

/// Memory that belongs to no process: it stays when it is no longer mapped.
pub(super) const MEMORY_FILES: &[c_long] = calls! {
    SYS_memfd_create SYS_memfd_secret SYS_shmget
};

/// Calls that take their arguments through a pointer, where no filter sees them. Programs know
/// how to do without: they believe in an older kernel.
pub(super) const UNKNOWN: &[c_long] = calls! {
    SYS_clone3 SYS_openat2
};

/// What landlock does not see: mode and times of files that are named. Without any other fence
/// these calls do nothing and say they did: tools that copy files go on, and no file outside is
/// touched.
#[cfg(target_arch = "x86_64")]
pub(super) const PRETENDED: &[c_long] = calls! {
    SYS_chmod SYS_fchmodat SYS_fchmodat2 SYS_utime SYS_utimes SYS_futimesat
};
#[cfg(not(target_arch = "x86_64"))]
pub(super) const PRETENDED: &[c_long] = calls! {
    SYS_fchmodat SYS_fchmodat2
};

/// The same of files that are open, which may be only to be read.
pub(super) const PRETENDED_OPEN: &[c_long] = calls! {
    SYS_fchmod SYS_utimensat
};

/// Owners and attributes of open files, without which tools go on.
pub(super) const OPEN: &[c_long] = calls! {
    SYS_fchown SYS_fsetxattr SYS_fremovexattr
};

/// The same for owners, attributes and watches by name.
#[cfg(target_arch = "x86_64")]
pub(super) const NAMED: &[c_long] = calls! {
    SYS_chown SYS_lchown SYS_fchownat SYS_setxattr SYS_lsetxattr SYS_removexattr
    SYS_lremovexattr SYS_inotify_add_watch
};
#[cfg(not(target_arch = "x86_64"))]
pub(super) const NAMED: &[c_long] = calls! {
    SYS_fchownat SYS_setxattr SYS_lsetxattr SYS_removexattr SYS_lremovexattr
    SYS_inotify_add_watch
};

/// The same by newer calls: programs believe in an older kernel and take the older ones.
pub(super) const NAMED_LATER: &[c_long] = &[SETXATTRAT, REMOVEXATTRAT, FILE_SETATTR];

/// Limits, processors and turns of the process whose number stands first. Landlock does not see
/// them: whoever has the same user could end us by our own limits. Zero is the process itself.
pub(super) const OF_PROCESSES: &[c_long] = calls! {
    SYS_prlimit64 SYS_sched_setaffinity SYS_sched_setattr SYS_sched_setparam
    SYS_sched_setscheduler
};

/// The same for calls that also reach groups and users, and what they call one process.
pub(super) const OF_MANY_PROCESSES: &[(c_long, u32)] =
    &[(libc::SYS_setpriority, 0), (libc::SYS_ioprio_set, 1)];

/// Where the mode of a file to be made or changed stands: nobody may set its setuid bits.
#[cfg(target_arch = "x86_64")]
pub(super) const MODES: &[(c_long, u8)] = &[
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
    (libc::SYS_creat, 1),
    (libc::SYS_open, 2),
    (libc::SYS_openat, 3),
    (libc::SYS_mknod, 1),
    (libc::SYS_mknodat, 2),
];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const MODES: &[(c_long, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
    (libc::SYS_openat, 3),
    (libc::SYS_mknodat, 2),
];
