//! System calls without a library, because the stage has none.
//!
//! A number below zero is an error's, as the kernel returns it.

#![expect(unsafe_code, reason = "there is nothing below this that could wrap it")]

use core::arch::asm;

/// What a system call returns: a number, or the number of an error.
pub(crate) type Answer = Result<usize, i32>;

#[cfg(target_arch = "x86_64")]
mod numbers {
    pub(super) const READ: usize = 0;
    pub(super) const WRITE: usize = 1;
    pub(super) const CLOSE: usize = 3;
    pub(super) const LSEEK: usize = 8;
    pub(super) const MMAP: usize = 9;
    pub(super) const RT_SIGPROCMASK: usize = 14;
    pub(super) const NANOSLEEP: usize = 35;
    pub(super) const GETPID: usize = 39;
    pub(super) const SOCKET: usize = 41;
    pub(super) const SENDMSG: usize = 46;
    pub(super) const BIND: usize = 49;
    pub(super) const LISTEN: usize = 50;
    pub(super) const SETSOCKOPT: usize = 54;
    pub(super) const CLONE: usize = 56;
    pub(super) const EXECVE: usize = 59;
    pub(super) const WAIT4: usize = 61;
    pub(super) const KILL: usize = 62;
    pub(super) const CHDIR: usize = 80;
    pub(super) const GETRUSAGE: usize = 98;
    pub(super) const SETSID: usize = 112;
    pub(super) const PRCTL: usize = 157;
    pub(super) const GETDENTS64: usize = 217;
    pub(super) const EXIT_GROUP: usize = 231;
    pub(super) const OPENAT: usize = 257;
    pub(super) const PPOLL: usize = 271;
    pub(super) const SIGNALFD4: usize = 289;
    pub(super) const PRLIMIT64: usize = 302;
    pub(super) const SECCOMP: usize = 317;
}

/// The numbers that all newer architectures share.
#[cfg(not(target_arch = "x86_64"))]
mod numbers {
    pub(super) const CHDIR: usize = 49;
    pub(super) const OPENAT: usize = 56;
    pub(super) const CLOSE: usize = 57;
    pub(super) const GETDENTS64: usize = 61;
    pub(super) const LSEEK: usize = 62;
    pub(super) const READ: usize = 63;
    pub(super) const WRITE: usize = 64;
    pub(super) const PPOLL: usize = 73;
    pub(super) const SIGNALFD4: usize = 74;
    pub(super) const EXIT_GROUP: usize = 94;
    pub(super) const NANOSLEEP: usize = 101;
    pub(super) const KILL: usize = 129;
    pub(super) const RT_SIGPROCMASK: usize = 135;
    pub(super) const SETSID: usize = 157;
    pub(super) const GETRUSAGE: usize = 165;
    pub(super) const PRCTL: usize = 167;
    pub(super) const GETPID: usize = 172;
    pub(super) const SOCKET: usize = 198;
    pub(super) const BIND: usize = 200;
    pub(super) const LISTEN: usize = 201;
    pub(super) const SETSOCKOPT: usize = 208;
    pub(super) const SENDMSG: usize = 211;
    pub(super) const CLONE: usize = 220;
    pub(super) const EXECVE: usize = 221;
    pub(super) const MMAP: usize = 222;
    pub(super) const WAIT4: usize = 260;
    pub(super) const PRLIMIT64: usize = 261;
    pub(super) const SECCOMP: usize = 277;
}

/// Calls that came later have one number everywhere.
const CLOSE_RANGE: usize = 436;
const LANDLOCK_CREATE_RULESET: usize = 444;
const LANDLOCK_ADD_RULE: usize = 445;
const LANDLOCK_RESTRICT_SELF: usize = 446;

/// One system call.
///
/// # Safety
///
/// The arguments must be what the call wants: pointers to memory that it may use.
#[cfg(target_arch = "x86_64")]
unsafe fn call(number: usize, arguments: [usize; 6]) -> Answer {
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
unsafe fn call(number: usize, arguments: [usize; 6]) -> Answer {
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
unsafe fn call(number: usize, arguments: [usize; 6]) -> Answer {
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
fn descriptor(number: i32) -> usize {
    (number as isize).cast_unsigned()
}

/// Reads into a buffer.
pub(crate) fn read(file: i32, buffer: &mut [u8]) -> Answer {
    let place = buffer.as_mut_ptr() as usize;
    // SAFETY: the kernel writes into the buffer, and not beyond its end.
    unsafe {
        call(
            numbers::READ,
            [descriptor(file), place, buffer.len(), 0, 0, 0],
        )
    }
}

/// Writes bytes.
pub(crate) fn write(file: i32, bytes: &[u8]) -> Answer {
    let place = bytes.as_ptr() as usize;
    // SAFETY: the kernel reads the bytes.
    unsafe {
        call(
            numbers::WRITE,
            [descriptor(file), place, bytes.len(), 0, 0, 0],
        )
    }
}

/// Closes a descriptor.
pub(crate) fn close(file: i32) {
    // SAFETY: no memory is touched; every descriptor here is a number that we opened.
    let _ = unsafe { call(numbers::CLOSE, [descriptor(file), 0, 0, 0, 0, 0]) };
}

/// The length of a file.
pub(crate) fn length(file: i32) -> Answer {
    const TO_THE_END: usize = 2;
    // SAFETY: no memory is touched.
    unsafe { call(numbers::LSEEK, [descriptor(file), 0, TO_THE_END, 0, 0, 0]) }
}

/// A private copy of a file in memory, which stays until the process ends.
pub(crate) fn map(file: i32, length: usize) -> Result<&'static mut [u8], i32> {
    const READ_AND_WRITE: usize = 3;
    const PRIVATE: usize = 2;
    let arguments = [0, length, READ_AND_WRITE, PRIVATE, descriptor(file), 0];
    // SAFETY: the kernel chooses a place that nothing else has.
    let place = unsafe { call(numbers::MMAP, arguments) }?;
    // SAFETY: the place holds `length` bytes, is never given back, and nobody else knows it.
    Ok(unsafe { core::slice::from_raw_parts_mut(place as *mut u8, length) })
}

/// Marks every descriptor from `first` on to be closed at the next exec.
pub(crate) fn close_on_exec(first: usize) -> Answer {
    const CLOSE_ON_EXEC: usize = 4;
    // SAFETY: only flags of descriptors change.
    unsafe {
        call(
            CLOSE_RANGE,
            [first, u32::MAX as usize, CLOSE_ON_EXEC, 0, 0, 0],
        )
    }
}

/// Opens a path that ends in NUL.
pub(crate) fn open(path: *const u8, flags: usize) -> Result<i32, i32> {
    const HERE: i32 = -100;
    // SAFETY: the callers hand over paths that end in NUL; the kernel reads them.
    let file = unsafe {
        call(
            numbers::OPENAT,
            [descriptor(HERE), path as usize, flags, 0, 0, 0],
        )
    }?;
    i32::try_from(file).map_err(|_| 0)
}

/// Enters a folder whose path ends in NUL.
pub(crate) fn enter(path: *const u8) -> Answer {
    // SAFETY: as for `open`.
    unsafe { call(numbers::CHDIR, [path as usize, 0, 0, 0, 0, 0]) }
}

/// The next entries of a folder, as the kernel writes them.
pub(crate) fn entries(folder: i32, buffer: &mut [u8]) -> Answer {
    let place = buffer.as_mut_ptr() as usize;
    // SAFETY: the kernel writes into the buffer, and not beyond its end.
    unsafe {
        call(
            numbers::GETDENTS64,
            [descriptor(folder), place, buffer.len(), 0, 0, 0],
        )
    }
}

/// Asks for something about this process.
pub(crate) fn control(option: usize, value: usize) -> Answer {
    // SAFETY: the options used here take numbers.
    unsafe { call(numbers::PRCTL, [option, value, 0, 0, 0, 0]) }
}

/// Starts a session of our own.
pub(crate) fn new_session() -> Answer {
    // SAFETY: no memory is touched.
    unsafe { call(numbers::SETSID, [0; 6]) }
}

/// The number of this process.
pub(crate) fn own_number() -> u32 {
    // SAFETY: no memory is touched.
    let number = unsafe { call(numbers::GETPID, [0; 6]) };
    number
        .ok()
        .and_then(|number| u32::try_from(number).ok())
        .unwrap_or(0)
}

/// A second process like this one: its number, or zero in it.
pub(crate) fn fork() -> Answer {
    const SIGNAL_OF_ITS_END: usize = 17;
    // SAFETY: without any flag the child has a copy of everything and nothing in common; there
    // is one thread, so nothing is left half done in the copy.
    unsafe { call(numbers::CLONE, [SIGNAL_OF_ITS_END, 0, 0, 0, 0, 0]) }
}

/// A process that ended: its number and status. Zero is none.
pub(crate) fn ended() -> Result<(u32, i32), i32> {
    const ANY: i32 = -1;
    const DO_NOT_WAIT: usize = 1;
    let mut status = 0_i32;
    let place = &raw mut status as usize;
    // SAFETY: the kernel writes one number to the place.
    let process = unsafe {
        call(
            numbers::WAIT4,
            [descriptor(ANY), place, DO_NOT_WAIT, 0, 0, 0],
        )
    }?;
    Ok((u32::try_from(process).unwrap_or(0), status))
}

/// What the kernel says about processes that ended: times, then the largest one's memory.
pub(crate) fn usage_of_children() -> [i64; 18] {
    const CHILDREN: i32 = -1;
    let mut usage = [0_i64; 18];
    // SAFETY: the kernel writes the eighteen numbers of the structure.
    let _ = unsafe {
        call(
            numbers::GETRUSAGE,
            [
                descriptor(CHILDREN),
                usage.as_mut_ptr() as usize,
                0,
                0,
                0,
                0,
            ],
        )
    };
    usage
}

/// Sends a signal.
pub(crate) fn signal(process: u32, signal: usize) {
    // SAFETY: no memory is touched.
    let _ = unsafe { call(numbers::KILL, [process as usize, signal, 0, 0, 0, 0]) };
}

/// The limits of a resource, the second one for good; a process of zero is this one.
pub(crate) fn limits(process: u32, resource: usize) -> Result<[u64; 2], i32> {
    let mut limits = [0_u64; 2];
    let arguments = [
        process as usize,
        resource,
        0,
        limits.as_mut_ptr() as usize,
        0,
        0,
    ];
    // SAFETY: the kernel writes two numbers.
    unsafe { call(numbers::PRLIMIT64, arguments) }?;
    Ok(limits)
}

/// Sets the limits of a resource; a process of zero is this one.
pub(crate) fn set_limits(process: u32, resource: usize, limits: [u64; 2]) -> Answer {
    let arguments = [
        process as usize,
        resource,
        limits.as_ptr() as usize,
        0,
        0,
        0,
    ];
    // SAFETY: the kernel reads two numbers.
    unsafe { call(numbers::PRLIMIT64, arguments) }
}

/// Blocks these signals, or lets them through again, for this process.
pub(crate) fn block(signals: u64, block: bool) -> Answer {
    let how = usize::from(!block);
    let arguments = [how, &raw const signals as usize, 0, size_of::<u64>(), 0, 0];
    // SAFETY: the kernel reads a set of eight bytes.
    unsafe { call(numbers::RT_SIGPROCMASK, arguments) }
}

/// Something that is readable when one of these blocked signals came.
pub(crate) fn signals(signals: u64) -> Result<i32, i32> {
    const CLOSE_ON_EXEC_AND_DO_NOT_BLOCK: usize = 0o2_004_000;
    const NEW: i32 = -1;
    let place = &raw const signals as usize;
    let arguments = [
        descriptor(NEW),
        place,
        size_of::<u64>(),
        CLOSE_ON_EXEC_AND_DO_NOT_BLOCK,
        0,
        0,
    ];
    // SAFETY: the kernel reads a set of eight bytes.
    let file = unsafe { call(numbers::SIGNALFD4, arguments) }?;
    i32::try_from(file).map_err(|_| 0)
}

/// A descriptor that is waited for.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Watched {
    /// The descriptor.
    pub(crate) file: i32,
    /// What is waited for.
    pub(crate) wanted: i16,
    /// What happened.
    pub(crate) happened: i16,
}

/// Waits until something happens.
pub(crate) fn wait(watched: &mut [Watched]) -> Answer {
    let place = watched.as_mut_ptr() as usize;
    // SAFETY: the kernel reads and writes the structures, as many as there are.
    unsafe { call(numbers::PPOLL, [place, watched.len(), 0, 0, 0, 0]) }
}

/// Waits for so many nanoseconds, fewer than a second.
pub(crate) fn sleep(nanoseconds: u64) {
    let time = [0, nanoseconds];
    // SAFETY: the kernel reads two numbers.
    let _ = unsafe { call(numbers::NANOSLEEP, [time.as_ptr() as usize, 0, 0, 0, 0, 0]) };
}

/// A new stream socket for IPv4.
pub(crate) fn socket() -> Result<i32, i32> {
    const INTERNET: usize = 2;
    const STREAM_CLOSED_ON_EXEC: usize = 0o2_000_001;
    // SAFETY: no memory is touched.
    let file = unsafe {
        call(
            numbers::SOCKET,
            [INTERNET, STREAM_CLOSED_ON_EXEC, 0, 0, 0, 0],
        )
    }?;
    i32::try_from(file).map_err(|_| 0)
}

/// Lets a socket listen on a port of the loopback device.
pub(crate) fn listen(socket: i32, port: u16) -> Answer {
    const SOCKET_LEVEL: usize = 1;
    const REUSE: usize = 2;
    const BACKLOG: usize = 128;
    let socket = descriptor(socket);
    let mut address = [0_u8; 16];
    let [high, low] = port.to_be_bytes();
    // The family, the port, and 127.0.0.1.
    for (to, from) in address.iter_mut().zip([2, 0, high, low, 127, 0, 0, 1]) {
        *to = from;
    }
    let yes = 1_i32;
    let option = [socket, SOCKET_LEVEL, REUSE, &raw const yes as usize, 4, 0];
    // SAFETY: the kernel reads a number of four bytes.
    unsafe { call(numbers::SETSOCKOPT, option) }?;
    // SAFETY: the kernel reads an address of sixteen bytes.
    unsafe {
        call(
            numbers::BIND,
            [socket, address.as_ptr() as usize, 16, 0, 0, 0],
        )
    }?;
    // SAFETY: no memory is touched.
    unsafe { call(numbers::LISTEN, [socket, BACKLOG, 0, 0, 0, 0]) }
}

/// Sends a descriptor, with one byte, to whoever holds the other end of a channel.
pub(crate) fn send_descriptor(channel: i32, file: i32) -> Answer {
    /// A message about one descriptor, as the kernel wants it.
    #[repr(C)]
    struct Rights {
        length: usize,
        level: i32,
        kind: i32,
        file: i32,
        _filler: i32,
    }
    #[repr(C)]
    struct Message {
        name: usize,
        name_length: u32,
        pieces: usize,
        piece_count: usize,
        rights: usize,
        rights_length: usize,
        flags: i32,
    }
    let byte = *b"!";
    let piece = [byte.as_ptr() as usize, byte.len()];
    let rights = Rights {
        length: 20,
        level: 1,
        kind: 1,
        file,
        _filler: 0,
    };
    let message = Message {
        name: 0,
        name_length: 0,
        pieces: piece.as_ptr() as usize,
        piece_count: 1,
        rights: &raw const rights as usize,
        rights_length: size_of::<Rights>(),
        flags: 0,
    };
    // SAFETY: the message points to a byte and to a record that outlive the call.
    unsafe {
        call(
            numbers::SENDMSG,
            [descriptor(channel), &raw const message as usize, 0, 0, 0, 0],
        )
    }
}

/// A new set of rules about files, which are to handle these rights.
pub(crate) fn new_rules(handled: u64, scoped: u64) -> Result<i32, i32> {
    let attributes = [handled, 0, scoped];
    let place = attributes.as_ptr() as usize;
    // SAFETY: the kernel reads the three numbers.
    let file = unsafe {
        call(
            LANDLOCK_CREATE_RULESET,
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
            LANDLOCK_ADD_RULE,
            [descriptor(rules), BENEATH, place, 0, 0, 0],
        )
    }
}

/// Puts rules into force.
pub(crate) fn restrict(rules: i32) -> Answer {
    // SAFETY: no memory is touched.
    unsafe { call(LANDLOCK_RESTRICT_SELF, [descriptor(rules), 0, 0, 0, 0, 0]) }
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

/// Becomes another program; returns only an error.
///
/// # Safety
///
/// Both lists must end in a null pointer and hold pointers to strings that end in NUL.
pub(crate) unsafe fn execute(
    program: *const u8,
    arguments: *const usize,
    environment: *const usize,
) -> i32 {
    // SAFETY: the caller answers for the lists.
    let answer = unsafe {
        call(
            numbers::EXECVE,
            [
                program as usize,
                arguments as usize,
                environment as usize,
                0,
                0,
                0,
            ],
        )
    };
    answer.err().unwrap_or(0)
}

/// Ends this process.
pub(crate) fn exit(code: i32) -> ! {
    loop {
        // SAFETY: no memory is touched, and the call does not return.
        let _ = unsafe { call(numbers::EXIT_GROUP, [descriptor(code), 0, 0, 0, 0, 0]) };
    }
}
