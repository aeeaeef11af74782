//! Every way out that we know of, tried on both back ends.

use skillyard_sandbox::{Backend, RunEnd};

use crate::lab::{BOTH, Lab, output, probes, program};

/// Probes that do what they must not when nothing holds them, whoever runs them: so the
/// probes themselves are known to work.
const WORK_OUTSIDE: &[&str] = &[
    "read_ssh_key",
    "read_credentials",
    "read_other_skill",
    "list_home",
    "symlink_to_secret",
    "hardlink_secret",
    "through_proc_self_root",
    "through_proc_cwd",
    "through_parent_folders",
    "through_leaked_folder",
    "see_host_process",
    "read_host_environment",
    "trace_me",
    "tcp_loopback",
    "unix_socket",
    "unix_socket_in_workspace",
    "abstract_socket",
    "turned_pair",
    "netlink_socket",
    "shared_segment",
    "message_queue",
    "posix_queue",
    "chmod_setuid",
    "fchmod_setgid",
    "create_setuid",
    "openat2_setuid",
    "fixed_addresses",
    "session_keys",
    "add_key_",
    "inherited_descriptors",
    "read_passwd_of_host",
    "watch_home",
    "chown_outside",
    "type_into_terminal",
    "type_with_high_bits",
    "terminal_selection",
];

fn names() -> Vec<String> {
    let list = program(&probes()).arg("list").output().unwrap();
    String::from_utf8(list.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_probes_work_where_nothing_holds_them() {
    let mut lab = Lab::new();
    for name in WORK_OUTSIDE {
        let command = lab.probe(name);
        let outcome = program(&command.program)
            .args(&command.arguments)
            .current_dir(lab.work())
            .output()
            .unwrap();
        let said = String::from_utf8(outcome.stdout).unwrap();
        assert!(said.starts_with("escaped"), "{name}: {said}");
    }
    assert_eq!(lab.harm(), None);
}

fn hold(backend: Backend) {
    let names = names();
    assert!(names.len() >= 80, "{}", names.len());
    let mut failures = Vec::new();
    let mut lab = Lab::new();
    for name in &names {
        let outcome = lab.run(backend, &lab.profile(), &lab.probe(name));
        let said = output(&outcome);
        // Calls by numbers that no program of this system uses end it at once.
        let killed = matches!(name.as_str(), "second_numbers" | "old_calls")
            && matches!(outcome.end, RunEnd::Signalled(31 | 11));
        if !killed && (outcome.end != RunEnd::Exited(0) || !said.starts_with("held")) {
            failures.push(format!(
                "{name}: {:?} {said}{}",
                outcome.end,
                outcome.stderr.text()
            ));
        }
        if let Some(harm) = lab.harm() {
            failures.push(format!("{name}: {harm}"));
            lab = Lab::new();
        }
    }
    assert!(failures.is_empty(), "{backend}:\n{}", failures.join("\n"));
}

#[test]
fn bubblewrap_holds_every_probe() {
    hold(Backend::Bubblewrap);
}

#[test]
fn landlock_holds_every_probe() {
    hold(Backend::Landlock);
}

#[test]
fn the_workspace_can_be_used() {
    let lab = Lab::new();
    for backend in BOTH {
        let script = "cat input.txt && echo made > made.txt && mkdir -p a/b && mv made.txt a/b && cat a/b/made.txt && rm -r a";
        let outcome = lab.shell(backend, &lab.profile(), script);
        assert_eq!(
            (outcome.end, output(&outcome).as_str()),
            (RunEnd::Exited(0), "input\nmade\n"),
            "{outcome:?}"
        );
    }
}

#[test]
fn what_a_program_writes_belongs_to_the_owner_of_the_workspace() {
    use std::os::unix::fs::MetadataExt as _;
    let lab = Lab::new();
    for backend in BOTH {
        let outcome = lab.shell(backend, &lab.profile(), "rm -f new && echo x > new");
        assert_eq!(outcome.end, RunEnd::Exited(0), "{outcome:?}");
        let owner = |path: &std::path::Path| std::fs::metadata(path).unwrap().uid();
        assert_eq!(
            owner(&lab.work().join("new")),
            owner(&lab.work()),
            "{backend}"
        );
    }
}

/// Landlock does not see who is told about limits and turns: without namespaces a number leads to
/// every process of the same user, such as those that watch the time.
#[test]
fn landlock_lets_a_program_set_its_own_limits_and_no_others() {
    let lab = Lab::new();
    let script = "
import ctypes, os, resource, subprocess
library = ctypes.CDLL(None, use_errno=True)
limit = (resource.RLIMIT_FSIZE, (4096, 4096))
library.syscall.restype = ctypes.c_long
ioprio_set = {'x86_64': 251}.get(os.uname().machine, 30)
def ioprio(process):
    if library.syscall(ioprio_set, 1, process, 3 << 13) < 0: raise OSError(ctypes.get_errno(), '')
attempts = [
    lambda process: resource.prlimit(process, *limit),
    lambda process: os.sched_setaffinity(process, os.sched_getaffinity(0)),
    lambda process: os.sched_setscheduler(process, os.SCHED_BATCH, os.sched_param(0)),
    lambda process: os.sched_setparam(process, os.sched_param(0)),
    lambda process: os.setpriority(os.PRIO_PROCESS, process, 19),
    ioprio,
]
other = subprocess.Popen(['sleep', '100'])
for attempt in attempts:
    attempt(0)
    for process in [other.pid, os.getppid()]:
        try: attempt(process); print('reached', process)
        except PermissionError: pass
for group in [os.PRIO_PGRP, os.PRIO_USER]:
    try: os.setpriority(group, 0, 19); print('reached a group')
    except PermissionError: pass
other.kill()
print('own')";
    let outcome = lab.python(Backend::Landlock, &lab.profile(), script);
    assert_eq!(output(&outcome), "own\n", "{outcome:?}");
}
