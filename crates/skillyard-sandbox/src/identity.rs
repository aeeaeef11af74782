//! Who a program is when we are root: somebody without rights, and nobody else's somebody.
//!
//! Each sandbox gets a user of its own from a range that neither distributions nor systemd
//! hand out. So sandboxes cannot signal each other, a limit on a user's processes is a limit
//! on one sandbox, and "end all processes of this user" ends one sandbox.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

/// The first user of the range; it has 2^28 of them.
const FIRST: u32 = 0x7000_0000;
/// Where the range is not mapped, as in small containers: the system's nobody.
const NOBODY: u32 = 65_534;

/// A user and group without rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserIds {
    /// The user.
    pub uid: u32,
    /// The group.
    pub gid: u32,
}

impl UserIds {
    /// The user to become: nobody of note if we are root, `None` if we are somebody already.
    pub fn needed() -> Option<Self> {
        rustix::process::geteuid().is_root().then(Self::unused)
    }

    fn unused() -> Self {
        // The number must differ between sandboxes of one process, and that is all it does.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let process = std::process::id() & 0xffff;
        let id = FIRST + (process << 12) + (NEXT.fetch_add(1, Ordering::Relaxed) & 0xfff);
        let mapped = |file: &str| fs::read_to_string(file).is_ok_and(|map| is_mapped(&map, id));
        let id = if mapped("/proc/self/uid_map") && mapped("/proc/self/gid_map") {
            id
        } else {
            NOBODY
        };
        Self { uid: id, gid: id }
    }

    /// Whether no other sandbox has this user.
    pub(crate) fn is_unique(self) -> bool {
        self.uid != NOBODY
    }
}

fn is_mapped(map: &str, id: u32) -> bool {
    map.lines().any(|line| {
        let mut numbers = line.split_whitespace().map(str::parse::<u64>);
        match (numbers.next(), numbers.nth(1)) {
            (Some(Ok(first)), Some(Ok(count))) => (first..first + count).contains(&u64::from(id)),
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_understood() {
        assert!(is_mapped("         0          0 4294967295\n", FIRST));
        assert!(!is_mapped("0 100000 65536\n", FIRST));
        assert!(is_mapped("0 1000 1\n1 100000 65536\n", 5));
        assert!(!is_mapped("nonsense", 0));
    }

    #[test]
    fn no_two_sandboxes_share_a_user() {
        let (one, other) = (UserIds::unused(), UserIds::unused());
        assert!(one.uid != 0 && one != other || one.uid == NOBODY);
    }
}
