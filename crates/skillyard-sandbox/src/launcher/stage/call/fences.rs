//! What takes rights away: Landlock and seccomp.

use super::raw::{call, descriptor};
use super::{Answer, numbers};

/// A new set of rules about files, which are to handle these rights.
pub(crate) fn new_rules(handled: u64, scoped: u64) -> Result<i32, i32> {
    let attributes = [handled, 0, scoped];
    let place = attributes.as_ptr() as usize;
    // SAFETY: the kernel reads the three numbers.
    let file = unsafe {
        call(
            numbers::LANDLOCK_CREATE_RULESET,
            [place, size_of_val(&attributes), 0, 0, 0, 0],
        )
    }?;
    i32::try_from(file).map_err(|_| 0)
}

/// Adds a rule: these rights on all that is below an open file.
pub(crate) fn add_rule(rules: i32, rights: u64, file: i32) -> Answer {
    const BENEATH: usize = 1;
    #[repr(C, packed)]
    struct Beneath {
        rights: u64,
        file: i32,
    }
    let beneath = Beneath { rights, file };
    let place = &raw const beneath as usize;
    // SAFETY: the kernel reads the structure.
    unsafe {
        call(
            numbers::LANDLOCK_ADD_RULE,
            [descriptor(rules), BENEATH, place, 0, 0, 0],
        )
    }
}

/// Puts rules into force.
pub(crate) fn restrict(rules: i32) -> Answer {
    // SAFETY: no memory is touched.
    unsafe {
        call(
            numbers::LANDLOCK_RESTRICT_SELF,
            [descriptor(rules), 0, 0, 0, 0, 0],
        )
    }
}

/// Puts a filter of system calls into force, one number for each instruction.
pub(crate) fn filter(program: &[u64]) -> Answer {
    const SET_FILTER: usize = 1;
    #[repr(C)]
    struct Program {
        length: u16,
        instructions: *const u64,
    }
    let length = u16::try_from(program.len()).map_err(|_| 0)?;
    let program = Program {
        length,
        instructions: program.as_ptr(),
    };
    // SAFETY: the kernel reads as many instructions of eight bytes as there are.
    unsafe {
        call(
            numbers::SECCOMP,
            [SET_FILTER, 0, &raw const program as usize, 0, 0, 0],
        )
    }
}
