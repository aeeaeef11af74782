//! A small assembler for filters of system calls.
//!
//! The general compiler of such filters takes several instructions for each call; translating
//! them takes the kernel half a millisecond at every start. Here a refused call is one.

use libc::c_long;
use seccompiler::{BpfProgram, sock_filter};

const LOAD: u16 = 0x20;
const AND: u16 = 0x54;
const JUMP: u16 = 0x05;
const IF_EQUAL: u16 = 0x15;
#[cfg(target_arch = "x86_64")]
const IF_AT_LEAST: u16 = 0x35;
const IF_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

const ALLOW: u32 = 0x7fff_0000;
const FAIL: u32 = 0x0005_0000;
const KILL_PROCESS: u32 = 0x8000_0000;

/// Where things stand in what the kernel hands to a filter.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

#[cfg(target_arch = "x86_64")]
const OURS: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const OURS: u32 = 0xc000_00b7;
#[cfg(target_arch = "riscv64")]
const OURS: u32 = 0xc000_00f3;

/// Something about one argument of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Condition {
    /// Which argument, from 0.
    pub(super) place: u8,
    /// What about it.
    pub(super) test: Test,
}

/// What an argument is. All but the last look at its low half, as the kernel does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Test {
    /// Of these bits it has at least one.
    HasOneOf(u32),
    /// These bits of it are this.
    PartIs(u32, u32),
    /// It is something else.
    IsNot(u32),
    /// It is not zero, in either half.
    IsNotZero,
}

/// A filter that allows everything that is not refused.
pub(super) struct Filter {
    program: BpfProgram,
}

impl Filter {
    /// Calls of another architecture, or by other numbers than our rules know, end the process.
    pub(super) fn new() -> Self {
        let mut filter = Self {
            program: Vec::new(),
        };
        filter.push(LOAD, ARCHITECTURE, 0, 0);
        filter.push(IF_EQUAL, OURS, 1, 0);
        filter.push(RETURN, KILL_PROCESS, 0, 0);
        filter.push(LOAD, NUMBER, 0, 0);
        #[cfg(target_arch = "x86_64")]
        {
            const SECOND_NUMBERS: u32 = 0x4000_0000;
            filter.push(IF_AT_LEAST, SECOND_NUMBERS, 0, 1);
            filter.push(RETURN, KILL_PROCESS, 0, 0);
        }
        filter
    }

    fn push(&mut self, code: u16, k: u32, jt: u8, jf: u8) {
        self.program.push(sock_filter { code, jt, jf, k });
    }

    /// Answers these calls with an error; with 0 they do nothing and succeed.
    pub(super) fn refuse(&mut self, calls: &[c_long], error: i32) {
        // A jump reaches 255 instructions.
        for calls in calls.chunks(200) {
            for (at, call) in calls.iter().enumerate() {
                let to_answer = u8::try_from(calls.len() - at).unwrap_or(u8::MAX);
                self.push(IF_EQUAL, number(*call), to_answer, 0);
            }
            self.push(JUMP, 1, 0, 0);
            self.push(RETURN, answer(error), 0, 0);
        }
    }

    /// Refuses a call when all conditions of one of the groups hold.
    pub(super) fn refuse_when(&mut self, call: c_long, groups: &[&[Condition]]) {
        self.answer_when(call, groups, libc::EPERM);
    }

    /// Answers a call when all conditions of one of the groups hold.
    pub(super) fn answer_when(&mut self, call: c_long, groups: &[&[Condition]], error: i32) {
        let mut body = Vec::new();
        for group in groups {
            body.extend(group_code(group, error));
        }
        // Behind the conditions the number is needed again.
        body.push(sock_filter {
            code: LOAD,
            jt: 0,
            jf: 0,
            k: NUMBER,
        });
        let length = u8::try_from(body.len()).unwrap_or(u8::MAX);
        self.push(IF_EQUAL, number(call), 0, length);
        self.program.extend(body);
    }

    /// The program, which allows what it did not refuse.
    pub(super) fn finish(mut self) -> BpfProgram {
        self.push(RETURN, ALLOW, 0, 0);
        self.program
    }
}

/// The conditions in turn; where one does not hold, the next group follows.
fn group_code(group: &[Condition], error: i32) -> BpfProgram {
    let step = |code, k, jt, jf| sock_filter { code, jt, jf, k };
    let mut code = vec![step(RETURN, answer(error), 0, 0)];
    for condition in group.iter().rev() {
        let (low, high) = places(condition.place);
        // How far it is to the end of the group from the last instruction of this condition.
        let out = u8::try_from(code.len()).unwrap_or(u8::MAX);
        let tests = match condition.test {
            Test::HasOneOf(bits) => vec![step(LOAD, low, 0, 0), step(IF_ANY_BIT, bits, 0, out)],
            Test::PartIs(mask, value) => {
                vec![
                    step(LOAD, low, 0, 0),
                    step(AND, mask, 0, 0),
                    step(IF_EQUAL, value, 0, out),
                ]
            }
            Test::IsNot(value) => vec![step(LOAD, low, 0, 0), step(IF_EQUAL, value, out, 0)],
            Test::IsNotZero => vec![
                step(LOAD, low, 0, 0),
                step(IF_EQUAL, 0, 0, 2),
                step(LOAD, high, 0, 0),
                step(IF_EQUAL, 0, out, 0),
            ],
        };
        code.splice(0..0, tests);
    }
    code
}

/// Where the low and the high half of an argument stand.
fn places(place: u8) -> (u32, u32) {
    let start = ARGUMENTS + 8 * u32::from(place);
    (start, start + 4)
}

fn number(call: c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

fn answer(error: i32) -> u32 {
    FAIL | error.unsigned_abs()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Runs a filter as the kernel does: the error's number, or nothing if the call is allowed.
    pub(in crate::launcher) fn answer(
        program: &[sock_filter],
        call: c_long,
        arguments: &[u64],
    ) -> Option<i32> {
        match verdict(program, OURS, number(call), arguments) {
            ALLOW => None,
            verdict if verdict & 0xffff_0000 == FAIL => Some((verdict & 0xffff).cast_signed()),
            verdict => panic!("{verdict:x}"),
        }
    }

    fn verdict(program: &[sock_filter], architecture: u32, call: u32, arguments: &[u64]) -> u32 {
        let mut data = vec![call, architecture, 0, 0];
        for argument in arguments.iter().chain([&0; 6]).take(6) {
            data.extend([(argument & 0xffff_ffff) as u32, (argument >> 32) as u32]);
        }
        let (mut at, mut value) = (0, 0);
        loop {
            let step = &program[at];
            at += 1;
            let mut branch = |holds: bool| at += usize::from(if holds { step.jt } else { step.jf });
            match step.code {
                LOAD => value = data[step.k as usize / 4],
                AND => value &= step.k,
                JUMP => at += step.k as usize,
                IF_EQUAL => branch(value == step.k),
                0x35 => branch(value >= step.k),
                IF_ANY_BIT => branch(value & step.k != 0),
                RETURN => return step.k,
                code => panic!("{code}"),
            }
        }
    }

    #[test]
    fn other_architectures_and_numbers_end_the_process() {
        let program = Filter::new().finish();
        assert_eq!(verdict(&program, OURS, 5, &[]), ALLOW);
        assert_eq!(verdict(&program, 0x4000_0003, 5, &[]), KILL_PROCESS);
        #[cfg(target_arch = "x86_64")]
        assert_eq!(verdict(&program, OURS, 0x4000_0005, &[]), KILL_PROCESS);
    }

    #[test]
    fn long_lists_and_groups() {
        let calls: Vec<c_long> = (1000..1500).collect();
        let mut filter = Filter::new();
        filter.refuse(&calls, 7);
        let one = Condition {
            place: 0,
            test: Test::IsNot(1),
        };
        let two = Condition {
            place: 1,
            test: Test::PartIs(0xf, 2),
        };
        let three = Condition {
            place: 5,
            test: Test::IsNotZero,
        };
        filter.answer_when(5, &[&[one, two], &[three]], 9);
        filter.refuse(&[6], 8);
        let program = filter.finish();
        for call in [999, 1500] {
            assert_eq!(answer(&program, call, &[]), None);
        }
        for call in [1000, 1199, 1200, 1499] {
            assert_eq!(answer(&program, call, &[]), Some(7));
        }
        assert_eq!(answer(&program, 5, &[0, 0x12]), Some(9));
        assert_eq!(answer(&program, 5, &[1, 0x12]), None);
        assert_eq!(answer(&program, 5, &[0, 3]), None);
        assert_eq!(answer(&program, 5, &[1, 3, 0, 0, 0, 1 << 33]), Some(9));
        assert_eq!(answer(&program, 6, &[]), Some(8));
    }
}
