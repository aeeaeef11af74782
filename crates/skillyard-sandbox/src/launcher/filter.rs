//! A small assembler for filters of system calls.
//!
//! At every start the kernel translates a filter and asks it about each call there is, to
//! remember those that are always allowed. So a refused call is one instruction here, and the
//! calls stand in blocks by their numbers: whoever is not in a block passes it in one step.

use std::collections::BTreeMap;

use libc::c_long;

use super::instruction::{
    ALLOW, AND, ARCHITECTURE, ARGUMENTS, FAIL, IF_ANY_BIT, IF_AT_LEAST, IF_EQUAL, Instruction,
    JUMP, KILL_PROCESS, LOAD, NUMBER, OURS, Program, RETURN, returns, step,
};

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
#[derive(Default)]
pub(super) struct Filter {
    /// What is said to a call: the first instruction that returns decides.
    calls: BTreeMap<u32, Program>,
    /// The last number that is not answered as by a kernel that does not have the call.
    newest: Option<u32>,
}

/// How many instructions a block has at least, if there are as many: few blocks take few steps
/// to pass, and short ones few to search.
const BLOCK: usize = 24;

impl Filter {
    /// Answers these calls with an error; with 0 they do nothing and succeed.
    pub(super) fn refuse(&mut self, calls: &[c_long], error: i32) {
        for call in calls {
            self.add(*call, [returns(answer(error))]);
        }
    }

    /// Refuses a call when all conditions of one of the groups hold.
    pub(super) fn refuse_when(&mut self, call: c_long, groups: &[&[Condition]]) {
        self.answer_when(call, groups, libc::EPERM);
    }

    /// Answers a call when all conditions of one of the groups hold.
    pub(super) fn answer_when(&mut self, call: c_long, groups: &[&[Condition]], error: i32) {
        for group in groups {
            self.add(call, group_code(group, error));
        }
    }

    /// Says of all calls with higher numbers that there are none.
    pub(super) fn ends_with(&mut self, newest: c_long) {
        self.newest = Some(number(newest));
    }

    fn add(&mut self, call: c_long, code: impl IntoIterator<Item = Instruction>) {
        self.calls.entry(number(call)).or_default().extend(code);
    }

    /// The program, which allows what it did not refuse. Calls of another architecture, or by
    /// other numbers than our rules know, end the process.
    pub(super) fn finish(self) -> Program {
        let mut program = vec![
            step(LOAD, ARCHITECTURE, 0, 0),
            step(IF_EQUAL, OURS, 1, 0),
            returns(KILL_PROCESS),
            step(LOAD, NUMBER, 0, 0),
        ];
        #[cfg(target_arch = "x86_64")]
        {
            const SECOND_NUMBERS: u32 = 0x4000_0000;
            program.push(step(IF_AT_LEAST, SECOND_NUMBERS, 0, 1));
            program.push(returns(KILL_PROCESS));
        }
        if let Some(newest) = self.newest {
            program.push(step(IF_AT_LEAST, newest.saturating_add(1), 0, 1));
            program.push(returns(answer(libc::ENOSYS)));
        }
        let mut block = Block::default();
        for (call, code) in self.calls {
            if block.length() >= BLOCK {
                program.extend(std::mem::take(&mut block).finish(call));
            }
            block.add(call, code);
        }
        program.extend(block.finish(u32::MAX));
        program.push(returns(ALLOW));
        program
    }
}

/// Calls whose numbers are close.
#[derive(Default)]
struct Block {
    /// Those that are always refused in the same way, and the answer.
    plain: Vec<(u32, Instruction)>,
    /// Those that are looked at.
    others: Program,
}

impl Block {
    fn length(&self) -> usize {
        self.plain.len() + self.others.len()
    }

    fn add(&mut self, call: u32, mut code: Program) {
        if let Some(answer) = code.first().filter(|first| first.code == RETURN) {
            self.plain.push((call, *answer));
            return;
        }
        code.push(returns(ALLOW));
        let length = u8::try_from(code.len()).unwrap_or(u8::MAX);
        self.others.push(step(IF_EQUAL, call, 0, length));
        self.others.extend(code);
    }

    /// The instructions: those for calls from `next` on pass the block.
    fn finish(mut self, next: u32) -> Program {
        let mut block = Program::new();
        // The same answers stand together, and behind them what they are.
        self.plain.sort_by_key(|(_, answer)| answer.k);
        for same in self.plain.chunk_by(|one, other| one.1 == other.1) {
            for (at, (call, _)) in same.iter().enumerate() {
                let to_answer = u8::try_from(same.len() - at).unwrap_or(u8::MAX);
                block.push(step(IF_EQUAL, *call, to_answer, 0));
            }
            block.push(step(JUMP, 1, 0, 0));
            block.push(same[0].1);
        }
        block.extend(self.others);
        block.push(returns(ALLOW));
        let length = u8::try_from(block.len()).unwrap_or(u8::MAX);
        block.insert(0, step(IF_AT_LEAST, next, length, 0));
        block
    }
}

/// The conditions in turn; where one does not hold, the next group follows.
fn group_code(group: &[Condition], error: i32) -> Program {
    let mut code = vec![returns(answer(error))];
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
mod tests {
    use super::*;
    use crate::launcher::interpreter::{answer, verdict};

    #[test]
    fn other_architectures_and_numbers_end_the_process() {
        let program = Filter::default().finish();
        assert_eq!(verdict(&program, OURS, 5, &[]), ALLOW);
        assert_eq!(verdict(&program, 0x4000_0003, 5, &[]), KILL_PROCESS);
        #[cfg(target_arch = "x86_64")]
        assert_eq!(verdict(&program, OURS, 0x4000_0005, &[]), KILL_PROCESS);
    }

    #[test]
    fn long_lists_and_groups() {
        let calls: Vec<c_long> = (1000..1500).collect();
        let mut filter = Filter::default();
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
