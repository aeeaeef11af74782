//! The orders for the launcher.

use std::ffi::OsString;
use std::path::Path;

use super::scratch::Scratch;
use super::system_paths::{self, SystemPath};
use crate::backend::Backend;
use crate::command::Command;
use crate::identity::UserIds;
use crate::launcher::orders::{
    Isolation, ResourceLimits, Rights, StageOrders, SyscallPolicy, assignment,
};
use crate::processes;
use crate::profile::{Commands, MountAccess, Network, Profile};
use crate::proxy;
use crate::setup::Setup;

/// Processes of the sandbox itself that count against the program's: the stage.
const OUR_PROCESSES: u64 = 1;

/// The orders, without the numbers of descriptors.
pub(super) fn stage_orders(
    setup: &Setup,
    profile: &Profile,
    command: &Command,
    scratch: Option<&Scratch>,
) -> StageOrders {
    let private = scratch.map_or(Path::new("/tmp"), Scratch::path);
    let mut spec = match setup.backend {
        Backend::Bubblewrap => in_bubblewrap(profile),
        Backend::Landlock => with_landlock(profile, private),
        _ => StageOrders {
            isolation: Isolation::None,
            ..StageOrders::default()
        },
    };
    spec.argv = vec![command.program.clone().into_os_string()];
    spec.argv.extend(command.arguments.iter().cloned());
    spec.directory = command.directory.clone().into_os_string();
    spec.environment = environment(profile, private);
    spec.limits = limits(setup, profile);
    spec.syscalls.memory_files = setup.survey.groups.is_some();
    spec
}

fn environment(profile: &Profile, private: &Path) -> Vec<OsString> {
    let mut variables: Vec<(OsString, OsString)> = vec![
        (
            "PATH".into(),
            "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin".into(),
        ),
        ("LANG".into(), "C.UTF-8".into()),
        ("HOME".into(), private.into()),
        ("TMPDIR".into(), private.into()),
    ];
    if let Network::Hosts(rules) = &profile.network {
        variables.extend(proxy::variables(rules));
    }
    variables.extend(profile.environment.iter().cloned());
    let mut assignments: Vec<OsString> = Vec::new();
    for (at, (name, value)) in variables.iter().enumerate() {
        // The last one of a name counts.
        if variables[at + 1..].iter().all(|(later, _)| later != name) {
            assignments.push(assignment(name, value));
        }
    }
    assignments
}

fn limits(setup: &Setup, profile: &Profile) -> ResourceLimits {
    let limits = &profile.limits;
    let cpu = limits.cpu.as_secs() + u64::from(limits.cpu.subsec_nanos() > 0);
    // The kernel counts by user: in a namespace and for a user of its own that is the program,
    // otherwise it is everything that the user runs.
    let others = match setup.backend {
        Backend::Bubblewrap => 0,
        _ if setup.identity.is_some_and(UserIds::is_unique) => 0,
        _ => {
            let own = rustix::process::getuid().as_raw();
            processes::threads_of_user(setup.identity.map_or(own, |each| each.uid))
        }
    };
    ResourceLimits {
        cpu: cpu.max(1),
        memory: limits.memory,
        file_size: limits.file_size,
        open_files: limits.open_files,
        processes: others + limits.processes + OUR_PROCESSES,
    }
}

/// The orders inside bubblewrap.
fn in_bubblewrap(profile: &Profile) -> StageOrders {
    let mut spec = StageOrders {
        isolation: Isolation::Namespaces,
        syscalls: SyscallPolicy {
            // There is a network of its own, or the user opened the host's.
            internet: true,
            memory_programs: profile.commands == Commands::Any,
            ..SyscallPolicy::default()
        },
        ..StageOrders::default()
    };
    for folder in [
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/nix/store",
    ] {
        spec.allow(folder, Rights::Execute);
    }
    for folder in ["/run/current-system", "/etc", "/proc", "/sys", "/dev"] {
        spec.allow(folder, Rights::Read);
    }
    let own_programs = match profile.commands {
        Commands::Any => Rights::Write,
        Commands::Only(_) => Rights::Store,
    };
    spec.allow("/tmp", own_programs);
    for device in system_paths::DEVICES {
        spec.allow(device, Rights::Use);
    }
    for mount in &profile.mounts {
        let rights = match mount.access {
            MountAccess::Read => Rights::Execute,
            MountAccess::Write => own_programs,
        };
        spec.allow(&mount.target, rights);
    }
    spec
}

/// The orders where Landlock alone confines the program: it shares the host's
/// process numbers and file system, and sees nothing of either but what it is allowed.
fn with_landlock(profile: &Profile, scratch: &Path) -> StageOrders {
    let mut mounts = profile.mounts.iter();
    let writes = mounts.any(|mount| mount.access == MountAccess::Write);
    let mut spec = StageOrders {
        isolation: Isolation::Landlock,
        syscalls: SyscallPolicy {
            internet: profile.network == Network::Full,
            open_files: writes,
            ..SyscallPolicy::default()
        },
        ..StageOrders::default()
    };
    for part in system_paths::folders() {
        // What a link leads to is allowed by its own name.
        if let SystemPath::Here(path) = part {
            spec.allow(path, Rights::Execute);
        }
    }
    for path in system_paths::settings(&profile.network) {
        spec.allow(path, Rights::Read);
    }
    for path in system_paths::MACHINE {
        spec.allow(path, Rights::Read);
    }
    // The process itself: it stays the same one when it becomes the program.
    spec.allow("/proc/self", Rights::Read);
    for device in system_paths::DEVICES
        .iter()
        .chain(system_paths::MORE_DEVICES)
    {
        spec.allow(device, Rights::Use);
    }
    spec.allow(scratch, Rights::Write);
    for mount in &profile.mounts {
        let rights = match mount.access {
            MountAccess::Read => Rights::Execute,
            MountAccess::Write => Rights::Write,
        };
        spec.allow(&mount.source, rights);
    }
    spec
}
