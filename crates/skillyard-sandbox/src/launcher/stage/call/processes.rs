//! Processes, their signals and limits.

use super::raw::{call, descriptor};
use super::{Answer, numbers};

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
