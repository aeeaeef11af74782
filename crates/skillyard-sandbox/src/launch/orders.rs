//! What the launcher is told to do.

use std::ffi::OsString;
use std::path::Path;

use crate::backend::{Backend, bubblewrap, landlock};
use crate::command::Command;
use crate::identity::Identity;
use crate::launcher::orders::{Isolation, MemoryFiles, ResourceLimits, StageOrders, assignment};
use crate::processes;
use crate::profile::{Network, Profile};
use crate::proxy;
use crate::sandbox::Sandbox;
use crate::scratch::Scratch;

/// Processes of the sandbox itself that count against the program's: the stage.
const OUR_PROCESSES: u64 = 1;

/// What the launcher has to do, without the numbers of descriptors.
pub(super) fn spec(
    sandbox: &Sandbox,
    profile: &Profile,
    command: &Command,
    scratch: Option<&Scratch>,
) -> StageOrders {
    let private = scratch.map_or(Path::new("/tmp"), Scratch::path);
    let mut spec = match sandbox.backend {
        Backend::Bubblewrap => bubblewrap::spec(profile),
        Backend::Landlock => landlock::spec(profile, private),
        _ => StageOrders {
            isolation: Isolation::None,
            ..StageOrders::default()
        },
    };
    spec.argv = vec![command.program.clone().into_os_string()];
    spec.argv.extend(command.arguments.iter().cloned());
    spec.directory = command.directory.clone().into_os_string();
    spec.environment = environment(profile, private);
    spec.limits = limits(sandbox, profile);
    if sandbox.survey.groups.is_none() {
        spec.syscalls.memory_files = MemoryFiles::Unknown;
    }
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

fn limits(sandbox: &Sandbox, profile: &Profile) -> ResourceLimits {
    let limits = &profile.limits;
    let cpu = limits.cpu.as_secs() + u64::from(limits.cpu.subsec_nanos() > 0);
    // The kernel counts by user: in a namespace and for a user of its own that is the program,
    // otherwise it is everything that the user runs.
    let others = match sandbox.backend {
        Backend::Bubblewrap => 0,
        _ if sandbox.identity.is_some_and(Identity::is_unique) => 0,
        _ => {
            let own = rustix::process::getuid().as_raw();
            processes::threads_of_user(sandbox.identity.map_or(own, |each| each.uid))
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
