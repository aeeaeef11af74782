//! What file systems can do, by their kind.

use std::os::fd::AsFd;
use std::path::Path;

/// The kinds on which two files can have blocks in common, and that have never lost any by that.
#[cfg(target_os = "linux")]
const WITH_COMMON_BLOCKS: [u32; 3] = [BTRFS, XFS, BCACHEFS];
#[cfg(target_os = "linux")]
const BTRFS: u32 = 0x9123_683e;
#[cfg(target_os = "linux")]
const XFS: u32 = 0x5846_5342;
#[cfg(target_os = "linux")]
const BCACHEFS: u32 = 0xca45_1a4e;

/// Whether the file may have blocks in common with another one on its file system.
#[cfg(target_os = "linux")]
pub(crate) fn has_common_blocks(file: impl AsFd) -> bool {
    let found = rustix::fs::fstatfs(file);
    found.is_ok_and(|found| {
        WITH_COMMON_BLOCKS
            .iter()
            .any(|kind| is(found.f_type, *kind))
    })
}

/// Whether threads that make files there only wait for each other.
#[cfg(target_os = "linux")]
pub(crate) fn is_for_one_at_a_time(folder: &Path) -> bool {
    rustix::fs::statfs(folder).is_ok_and(|found| is(found.f_type, BTRFS))
}

#[cfg(target_os = "linux")]
fn is(found: impl TryInto<i64>, kind: u32) -> bool {
    // The field has a sign on most processors, and 32 bits on some.
    found
        .try_into()
        .is_ok_and(|found| found & i64::from(u32::MAX) == i64::from(kind))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn has_common_blocks(_: impl AsFd) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn is_for_one_at_a_time(_: &Path) -> bool {
    false
}
