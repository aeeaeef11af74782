//! Landlock, seccomp and resource limits alone: no other program, no namespaces.
//!
//! The program shares the host's process numbers and file system, and sees nothing of either
//! but what it is allowed. Its `/tmp` is a folder of its own.

use std::path::Path;

use super::system::{self, Part};
use crate::launcher::orders::{Isolation, OpenFiles, Rights, StageOrders, SyscallPolicy};
use crate::profile::{Access, Network, Profile};

/// What the launcher has to do.
pub(crate) fn spec(profile: &Profile, scratch: &Path) -> StageOrders {
    let mut mounts = profile.mounts.iter();
    let writes = mounts.any(|mount| mount.access == Access::Write);
    let mut spec = StageOrders {
        isolation: Isolation::Landlock,
        syscalls: SyscallPolicy {
            internet: profile.network == Network::Full,
            open_files: if writes {
                OpenFiles::Changed
            } else {
                OpenFiles::Kept
            },
            ..SyscallPolicy::default()
        },
        ..StageOrders::default()
    };
    for part in system::folders() {
        // What a link leads to is allowed by its own name.
        if let Part::Here(path) = part {
            spec.allow(path, Rights::Execute);
        }
    }
    for path in system::settings(&profile.network) {
        spec.allow(path, Rights::Read);
    }
    for path in system::MACHINE {
        spec.allow(path, Rights::Read);
    }
    // The process itself: it stays the same one when it becomes the program.
    spec.allow("/proc/self", Rights::Read);
    for device in system::DEVICES.iter().chain(system::MORE_DEVICES) {
        spec.allow(device, Rights::Use);
    }
    spec.allow(scratch, Rights::Write);
    for mount in &profile.mounts {
        let rights = match mount.access {
            Access::Read => Rights::Execute,
            Access::Write => Rights::Write,
        };
        spec.allow(&mount.source, rights);
    }
    spec
}
