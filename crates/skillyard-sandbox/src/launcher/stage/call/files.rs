//! Files, folders and memory.

use super::raw::{call, descriptor};
use super::{Answer, numbers};

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
            numbers::CLOSE_RANGE,
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
