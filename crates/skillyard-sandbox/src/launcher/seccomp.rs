//! Which system calls a process may make.
//!
//! The filter names what is refused: interpreters of many languages run here, and a list of
//! what each of them may call would be wrong with the next version of one. What is refused is
//! what reaches other processes, the kernel's settings, new namespaces, or old bugs, and whatever
//! is newer than the list.

use super::calls::{
    MEMORY_FILES, MODES, NAMED, NAMED_LATER, NEWEST, OF_MANY_PROCESSES, OF_PROCESSES, OPEN,
    PRETENDED, PRETENDED_OPEN, REFUSED, REFUSED_HERE, SHARED_OBJECTS, UNKNOWN,
};
use super::filter::{Condition, Filter, Test};
use super::instruction::Instruction;
use super::spec::{Fences, Ipc, MemoryFiles, MemoryPrograms, OpenFiles, Sockets, Spec};

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
/// Setting flags of an open file, in both ways.
const FILE_FLAGS: [u32; 2] = [0x4008_6602, 0x401c_5820];
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
    filter.ends_with(NEWEST);
    filter.refuse(UNKNOWN, libc::ENOSYS);
    filter.refuse(REFUSED, libc::EPERM);
    filter.refuse(REFUSED_HERE, libc::EPERM);
    if spec.ipc == Ipc::Shared {
        filter.refuse(SHARED_OBJECTS, libc::EPERM);
    }
    if spec.memory_programs == MemoryPrograms::Denied {
        filter.refuse(&[libc::SYS_memfd_create], libc::EPERM);
    }
    if spec.memory_files == MemoryFiles::Unknown {
        // Programs know how to do without: they take a temporary file, which is counted.
        filter.refuse(MEMORY_FILES, libc::ENOSYS);
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
        if spec.open_files == OpenFiles::Kept {
            filter.refuse(PRETENDED_OPEN, 0);
            filter.refuse(OPEN, libc::EPERM);
            let [flags, more] = FILE_FLAGS.map(|command| is(1, command));
            filter.refuse_when(libc::SYS_ioctl, &[&[flags], &[more]]);
        }
        filter.refuse(NAMED_LATER, libc::ENOSYS);
        others(&mut filter);
    }
    filter
}

/// What is set for another process than the one that calls, where a number leads to all of the
/// host's.
fn others(filter: &mut Filter) {
    for call in OF_PROCESSES {
        filter.refuse_when(*call, &[&[is_not(0, 0)]]);
    }
    for (call, one) in OF_MANY_PROCESSES {
        filter.refuse_when(*call, &[&[is_not(0, *one)], &[is_not(1, 0)]]);
    }
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
    use libc::c_long;

    use super::*;
    use crate::launcher::interpreter::answer;

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
    fn open_files_are_kept_where_nothing_may_be_written() {
        let reading = Spec {
            open_files: OpenFiles::Kept,
            ..Spec::default()
        };
        check(&reading, libc::SYS_fchmod, &[3, 0o600], Some(0));
        check(&reading, libc::SYS_fchmod, &[3, 0o4755], EPERM);
        check(&reading, libc::SYS_utimensat, &[3, 0], Some(0));
        for call in OPEN {
            check(&reading, *call, &[3], EPERM);
            check(&Spec::default(), *call, &[3], None);
        }
        for command in FILE_FLAGS {
            check(&reading, libc::SYS_ioctl, &[3, command.into()], EPERM);
        }
        check(&reading, libc::SYS_ioctl, &[0, 0x5401], None);
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
        for call in NAMED_LATER {
            check(&inner(), *call, &[], None);
            check(&Spec::default(), *call, &[], Some(libc::ENOSYS));
        }
    }

    #[test]
    fn memory_that_nobody_counts_is_not_there() {
        let uncounted = Spec {
            memory_files: MemoryFiles::Unknown,
            ..inner()
        };
        for call in MEMORY_FILES {
            check(&inner(), *call, &[], None);
            check(&uncounted, *call, &[], Some(libc::ENOSYS));
        }
    }

    #[test]
    fn calls_from_the_future_are_not_there() {
        for spec in [inner(), Spec::default()] {
            for call in [NEWEST + 1, NEWEST + 2, 1000, 0x3fff_ffff] {
                check(&spec, call, &[], Some(libc::ENOSYS));
            }
            // Mapping of shadow stacks, and sealing of memory.
            check(&spec, 453, &[], None);
            check(&spec, 462, &[], None);
        }
    }

    #[test]
    fn limits_and_turns_are_set_for_oneself_alone() {
        let (alone, process) = (Spec::default(), 4711);
        for call in OF_PROCESSES {
            check(&alone, *call, &[0], None);
            // Numbers of processes are half as long as arguments.
            check(&alone, *call, &[1 << 32], None);
            check(&alone, *call, &[process], EPERM);
            check(&alone, *call, &[0xffff_ffff], EPERM);
            check(&inner(), *call, &[process], None);
        }
        for (call, one) in OF_MANY_PROCESSES {
            let one = u64::from(*one);
            check(&alone, *call, &[one, 0], None);
            check(&alone, *call, &[one, process], EPERM);
            check(&alone, *call, &[one + 1, 0], EPERM);
            check(&inner(), *call, &[one, process], None);
        }
    }
}
