//! Which system calls a process may make.
//!
//! The filters name what is refused: interpreters of many languages run here, and a list of what
//! each of them may call would be wrong with the next version of one. What is refused reaches
//! other processes, the kernel's settings, new namespaces or old bugs, or is newer than the list.

use std::collections::{BTreeMap, BTreeSet};

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, sock_filter,
};

use super::orders::{Isolation, StageOrders};
use super::syscalls::{
    MEMORY_FILES, MODES, NAMED, NAMED_LATER, NEWEST, OF_MANY_PROCESSES, OF_PROCESSES, OPEN,
    PRETENDED, PRETENDED_OPEN, REFUSED, REFUSED_HERE, SHARED_OBJECTS, UNKNOWN,
};

const SETUID_BITS: [u64; 2] = [0o2000, 0o4000];
const NAMESPACES: [i32; 8] = [
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
/// Setting flags of an open file, in both ways.
const FILE_FLAGS: [u64; 2] = [0x4008_6602, 0x401c_5820];
const NO_RANDOM_ADDRESSES: u64 = 0x0004_0000;
const ASK_PERSONALITY: u64 = 0xffff_ffff;

/// The old way to ask for raw packets.
const PACKETS: i32 = 10;
/// Which part of a socket's type is the type.
const TYPE: u64 = 0xf;

/// The filters for a program, in the order in which they are installed. Where several refuse a
/// call, the kernel gives the answer of the last one.
pub(super) fn filters(orders: &StageOrders) -> Result<Vec<BpfProgram>, BackendError> {
    let (mut denied, mut unknown, mut pretended) = <(Refusals, Refusals, Refusals)>::default();
    unknown.always(UNKNOWN);
    denied.always(REFUSED);
    denied.always(REFUSED_HERE);
    if !orders.syscalls.memory_programs {
        denied.always(&[libc::SYS_memfd_create]);
    }
    if !orders.syscalls.memory_files {
        // Programs know how to do without: they take a temporary file, which is counted.
        unknown.always(MEMORY_FILES);
    }
    for (call, index) in MODES {
        for bit in SETUID_BITS {
            denied.when(*call, vec![has(*index, bit)?])?;
        }
    }
    for flag in NAMESPACES {
        denied.when(libc::SYS_clone, vec![has(0, flag.unsigned_abs().into())?])?;
    }
    for command in TERMINAL_COMMANDS {
        denied.when(libc::SYS_ioctl, vec![is(1, command)?])?;
    }
    let fixed = vec![has(0, NO_RANDOM_ADDRESSES)?, is_not(0, ASK_PERSONALITY)?];
    denied.when(libc::SYS_personality, fixed)?;
    restrict_sockets(&mut denied, orders.syscalls.internet)?;
    if orders.isolation == Isolation::Landlock {
        denied.always(SHARED_OBJECTS);
        denied.always(NAMED);
        pretended.always(PRETENDED);
        // Without a name it is about an open file.
        let named = SeccompCondition::new(1, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
        pretended.when(libc::SYS_utimensat, vec![named])?;
        if !orders.syscalls.open_files {
            pretended.always(PRETENDED_OPEN);
            denied.always(OPEN);
            for command in FILE_FLAGS {
                denied.when(libc::SYS_ioctl, vec![is(1, command)?])?;
            }
        }
        unknown.always(NAMED_LATER);
        restrict_other_processes(&mut denied)?;
    }
    Ok(vec![
        known_numbers(),
        pretended.compile(0)?,
        unknown.compile(libc::ENOSYS)?,
        denied.compile(libc::EPERM)?,
    ])
}

/// Refuses what is set for another process than the caller, where a number leads to all of the
/// host's processes.
fn restrict_other_processes(denied: &mut Refusals) -> Result<(), BackendError> {
    for call in OF_PROCESSES {
        denied.when(*call, vec![is_not(0, 0)?])?;
    }
    for (call, one) in OF_MANY_PROCESSES {
        denied.when(*call, vec![is_not(0, u64::from(*one))?])?;
        denied.when(*call, vec![is_not(1, 0)?])?;
    }
    Ok(())
}

/// Sockets of a path or an abstract name lead to services of the host, and a pair of datagram
/// sockets can be turned to them as well; connected streams cannot.
fn restrict_sockets(denied: &mut Refusals, internet: bool) -> Result<(), BackendError> {
    let family = |number: i32| is_not(0, number.unsigned_abs().into());
    let kind = |number: i32| {
        let masked = SeccompCmpOp::MaskedEq(TYPE);
        SeccompCondition::new(
            1,
            SeccompCmpArgLen::Dword,
            masked,
            number.unsigned_abs().into(),
        )
    };
    denied.when(libc::SYS_socketpair, vec![family(libc::AF_UNIX)?])?;
    denied.when(libc::SYS_socketpair, vec![kind(libc::SOCK_DGRAM)?])?;
    if !internet {
        denied.always(&[libc::SYS_socket]);
        return Ok(());
    }
    let foreign = vec![family(libc::AF_INET)?, family(libc::AF_INET6)?];
    denied.when(libc::SYS_socket, foreign)?;
    denied.when(libc::SYS_socket, vec![kind(libc::SOCK_RAW)?])?;
    denied.when(libc::SYS_socket, vec![kind(PACKETS)?])
}

/// Calls that get the same answer.
#[derive(Default)]
struct Refusals {
    always: BTreeSet<c_long>,
    sometimes: BTreeMap<c_long, Vec<SeccompRule>>,
}

impl Refusals {
    fn always(&mut self, calls: &[c_long]) {
        self.always.extend(calls);
    }

    /// Refuses a call when all these conditions are met.
    fn when(
        &mut self,
        call: c_long,
        conditions: Vec<SeccompCondition>,
    ) -> Result<(), BackendError> {
        let rule = SeccompRule::new(conditions)?;
        self.sometimes.entry(call).or_default().push(rule);
        Ok(())
    }

    /// A filter that answers with this error, or with 0 as if the call had succeeded. Calls of
    /// another architecture end the process.
    fn compile(self, error: i32) -> Result<BpfProgram, BackendError> {
        let mut rules = self.sometimes;
        rules.extend(self.always.into_iter().map(|call| (call, Vec::new())));
        let answer = SeccompAction::Errno(error.unsigned_abs());
        let architecture = std::env::consts::ARCH.try_into()?;
        SeccompFilter::new(rules, SeccompAction::Allow, answer, architecture)?.try_into()
    }
}

/// A filter by the numbers of calls, which the library cannot express: calls newer than our
/// lists do not exist, and those of the second numbering of x86-64 end the process.
fn known_numbers() -> BpfProgram {
    const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    const IF_AT_LEAST: u32 = libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K;
    const RETURN: u32 = libc::BPF_RET | libc::BPF_K;
    const SECOND_NUMBERS: u32 = 0x4000_0000;
    let instruction = |code: u32, k: u32, jf: u8| sock_filter {
        code: u16::try_from(code).unwrap_or(0),
        jt: 0,
        jf,
        k,
    };
    let mut program = vec![instruction(LOAD, 0, 0)];
    if cfg!(target_arch = "x86_64") {
        program.push(instruction(IF_AT_LEAST, SECOND_NUMBERS, 1));
        program.push(instruction(RETURN, libc::SECCOMP_RET_KILL_PROCESS, 0));
    }
    let enosys = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    program.push(instruction(IF_AT_LEAST, NEWEST + 1, 1));
    program.push(instruction(RETURN, enosys, 0));
    program.push(instruction(RETURN, libc::SECCOMP_RET_ALLOW, 0));
    program
}

/// Only the low half of these arguments counts, as it does in the kernel.
fn is(index: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(index, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
}

fn is_not(index: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(index, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value)
}

fn has(index: u8, bit: u64) -> Result<SeccompCondition, BackendError> {
    let masked = SeccompCmpOp::MaskedEq(bit);
    SeccompCondition::new(index, SeccompCmpArgLen::Dword, masked, bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launcher::orders::SyscallPolicy;

    const EPERM: Option<i32> = Some(libc::EPERM);

    /// Checks what the filters answer to a call: an error's number, or nothing.
    fn check(orders: &StageOrders, call: c_long, arguments: &[u64], expected: Option<i32>) {
        let call = u32::try_from(call).unwrap();
        let answer = match verdict(orders, ARCHITECTURE, call, arguments) {
            libc::SECCOMP_RET_ALLOW => None,
            verdict if verdict & ACTION == libc::SECCOMP_RET_ERRNO => {
                Some((verdict & 0xffff).cast_signed())
            }
            verdict => panic!("{verdict:x}"),
        };
        assert_eq!(answer, expected, "call {call} {arguments:?}");
    }

    #[cfg(target_arch = "x86_64")]
    const ARCHITECTURE: u32 = 0xc000_003e;
    #[cfg(target_arch = "aarch64")]
    const ARCHITECTURE: u32 = 0xc000_00b7;
    #[cfg(target_arch = "riscv64")]
    const ARCHITECTURE: u32 = 0xc000_00f3;

    const ACTION: u32 = 0xffff_0000;

    /// What the kernel makes of all filters: the strictest answer, of equal ones the last.
    fn verdict(orders: &StageOrders, architecture: u32, call: u32, arguments: &[u64]) -> u32 {
        let mut data = vec![call, architecture, 0, 0];
        for argument in arguments.iter().chain([&0; 6]).take(6) {
            data.extend([(argument & 0xffff_ffff) as u32, (argument >> 32) as u32]);
        }
        let filters = filters(orders).unwrap();
        let answers = filters.iter().rev().map(|filter| run(filter, &data));
        answers
            .min_by_key(|answer| (answer & ACTION).cast_signed())
            .unwrap()
    }

    /// Runs a filter as the kernel does.
    fn run(program: &[sock_filter], data: &[u32]) -> u32 {
        let (mut at, mut value) = (0, 0);
        loop {
            let step = &program[at];
            at += 1;
            let mut branch = |holds: bool| at += usize::from(if holds { step.jt } else { step.jf });
            match step.code {
                0x20 => value = data[step.k as usize / 4],
                0x54 => value &= step.k,
                0x05 => at += step.k as usize,
                0x15 => branch(value == step.k),
                0x35 => branch(value >= step.k),
                0x06 => return step.k,
                code => panic!("{code:x}"),
            }
        }
    }

    fn inner() -> StageOrders {
        StageOrders {
            isolation: Isolation::Namespaces,
            syscalls: SyscallPolicy {
                internet: true,
                ..SyscallPolicy::default()
            },
            ..StageOrders::default()
        }
    }

    fn with(policy: SyscallPolicy) -> StageOrders {
        StageOrders {
            syscalls: policy,
            ..StageOrders::default()
        }
    }

    #[test]
    fn other_architectures_and_numbers_end_the_process() {
        let orders = inner();
        let kill = libc::SECCOMP_RET_KILL_PROCESS;
        assert_eq!(verdict(&orders, 0x4000_0003, 5, &[]), kill);
        #[cfg(target_arch = "x86_64")]
        assert_eq!(verdict(&orders, ARCHITECTURE, 0x4000_0005, &[]), kill);
    }

    #[test]
    fn the_filters_are_as_long_as_the_kernel_allows() {
        let orders = with(SyscallPolicy {
            open_files: false,
            memory_files: false,
            internet: true,
            memory_programs: false,
        });
        for filter in filters(&orders).unwrap() {
            assert!(filter.len() < 4096, "{}", filter.len());
        }
    }

    #[test]
    fn a_denial_wins_over_other_answers() {
        let denied = with(SyscallPolicy {
            memory_files: false,
            memory_programs: false,
            ..SyscallPolicy::default()
        });
        check(&denied, libc::SYS_memfd_create, &[], EPERM);
        check(&denied, libc::SYS_shmget, &[], EPERM);
        check(&denied, libc::SYS_memfd_secret, &[], Some(libc::ENOSYS));
    }

    #[test]
    fn ordinary_calls_pass() {
        for spec in [inner(), StageOrders::default()] {
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
        for spec in [inner(), StageOrders::default()] {
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
        let reading = with(SyscallPolicy {
            open_files: false,
            ..SyscallPolicy::default()
        });
        check(&reading, libc::SYS_fchmod, &[3, 0o600], Some(0));
        check(&reading, libc::SYS_fchmod, &[3, 0o4755], EPERM);
        check(&reading, libc::SYS_utimensat, &[3, 0], Some(0));
        for call in OPEN {
            check(&reading, *call, &[3], EPERM);
            check(&StageOrders::default(), *call, &[3], None);
        }
        for command in FILE_FLAGS {
            check(&reading, libc::SYS_ioctl, &[3, command], EPERM);
        }
        check(&reading, libc::SYS_ioctl, &[0, 0x5401], None);
    }

    #[test]
    fn what_namespaces_would_do_the_filter_does_without_them() {
        check(&inner(), libc::SYS_socket, &[2, 1], None);
        check(&StageOrders::default(), libc::SYS_socket, &[2, 1], EPERM);
        check(&inner(), libc::SYS_shmget, &[], None);
        check(&StageOrders::default(), libc::SYS_shmget, &[], EPERM);
        check(&inner(), libc::SYS_fchmodat, &[0, 0, 0o644], None);
        check(
            &StageOrders::default(),
            libc::SYS_fchmodat,
            &[0, 0, 0o644],
            Some(0),
        );
        check(
            &StageOrders::default(),
            libc::SYS_utimensat,
            &[3, 1 << 40],
            Some(0),
        );
        check(&StageOrders::default(), libc::SYS_fchownat, &[], EPERM);
        for call in NAMED_LATER {
            check(&inner(), *call, &[], None);
            check(&StageOrders::default(), *call, &[], Some(libc::ENOSYS));
        }
    }

    #[test]
    fn memory_that_nobody_counts_is_not_there() {
        let mut uncounted = inner();
        uncounted.syscalls.memory_files = false;
        for call in MEMORY_FILES {
            check(&inner(), *call, &[], None);
            check(&uncounted, *call, &[], Some(libc::ENOSYS));
        }
    }

    #[test]
    fn calls_from_the_future_are_not_there() {
        for spec in [inner(), StageOrders::default()] {
            for call in [NEWEST + 1, NEWEST + 2, 1000, 0x3fff_ffff].map(c_long::from) {
                check(&spec, call, &[], Some(libc::ENOSYS));
            }
            // Mapping of shadow stacks, and sealing of memory.
            check(&spec, 453, &[], None);
            check(&spec, 462, &[], None);
        }
    }

    #[test]
    fn limits_and_turns_are_set_for_oneself_alone() {
        let (alone, process) = (StageOrders::default(), 4711);
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
