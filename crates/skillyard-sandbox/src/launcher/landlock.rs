//! The rights to files as the kernel's landlock numbers them.

use super::spec::Rights;

/// What the only fence must know: files, truncation, devices, signals and abstract sockets.
pub(crate) const NEEDED: u32 = 6;

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIRECTORY: u64 = 1 << 3;
const MAKE_CHARACTER_DEVICE: u64 = 1 << 6;
const MAKE_BLOCK_DEVICE: u64 = 1 << 11;
const TRUNCATE: u64 = 1 << 14;
const DEVICE_COMMANDS: u64 = 1 << 15;

/// Those rights that a file which is no folder can have.
pub(crate) const OF_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | DEVICE_COMMANDS;

/// The version of landlock that this kernel speaks; `None` if it speaks none.
#[expect(unsafe_code, reason = "no safe wrapper of this system call exists")]
pub(crate) fn abi() -> Option<u32> {
    const ASK_VERSION: u32 = 1;
    let nothing = std::ptr::null::<libc::c_void>();
    // SAFETY: with this flag the call reads no memory and returns a number.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            nothing,
            0_usize,
            ASK_VERSION,
        )
    };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

/// All rights that a version knows and that we know of.
pub(crate) fn handled(abi: u32) -> u64 {
    match abi {
        0 => 0,
        1 => (1 << 13) - 1,
        2 => (1 << 14) - 1,
        3 | 4 => (1 << 15) - 1,
        _ => (1 << 16) - 1,
    }
}

/// What else a version keeps in: abstract sockets and signals.
pub(crate) fn scoped(abi: u32) -> u64 {
    if abi >= NEEDED { 3 } else { 0 }
}

/// The rights behind a word.
pub(crate) fn rights(rights: Rights) -> u64 {
    let read = READ_FILE | READ_DIRECTORY;
    match rights {
        Rights::Read => read,
        Rights::Execute => read | EXECUTE,
        Rights::Use => read | WRITE_FILE | TRUNCATE | DEVICE_COMMANDS,
        // A device that is made or reached through a link is no part of anybody's work.
        Rights::Write => {
            handled(NEEDED) & !(MAKE_CHARACTER_DEVICE | MAKE_BLOCK_DEVICE | DEVICE_COMMANDS)
        }
        Rights::Store => self::rights(Rights::Write) & !EXECUTE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_kernels_handle_more() {
        let of_versions: Vec<u64> = (0..=7).map(handled).collect();
        assert!(of_versions.is_sorted());
        assert_eq!((handled(0), handled(1)), (0, 0x1fff));
        assert_eq!((handled(6), handled(7)), (0xffff, 0xffff));
        assert_eq!((scoped(5), scoped(6)), (0, 3));
    }

    #[test]
    fn nobody_makes_devices_and_only_some_execute() {
        for each in [Rights::Write, Rights::Store] {
            assert_eq!(
                rights(each) & (MAKE_BLOCK_DEVICE | MAKE_CHARACTER_DEVICE),
                0
            );
        }
        assert_eq!(rights(Rights::Store) & EXECUTE, 0);
        assert_eq!(rights(Rights::Read) & (EXECUTE | WRITE_FILE), 0);
        assert_eq!(rights(Rights::Execute) & WRITE_FILE, 0);
    }
}
