//! The stage as a program of its own, without any library: `build.rs` compiles this file.

#![no_std]
#![no_main]
#![no_builtins]

#[path = "mod.rs"]
mod stage;

/// What the compiler expects somebody to bring along. Without `no_builtins` it would turn
/// these loops into calls of themselves.
mod memory {
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
        for at in 0..count {
            // SAFETY: the caller has two places of `count` bytes.
            unsafe { *to.add(at) = *from.add(at) };
        }
        to
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
        for step in 0..count {
            let at = if to.cast_const() < from { step } else { count - 1 - step };
            // SAFETY: the caller has two places of `count` bytes; what is read later is not
            // written before.
            unsafe { *to.add(at) = *from.add(at) };
        }
        to
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memset(to: *mut u8, value: i32, count: usize) -> *mut u8 {
        for at in 0..count {
            // SAFETY: the caller has a place of `count` bytes.
            unsafe { *to.add(at) = value as u8 };
        }
        to
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcmp(one: *const u8, other: *const u8, count: usize) -> i32 {
        for at in 0..count {
            // SAFETY: the caller has two places of `count` bytes.
            let (one, other) = unsafe { (*one.add(at), *other.add(at)) };
            if one != other {
                return i32::from(one) - i32::from(other);
            }
        }
        0
    }
}

// The kernel leaves the number of arguments and their addresses on the stack.
#[cfg(target_arch = "x86_64")]
core::arch::global_asm!(
    ".globl _start",
    "_start:",
    "xor ebp, ebp",
    "mov rdi, rsp",
    "and rsp, -16",
    "call {begin}",
    "ud2",
    begin = sym begin,
);
#[cfg(target_arch = "aarch64")]
core::arch::global_asm!(
    ".globl _start",
    "_start:",
    "mov x29, xzr",
    "mov x0, sp",
    "bl {begin}",
    "brk 1",
    begin = sym begin,
);
#[cfg(target_arch = "riscv64")]
core::arch::global_asm!(
    ".globl _start",
    "_start:",
    "mv a0, sp",
    "andi sp, sp, -16",
    "call {begin}",
    "unimp",
    begin = sym begin,
);

/// The last argument is the number of the descriptor with the orders.
unsafe extern "C" fn begin(stack: *const usize) -> ! {
    // SAFETY: this is what the kernel left for us.
    let count = unsafe { *stack };
    // SAFETY: `count` addresses follow, of which the last is the last argument's.
    let mut word = unsafe { *stack.add(count) } as *const u8;
    let mut number = 0_i32;
    loop {
        // SAFETY: arguments end in NUL, where this loop does.
        let byte = unsafe { *word };
        if !byte.is_ascii_digit() {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(i32::from(byte - b'0'));
        word = word.wrapping_add(1);
    }
    stage::run(number)
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    stage::call::exit(stage::FAILED)
}
