//! What file systems can do, by their kind.

use std::path::Path;

#[cfg(target_os = "linux")]
const BTRFS: u32 = 0x9123_683e;

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
pub(crate) fn is_for_one_at_a_time(_: &Path) -> bool {
    false
}
