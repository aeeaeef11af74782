//! Which system calls a process may make.
//!
//! The filter names what is refused: interpreters of many languages run here, and a list of
//! what each of them may call would be wrong with the next version of one. What is refused is
//! what reaches other processes, the kernel's settings, new namespaces, or old bugs.

use libc::c_long;

use super::filter::{Condition, Filter, Instruction, Test};
use super::spec::{Fences, Ipc, MemoryPrograms, Sockets, Spec};

/// Always refused.
const REFUSED: &[c_long] = &[
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

#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[c_long] = &[
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
const REFUSED_HERE: &[c_long] = &[libc::SYS_kexec_file_load];

/// Objects of the host that are shared with everybody, unless there is an own namespace.
const SHARED_OBJECTS: &[c_long] = &[
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

/// Calls that take their arguments through a pointer, where no filter sees them. Programs know
/// how to do without: they believe in an older kernel.
const UNKNOWN: &[c_long] = &[libc::SYS_clone3, libc::SYS_openat2];

/// What landlock does not see: mode and times of files that are named. Without any other fence
/// these calls do nothing and say they did: tools that copy files go on, and no file outside is
/// touched. What is done to an open file is done, because only allowed files can be opened.
#[cfg(target_arch = "x86_64")]
const PRETENDED: &[c_long] = &[
    libc::SYS_chmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const PRETENDED: &[c_long] = &[libc::SYS_fchmodat, libc::SYS_fchmodat2];

/// The same for owners, attributes and watches, without which tools go on.
#[cfg(target_arch = "x86_64")]
const NAMED: &[c_long] = &[
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
const NAMED: &[c_long] = &[
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_inotify_add_watch,
];

/// Where the mode of a file to be made or changed stands: nobody may set its setuid bits.
#[cfg(target_arch = "x86_64")]
const MODES: &[(c_long, u8)] = &[
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
const MODES: &[(c_long, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (libc::SYS_fchmodat2, 2),
    (libc::SYS_openat, 3),
    (libc::SYS_mknodat, 2),
];

const SETUID_BITS: u32 = 0o6000;
const NAMESPACES: libc::c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWTIME;
/// Putting words into a terminal's input, and Linux's own terminal commands.
const TERMINAL_COMMANDS: [u32; 2] = [0x5412, 0x541c];
const NO_RANDOM_ADDRESSES: u32 = 0x0004_0000;
const ASK_PERSONALITY: u32 = 0xffff_ffff;

/// The old way to ask for raw packets.
const PACKETS: u32 = 10;
/// Which part of a socket's type is the type.
const TYPE: u32 = 0xf;

/// The filter for a program, one number for each instruction.
pub(super) fn program(spec: &Spec) -> Vec<u64> {
    let program = filter(spec).finish();
    program.into_iter().map(Instruction::bits).collect()
}

fn filter(spec: &Spec) -> Filter {
    let mut filter = Filter::default();
    let alone = spec.fences == Fences::Only;
    filter.refuse(UNKNOWN, libc::ENOSYS);
    filter.refuse(REFUSED, libc::EPERM);
    filter.refuse(REFUSED_HERE, libc::EPERM);
    if spec.ipc == Ipc::Shared {
        filter.refuse(SHARED_OBJECTS, libc::EPERM);
    }
    if spec.memory_programs == MemoryPrograms::Denied {
        filter.refuse(&[libc::SYS_memfd_create], libc::EPERM);
    }
    for (call, place) in MODES {
        filter.refuse_when(*call, &[&[has(*place, SETUID_BITS)]]);
    }
    filter.refuse_when(libc::SYS_clone, &[&[has(0, NAMESPACES.unsigned_abs())]]);
    // Only the low half counts, as it does in the kernel.
    let [one, other] = TERMINAL_COMMANDS.map(|command| is(1, command));
    filter.refuse_when(libc::SYS_ioctl, &[&[one], &[other]]);
    let fixed = [has(0, NO_RANDOM_ADDRESSES), is_not(0, ASK_PERSONALITY)];
    filter.refuse_when(libc::SYS_personality, &[&fixed]);
    sockets(&mut filter, spec.sockets);
    if alone {
        filter.refuse(NAMED, libc::EPERM);
        filter.refuse(PRETENDED, 0);
        // Without a name it is about an open file.
        let named = Condition {
            place: 1,
            test: Test::IsNotZero,
        };
        filter.answer_when(libc::SYS_utimensat, &[&[named]], 0);
    }
    filter
}

/// Sockets of a path or an abstract name lead to services of the host, and a pair of datagram
/// sockets can be turned to them as well; connected streams cannot.
fn sockets(filter: &mut Filter, allowed: Sockets) {
    let family = |number: i32| number.unsigned_abs();
    let kind = |number: u32| Condition {
        place: 1,
        test: Test::PartIs(TYPE, number),
    };
    let pair: [&[Condition]; 2] = [
        &[is_not(0, family(libc::AF_UNIX))],
        &[kind(libc::SOCK_DGRAM.unsigned_abs())],
    ];
    filter.refuse_when(libc::SYS_socketpair, &pair);
    match allowed {
        Sockets::None => filter.refuse(&[libc::SYS_socket], libc::EPERM),
        Sockets::Internet => {
            let foreign = [
                is_not(0, family(libc::AF_INET)),
                is_not(0, family(libc::AF_INET6)),
            ];
            let raw = [kind(libc::SOCK_RAW.unsigned_abs())];
            filter.refuse_when(libc::SYS_socket, &[&foreign, &raw, &[kind(PACKETS)]]);
        }
    }
}

fn has(place: u8, bits: u32) -> Condition {
    Condition {
        place,
        test: Test::HasOneOf(bits),
    }
}

fn is(place: u8, value: u32) -> Condition {
    Condition {
        place,
        test: Test::PartIs(u32::MAX, value),
    }
}

fn is_not(place: u8, value: u32) -> Condition {
    Condition {
        place,
        test: Test::IsNot(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launcher::filter::tests::answer;

    const EPERM: Option<i32> = Some(libc::EPERM);

    /// What the filter says to a call: an error's number, or nothing.
    fn check(spec: &Spec, call: c_long, arguments: &[u64], expected: Option<i32>) {
        let program = filter(spec).finish();
        assert_eq!(
            answer(&program, call, arguments),
            expected,
            "call {call} {arguments:?}"
        );
    }

    fn inner() -> Spec {
        Spec {
            fences: Fences::Inner,
            sockets: Sockets::Internet,
            ipc: Ipc::Private,
            ..Spec::default()
        }
    }

    #[test]
    fn ordinary_calls_pass() {
        for spec in [inner(), Spec::default()] {
            for call in [
                libc::SYS_read,
                libc::SYS_mmap,
                libc::SYS_execve,
                libc::SYS_exit_group,
                libc::SYS_futex,
            ] {
                check(&spec, call, &[], None);
            }
            check(&spec, libc::SYS_openat, &[0, 0, 0, 0o644], None);
            check(&spec, libc::SYS_clone, &[17], None);
            check(&spec, libc::SYS_ioctl, &[0, 0x5401], None);
            check(&spec, libc::SYS_personality, &[0xffff_ffff], None);
            check(&spec, libc::SYS_socketpair, &[1, 1], None);
            check(&spec, libc::SYS_utimensat, &[3, 0], None);
            check(&spec, libc::SYS_fchmod, &[3, 0o755], None);
        }
    }

    #[test]
    fn others_do_not() {
        for spec in [inner(), Spec::default()] {
            for call in REFUSED.iter().chain(REFUSED_HERE) {
                check(&spec, *call, &[], EPERM);
            }
            for call in UNKNOWN {
                check(&spec, *call, &[], Some(libc::ENOSYS));
            }
            check(&spec, libc::SYS_openat, &[0, 0, 0, 0o4644], EPERM);
            check(&spec, libc::SYS_fchmod, &[3, 0o2755], EPERM);
            check(&spec, libc::SYS_fchmodat, &[3, 0, 0o6755], EPERM);
            for flag in [0x1000_0000, 0x2_0000, 0x2000_0000, 0x80] {
                check(&spec, libc::SYS_clone, &[flag | 0x11], EPERM);
            }
            check(&spec, libc::SYS_ioctl, &[0, 0x5412], EPERM);
            check(&spec, libc::SYS_ioctl, &[0, (1 << 32) | 0x5412], EPERM);
            check(&spec, libc::SYS_personality, &[0x4_0000], EPERM);
            check(&spec, libc::SYS_socketpair, &[1, 2 | 0o2_000_000], EPERM);
            check(&spec, libc::SYS_socketpair, &[2, 1], EPERM);
            check(&spec, libc::SYS_socket, &[1, 1], EPERM);
            check(&spec, libc::SYS_socket, &[2, 3], EPERM);
        }
    }

    #[test]
    fn what_namespaces_would_do_the_filter_does_without_them() {
        check(&inner(), libc::SYS_socket, &[2, 1], None);
        check(&Spec::default(), libc::SYS_socket, &[2, 1], EPERM);
        check(&inner(), libc::SYS_shmget, &[], None);
        check(&Spec::default(), libc::SYS_shmget, &[], EPERM);
        check(&inner(), libc::SYS_fchmodat, &[0, 0, 0o644], None);
        check(
            &Spec::default(),
            libc::SYS_fchmodat,
            &[0, 0, 0o644],
            Some(0),
        );
        check(
            &Spec::default(),
            libc::SYS_utimensat,
            &[3, 1 << 40],
            Some(0),
        );
        check(&Spec::default(), libc::SYS_fchownat, &[], EPERM);
    }
}
