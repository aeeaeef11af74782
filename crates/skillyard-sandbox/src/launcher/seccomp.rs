//! Which system calls a process may make.
//!
//! The filter names what is refused: interpreters of many languages run here, and a list of
//! what each of them may call would be wrong with the next version of one. What is refused is
//! what reaches other processes, the kernel's settings, new namespaces, or old bugs.

use std::collections::BTreeMap;
use std::io;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Compare,
    SeccompCondition as Condition, SeccompFilter, SeccompRule, sock_filter,
};

use super::spec::{Fences, Ipc, MemoryPrograms, Sockets, Spec};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

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

const SETUID_BITS: [u64; 2] = [0o4000, 0o2000];
const NAMESPACES: [libc::c_int; 8] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWTIME,
];
/// Putting words into a terminal's input, and Linux's own terminal commands.
const TERMINAL_COMMANDS: [u64; 2] = [0x5412, 0x541c];
const NO_RANDOM_ADDRESSES: u64 = 0x0004_0000;
const ASK_PERSONALITY: u64 = 0xffff_ffff;

/// Restricts this process and all that come of it, for good.
pub(super) fn restrict(spec: &Spec) -> io::Result<()> {
    let refused = compiled(refused(spec)?, libc::EPERM)?;
    let unknown = UNKNOWN.iter().map(|call| (*call, Vec::new())).collect();
    let unknown = compiled(unknown, libc::ENOSYS)?;
    // Where two of them answer, the last one counts.
    for program in [other_numbers(), unknown, pretended(spec)?, refused] {
        if !program.is_empty() {
            seccompiler::apply_filter(&program).map_err(io::Error::other)?;
        }
    }
    Ok(())
}

/// Nothing, unless landlock is the only fence.
fn pretended(spec: &Spec) -> io::Result<BpfProgram> {
    if spec.fences != Fences::Only {
        return Ok(BpfProgram::new());
    }
    let mut rules: Rules = PRETENDED.iter().map(|call| (*call, Vec::new())).collect();
    // Without a name it is about an open file.
    let named = Condition::new(1, Length::Qword, Compare::Ne, 0);
    let named = named.and_then(|condition| SeccompRule::new(vec![condition]));
    rules.insert(libc::SYS_utimensat, vec![named.map_err(io::Error::other)?]);
    compiled(rules, 0)
}

fn compiled(rules: Rules, error: i32) -> io::Result<BpfProgram> {
    let architecture = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(error.unsigned_abs()),
        architecture,
    )
    .and_then(TryInto::try_into)
    .map_err(io::Error::other)
}

fn refused(spec: &Spec) -> io::Result<Rules> {
    let mut rules: Rules = REFUSED
        .iter()
        .chain(REFUSED_HERE)
        .map(|call| (*call, Vec::new()))
        .collect();
    if spec.fences == Fences::Only {
        rules.extend(NAMED.iter().map(|call| (*call, Vec::new())));
    }
    if spec.ipc == Ipc::Shared {
        rules.extend(SHARED_OBJECTS.iter().map(|call| (*call, Vec::new())));
    }
    if spec.memory_programs == MemoryPrograms::Denied {
        rules.insert(libc::SYS_memfd_create, Vec::new());
    }
    for (call, place) in MODES {
        let bits = SETUID_BITS.map(|bit| when(&[has(*place, bit)]));
        rules.insert(*call, bits.into_iter().collect::<io::Result<_>>()?);
    }
    let flags = NAMESPACES.map(|flag| when(&[has(0, u64::from(flag.unsigned_abs()))]));
    rules.insert(libc::SYS_clone, flags.into_iter().collect::<io::Result<_>>()?);
    // Only the low half counts, as it does in the kernel.
    let commands = TERMINAL_COMMANDS.map(|command| when(&[(1, Compare::Eq, command)]));
    rules.insert(libc::SYS_ioctl, commands.into_iter().collect::<io::Result<_>>()?);
    let fixed = [has(0, NO_RANDOM_ADDRESSES), (0, Compare::Ne, ASK_PERSONALITY)];
    rules.insert(libc::SYS_personality, vec![when(&fixed)?]);
    rules.extend(sockets(spec.sockets)?);
    Ok(rules)
}

/// Sockets of a path or an abstract name lead to services of the host, and a pair of datagram
/// sockets can be turned to them as well; connected streams cannot.
fn sockets(allowed: Sockets) -> io::Result<Rules> {
    let is = |number: i32| u64::from(number.unsigned_abs());
    let pair = vec![
        when(&[(0, Compare::Ne, is(libc::AF_UNIX))])?,
        when(&[(1, Compare::MaskedEq(0xf), is(libc::SOCK_DGRAM))])?,
    ];
    let socket = match allowed {
        Sockets::None => Vec::new(),
        Sockets::Internet => vec![
            when(&[
                (0, Compare::Ne, is(libc::AF_INET)),
                (0, Compare::Ne, is(libc::AF_INET6)),
            ])?,
            when(&[(1, Compare::MaskedEq(0xf), is(libc::SOCK_RAW))])?,
            when(&[(1, Compare::MaskedEq(0xf), 10)])?,
        ],
    };
    Ok(Rules::from([
        (libc::SYS_socketpair, pair),
        (libc::SYS_socket, socket),
    ]))
}

/// The argument at `place` has this bit.
fn has(place: u8, bit: u64) -> (u8, Compare, u64) {
    (place, Compare::MaskedEq(bit), bit)
}

/// A rule for when all of these hold.
fn when(conditions: &[(u8, Compare, u64)]) -> io::Result<SeccompRule> {
    let conditions = conditions
        .iter()
        .map(|(place, compare, value)| {
            Condition::new(*place, Length::Dword, compare.clone(), *value)
        })
        .collect::<Result<Vec<_>, _>>()
        .map_err(io::Error::other)?;
    SeccompRule::new(conditions).map_err(io::Error::other)
}

/// On x86-64 every call has a second number that our rules do not name: it ends the process.
#[cfg(target_arch = "x86_64")]
fn other_numbers() -> BpfProgram {
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_GREATER_OR_EQUAL: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const X32: u32 = 0x4000_0000;
    const KILL_PROCESS: u32 = 0x8000_0000;
    const ALLOW: u32 = 0x7fff_0000;
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        step(LOAD_WORD, 0, 0, 0),
        step(JUMP_IF_GREATER_OR_EQUAL, 0, 1, X32),
        step(RETURN, 0, 0, KILL_PROCESS),
        step(RETURN, 0, 0, ALLOW),
    ]
}

#[cfg(not(target_arch = "x86_64"))]
fn other_numbers() -> BpfProgram {
    BpfProgram::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_filter_compiles() {
        for sockets in [Sockets::None, Sockets::Internet] {
            for ipc in [Ipc::Shared, Ipc::Private] {
                let spec = Spec {
                    sockets,
                    ipc,
                    memory_programs: MemoryPrograms::Denied,
                    ..Spec::default()
                };
                let program = compiled(refused(&spec).unwrap(), libc::EPERM).unwrap();
                assert!((100..4096).contains(&program.len()), "{}", program.len());
            }
        }
    }
}
