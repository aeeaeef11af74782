//! What a script may do, as people and programs are told.

use std::fmt::Write as _;

use serde_json::{Value, json};
use skillyard_sandbox::{
    Backend, Command, Commands, HostRule, Limits, MountAccess, Network, Profile,
};

use super::ScriptPlan;

/// What a script can reach, in one line.
pub fn reach(profile: &Profile, backend: Backend) -> String {
    let network = match &profile.network {
        Network::None => "no network".to_owned(),
        Network::Full => "the whole network".to_owned(),
        Network::Hosts(rules) => {
            let rules: Vec<String> = rules.iter().map(HostRule::to_string).collect();
            format!("hosts {}", rules.join(", "))
        }
    };
    let mut text = network;
    if backend == Backend::None {
        return format!("{text}; reads and writes whatever you can");
    }
    for mount in profile.writable() {
        let _ = write!(text, "; writes `{}`", mount.source.display());
    }
    text
}

/// A plan as programs get it.
pub fn as_json(plan: &ScriptPlan, backend: Backend) -> Value {
    let Profile {
        mounts,
        network,
        environment,
        limits,
        commands,
        ..
    } = &plan.profile;
    let commands = match commands {
        Commands::Any => Value::Null,
        Commands::Only(programs) => programs
            .iter()
            .map(|program| program.to_string_lossy())
            .collect(),
    };
    let hosts = match network {
        Network::Hosts(rules) => rules.iter().map(HostRule::to_string).collect(),
        _ => Vec::new(),
    };
    let mode = match network {
        Network::None => "none",
        Network::Hosts(_) => "hosts",
        Network::Full => "full",
    };
    // Without a sandbox nobody holds them.
    let protected: Vec<_> = plan
        .profile
        .existing_protected()
        .filter(|_| backend != Backend::None)
        .map(|path| path.to_string_lossy())
        .collect();
    json!({
        "backend": backend.as_str(),
        "argv": argv(&plan.command),
        "directory": plan.command.directory.to_string_lossy(),
        "mounts": mounts.iter().map(|mount| json!({
            "source": mount.source.to_string_lossy(),
            "target": backend.place(mount).to_string_lossy(),
            "access": if mount.access == MountAccess::Write { "write" } else { "read" },
        })).collect::<Vec<_>>(),
        "protected": protected,
        "commands": commands,
        "network": { "mode": mode, "hosts": hosts },
        // Values may be secrets; names say enough.
        "environment": environment.iter().map(|(name, _)| name.to_string_lossy()).collect::<Vec<_>>(),
        "limits": limits_json(limits),
        "wished_hosts": plan.wished.iter().map(HostRule::to_string).collect::<Vec<_>>(),
        "unread": plan.unread,
    })
}

/// Limits as programs get them.
pub fn limits_json(limits: &Limits) -> Value {
    json!({
        "timeout_ms": u64::try_from(limits.wall.as_millis()).unwrap_or(u64::MAX),
        "cpu_ms": u64::try_from(limits.cpu.as_millis()).unwrap_or(u64::MAX),
        "memory_bytes": limits.memory,
        "processes": limits.processes,
        "open_files": limits.open_files,
        "file_bytes": limits.file_size,
        "scratch_bytes": limits.scratch,
        "output_bytes": limits.output,
    })
}

/// All words of a command.
pub fn argv(command: &Command) -> Vec<String> {
    let program = command.program.to_string_lossy().into_owned();
    let words = command
        .arguments
        .iter()
        .map(|word| word.to_string_lossy().into_owned());
    std::iter::once(program).chain(words).collect()
}
