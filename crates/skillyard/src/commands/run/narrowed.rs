//! What the command line allows and the skill itself does not want: its own word is tighter.

use std::time::Duration;

use skillyard_sandbox::{Backend, HostRule, MountAccess, Network};

use super::Args;
use crate::commands::run_told::seconds;
use crate::script::profile::Plan;

/// The flags that have no effect, or less than they say, each in a sentence.
pub(super) fn narrowed(args: &Args, plan: &Plan, backend: Backend) -> Vec<String> {
    let mut told = Vec::new();
    let wall = plan.profile.limits.wall;
    let timeout = args.timeout.map(Duration::from_secs_f64);
    if let Some(timeout) = timeout.filter(|timeout| *timeout > wall) {
        let (asked, kept) = (seconds(timeout), seconds(wall));
        told.push(format!(
            "`--timeout` {asked} has no effect: the skill asks for {kept} at most (`sandbox-timeout`)"
        ));
    }
    if let (Some(folder), false) = (&args.workspace, args.read_only) {
        let mut writable = plan.profile.mounts.iter();
        if backend != Backend::None && !writable.any(|mount| mount.access == MountAccess::Write) {
            let folder = folder.display();
            told.push(format!(
                "it may not write to `{folder}`: the skill asks for less (`sandbox-workspace`)"
            ));
        }
    }
    let reached: &[HostRule] = match &plan.profile.network {
        Network::Full => return told,
        Network::None => &[],
        Network::Hosts(rules) => rules,
    };
    let is_left_out = |host: &&String| {
        let rule = host.parse::<HostRule>();
        rule.is_ok_and(|rule| !reached.contains(&rule))
    };
    let wanted = match (reached, &plan.wished[..]) {
        ([], []) => "no network".to_owned(),
        (reached, wished) => {
            let hosts = reached.iter().chain(wished);
            let hosts: Vec<String> = hosts.map(|host| format!("`{host}`")).collect();
            format!("no more than {}", hosts.join(", "))
        }
    };
    if args.net.iter().any(|host| host == "full") {
        told.push(format!(
            "`--net full` does not reach all: the skill asks for {wanted} (`sandbox-network`)"
        ));
        return told;
    }
    for host in args.net.iter().filter(is_left_out) {
        told.push(format!(
            "`--net {host}` has no effect: the skill asks for {wanted} (`sandbox-network`)"
        ));
    }
    told
}
