//! One system call, on each kind of machine.

use core::arch::asm;

use super::Answer;

/// One system call.
///
/// # Safety
///
/// The arguments must be what the call wants: pointers to memory that it may use.
#[cfg(target_arch = "x86_64")]
pub(super) unsafe fn call(number: usize, arguments: [usize; 6]) -> Answer {
    let result: isize;
    // SAFETY: the caller answers for the arguments; these are the registers of the kernel.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") number.cast_signed() => result,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            in("rdx") arguments[2],
            in("r10") arguments[3],
            in("r8") arguments[4],
            in("r9") arguments[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    answer(result)
}

/// One system call.
///
/// # Safety
///
/// The arguments must be what the call wants: pointers to memory that it may use.
#[cfg(target_arch = "aarch64")]
pub(super) unsafe fn call(number: usize, arguments: [usize; 6]) -> Answer {
    let result: isize;
    // SAFETY: the caller answers for the arguments; these are the registers of the kernel.
    unsafe {
        asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") arguments[0].cast_signed() => result,
            in("x1") arguments[1],
            in("x2") arguments[2],
            in("x3") arguments[3],
            in("x4") arguments[4],
            in("x5") arguments[5],
            options(nostack),
        );
    }
    answer(result)
}

/// One system call.
///
/// # Safety
///
/// The arguments must be what the call wants: pointers to memory that it may use.
#[cfg(target_arch = "riscv64")]
pub(super) unsafe fn call(number: usize, arguments: [usize; 6]) -> Answer {
    let result: isize;
    // SAFETY: the caller answers for the arguments; these are the registers of the kernel.
    unsafe {
        asm!(
            "ecall",
            in("a7") number,
            inlateout("a0") arguments[0].cast_signed() => result,
            in("a1") arguments[1],
            in("a2") arguments[2],
            in("a3") arguments[3],
            in("a4") arguments[4],
            in("a5") arguments[5],
            options(nostack),
        );
    }
    answer(result)
}

fn answer(result: isize) -> Answer {
    match i32::try_from(result) {
        Ok(error @ -4095..=-1) => Err(-error),
        _ => Ok(result.cast_unsigned()),
    }
}

/// A descriptor as an argument.
pub(super) fn descriptor(number: i32) -> usize {
    (number as isize).cast_unsigned()
}
