//! The system calls that are refused, by what they reach.
//!
//! `seccomp` decides when a list applies and what the answer is.

use libc::c_long;

/// Calls that are newer than the names we have for them. New calls have one number everywhere.
const SETXATTRAT: c_long = 463;
const REMOVEXATTRAT: c_long = 466;
const OPEN_TREE_ATTR: c_long = 467;
const FILE_SETATTR: c_long = 469;

/// The newest call that these lists were made with. What comes later may do anything.
pub(super) const NEWEST: u32 = 469;

/// Always refused.
pub(super) const REFUSED: &[c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Namespaces and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // Large parts of the kernel that scripts do not need.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_userfaultfd,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    libc::SYS_vhangup,
    // Keys of the user's sessions.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // The machine.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_acct,
];

/// Always refused, where they exist at all.
#[cfg(target_arch = "x86_64")]
pub(super) const REFUSED_HERE: &[c_long] = &[
    libc::SYS_kexec_file_load,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS__sysctl,
    libc::SYS_ustat,
    libc::SYS_sysfs,
];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const REFUSED_HERE: &[c_long] = &[libc::SYS_kexec_file_load];

/// Objects of the host that are shared with everybody, unless there is an own namespace.
pub(super) const SHARED_OBJECTS: &[c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// Memory that belongs to no process: it stays when it is no longer mapped.
pub(super) const MEMORY_FILES: &[c_long] = &[
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_shmget,
];

/// Calls that take their arguments through a pointer, where no filter sees them. Programs know
/// how to do without: they believe in an older kernel.
pub(super) const UNKNOWN: &[c_long] = &[libc::SYS_clone3, libc::SYS_openat2];

/// What landlock does not see: mode and times of files that are named. Without any other fence
/// these calls do nothing and say they did: tools that copy files go on, and no file outside is
/// touched.
#[cfg(target_arch = "x86_64")]
pub(super) const PRETENDED: &[c_long] = &[
    libc::SYS_chmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const PRETENDED: &[c_long] = &[libc::SYS_fchmodat, libc::SYS_fchmodat2];

/// The same of files that are open, which may be only to be read.
pub(super) const PRETENDED_OPEN: &[c_long] = &[libc::SYS_fchmod, libc::SYS_utimensat];

/// Owners and attributes of open files, without which tools go on.
pub(super) const OPEN: &[c_long] = &[
    libc::SYS_fchown,
    libc::SYS_fsetxattr,
    libc::SYS_fremovexattr,
];

/// The same for owners, attributes and watches by name.
#[cfg(target_arch = "x86_64")]
pub(super) const NAMED: &[c_long] = &[
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_inotify_add_watch,
];
#[cfg(not(target_arch = "x86_64"))]
pub(super) const NAMED: &[c_long] = &[
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_inotify_add_watch,
];

/// The same by newer calls: programs believe in an older kernel and take the older ones.
pub(super) const NAMED_LATER: &[c_long] = &[SETXATTRAT, REMOVEXATTRAT, FILE_SETATTR];

/// Limits, processors and turns of the process whose number stands first. Landlock does not see
/// them: whoever has the same user could end us by our own limits. Zero is the process itself.
pub(super) const OF_PROCESSES: &[c_long] = &[
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
];

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
