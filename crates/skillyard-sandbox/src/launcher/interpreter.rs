//! The kernel's part, for tests: runs the instructions of a filter.

use libc::c_long;

use super::instruction::{
    ALLOW, AND, FAIL, IF_ANY_BIT, IF_AT_LEAST, IF_EQUAL, Instruction, JUMP, LOAD, OURS, RETURN,
};

/// Runs a filter as the kernel does: the error's number, or nothing if the call is allowed.
pub(super) fn answer(program: &[Instruction], call: c_long, arguments: &[u64]) -> Option<i32> {
    match verdict(program, OURS, u32::try_from(call).unwrap(), arguments) {
        ALLOW => None,
        verdict if verdict & 0xffff_0000 == FAIL => Some((verdict & 0xffff).cast_signed()),
        verdict => panic!("{verdict:x}"),
    }
}

/// What a filter says to a call of this architecture.
pub(super) fn verdict(
    program: &[Instruction],
    architecture: u32,
    call: u32,
    arguments: &[u64],
) -> u32 {
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
            IF_AT_LEAST => branch(value >= step.k),
            IF_ANY_BIT => branch(value & step.k != 0),
            RETURN => return step.k,
            code => panic!("{code}"),
        }
    }
}
