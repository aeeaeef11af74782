//! Programs that take more than their share.

use std::time::Duration;

use skillyard_sandbox::survey::Survey;
use skillyard_sandbox::{Backend, ControlGroups, Denial, Limit, Live, Profile, RunEnd};

use crate::lab::{BOTH, Lab, output, sandbox_with};

const MIB: u64 = 1024 * 1024;

/// Limits that are reached quickly, and time that is not.
fn profile(lab: &Lab) -> Profile {
    let mut profile = lab.profile();
    profile.limits.processes = 40;
    profile.limits.memory = 200 * MIB;
    profile.limits.file_size = 8 * MIB;
    profile.limits.scratch = 16 * MIB;
    profile.limits.open_files = 100;
    profile.limits.output = 64 * 1024;
    profile
}

#[test]
fn a_fork_bomb_stops_at_the_limit() {
    let lab = Lab::new();
    let script = "
import os, time
made = 0
try:
    for _ in range(600):
        if os.fork() == 0:
            time.sleep(1000)
        made += 1
except OSError:
    pass
print(made)";
    for backend in BOTH {
        let outcome = lab.python(backend, &profile(&lab), script);
        let made: u64 = output(&outcome)
            .trim()
            .parse()
            .unwrap_or_else(|_| panic!("{outcome:?}"));
        // Others of the same user come and go when the sandbox shares the user.
        assert!((20..=60).contains(&made), "{backend}: {made}");
        assert_eq!(outcome.end, RunEnd::Exited(0));
    }
}

#[test]
fn a_thread_bomb_stops_at_the_limit() {
    let lab = Lab::new();
    let script = "
import threading
wait, made = threading.Event(), 0
threading.stack_size(65536)
try:
    for _ in range(600):
        threading.Thread(target=wait.wait, daemon=True).start()
        made += 1
except RuntimeError:
    pass
print(made)";
    for backend in BOTH {
        let outcome = lab.python(backend, &profile(&lab), script);
        let made: u64 = output(&outcome)
            .trim()
            .parse()
            .unwrap_or_else(|_| panic!("{outcome:?}"));
        assert!((20..=60).contains(&made), "{backend}: {made}");
    }
}

#[test]
fn memory_of_one_process_ends_at_the_limit() {
    let lab = Lab::new();
    for backend in BOTH {
        let outcome = lab.python(
            backend,
            &profile(&lab),
            "x = bytearray(400 << 20); print('got it')",
        );
        assert_ne!(outcome.end, RunEnd::Exited(0), "{outcome:?}");
        assert_eq!(output(&outcome), "");
    }
}

#[test]
fn memory_of_many_processes_ends_at_the_limit() {
    let lab = Lab::new();
    let script = "
import os, time
for _ in range(8):
    if os.fork() == 0:
        x = bytearray(80 << 20)
        time.sleep(100)
time.sleep(100)";
    for backend in BOTH {
        let outcome = lab.python(backend, &profile(&lab), script);
        assert_eq!(outcome.end, RunEnd::Stopped(Limit::Memory), "{outcome:?}");
        assert_eq!(outcome.denials, [Denial::Limit(Limit::Memory)]);
        // A look sees more than the limit; a kernel that ends them itself stops right at it.
        assert!(outcome.peak_memory > 199 * MIB, "{outcome:?}");
    }
}

/// Where the kernel has groups for us it is the kernel that ends a burst, else a look every few
/// milliseconds; it is told in the same way.
#[test]
fn a_burst_of_memory_ends_at_the_limit_with_and_without_groups() {
    let lab = Lab::new();
    let script = "
import os, time
time.sleep(0.2)
for _ in range(6):
    if os.fork() == 0:
        x = bytearray(60 << 20)
        time.sleep(100)
time.sleep(100)";
    for backend in BOTH {
        for groups in [ControlGroups::find(), None] {
            let command = lab.command("/usr/bin/python3", &["-c", script]);
            let survey = Survey {
                groups: groups.clone(),
                ..Survey::take()
            };
            let outcome =
                sandbox_with(backend, survey).run(&profile(&lab), &command, Live::default());
            let outcome = outcome.unwrap();
            let case = format!("{backend} {groups:?} {outcome:?}");
            assert_eq!(outcome.end, RunEnd::Stopped(Limit::Memory), "{case}");
            assert_eq!(outcome.denials, [Denial::Limit(Limit::Memory)], "{case}");
            let left = groups.map_or(0, |groups| left_over(&groups));
            assert_eq!(left, 0, "{case}");
        }
    }
}

/// Files in memory belong to no process: the kernel counts them in a group, and elsewhere there
/// are none.
#[test]
fn files_in_memory_end_at_the_limit_with_and_without_groups() {
    let lab = Lab::new();
    let script = "
import ctypes, os, time
time.sleep(0.2)
libc = ctypes.CDLL(None, use_errno=True)
print(libc.shmget(0, 4096, 0o1600) >= 0, flush=True)
files = []
for _ in range(4):
    files.append(os.memfd_create('x'))
    for _ in range(100):
        os.write(files[-1], bytes(1 << 20))
print('all')
time.sleep(100)";
    let mut profile = profile(&lab);
    profile.limits.file_size = 1024 * MIB;
    for backend in BOTH {
        for groups in [ControlGroups::find(), None] {
            let command = lab.command("/usr/bin/python3", &["-c", script]);
            let survey = Survey {
                groups: groups.clone(),
                ..Survey::take()
            };
            let outcome = sandbox_with(backend, survey).run(&profile, &command, Live::default());
            let outcome = outcome.unwrap();
            let case = format!("{backend} {groups:?} {outcome:?}");
            assert!(!output(&outcome).contains("all"), "{case}");
            if groups.is_some() {
                assert_eq!(outcome.end, RunEnd::Stopped(Limit::Memory), "{case}");
            } else {
                assert_eq!(output(&outcome), "False\n", "{case}");
                assert!(
                    outcome.stderr.text().contains("Function not implemented"),
                    "{case}"
                );
            }
        }
    }
}

/// Groups of this process that are there still.
fn left_over(groups: &ControlGroups) -> usize {
    let folders = match groups {
        ControlGroups::Unified(folder) => vec![folder],
        ControlGroups::Separate { memory, processes } => vec![memory, processes],
    };
    let own = format!("skillyard-{}-", std::process::id());
    let entries = folders
        .into_iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(&own)).count()
}

#[test]
fn shared_memory_counts() {
    let lab = Lab::new();
    let script = "
import mmap, time
shared = mmap.mmap(-1, 400 << 20)
for at in range(0, len(shared), 4096):
    shared[at] = 1
time.sleep(100)";
    for backend in BOTH {
        let outcome = lab.python(backend, &profile(&lab), script);
        assert_eq!(outcome.end, RunEnd::Stopped(Limit::Memory), "{outcome:?}");
    }
}

#[test]
fn a_file_grows_to_the_limit() {
    let lab = Lab::new();
    for backend in BOTH {
        let outcome = lab.shell(
            backend,
            &profile(&lab),
            "exec dd if=/dev/zero of=big bs=1M count=300 2>/dev/null",
        );
        assert_ne!(outcome.end, RunEnd::Exited(0));
        assert_eq!(
            outcome.denials,
            [Denial::Limit(Limit::FileSize)],
            "{backend}"
        );
        let size = std::fs::metadata(lab.work().join("big")).unwrap().len();
        assert!(size <= 8 * MIB, "{backend}: {size}");
    }
}

#[test]
fn private_folders_fill_up() {
    let lab = Lab::new();
    let script = "
import os, time
wrote, block = 0, b'x' * (1 << 20)
try:
    for number in range(64):
        with open(f'{os.environ[\"TMPDIR\"]}/{number}', 'wb') as file:
            file.write(block)
        wrote += 1
        time.sleep(0.01)
except OSError:
    print(wrote)";
    let outcome = lab.python(Backend::Bubblewrap, &profile(&lab), script);
    let wrote: u64 = output(&outcome)
        .trim()
        .parse()
        .unwrap_or_else(|_| panic!("{outcome:?}"));
    assert!(wrote <= 16, "{wrote}");
    let outcome = lab.python(Backend::Landlock, &profile(&lab), script);
    assert_eq!(outcome.end, RunEnd::Stopped(Limit::Scratch), "{outcome:?}");
}

#[test]
fn other_memory_folders_do_not_grow_without_end() {
    let lab = Lab::new();
    // Where there is no private one, nothing can be written there at all.
    let script = "for n in 1 2 3 4 5 6; do dd if=/dev/zero of=/dev/shm/$n bs=1M count=7 2>/dev/null || exit 3; done";
    for backend in BOTH {
        assert_eq!(
            lab.shell(backend, &profile(&lab), script).end,
            RunEnd::Exited(3),
            "{backend}"
        );
    }
}

#[test]
fn open_files_end_at_the_limit() {
    let lab = Lab::new();
    let script = "
files = []
try:
    while len(files) < 5000:
        files.append(open('/dev/null'))
except OSError as error:
    print(error.errno, len(files) < 100)";
    for backend in BOTH {
        let outcome = lab.python(backend, &profile(&lab), script);
        assert_eq!(output(&outcome), "24 True\n", "{outcome:?}");
    }
}

#[test]
fn a_flood_of_output_is_cut_and_counted() {
    let lab = Lab::new();
    for backend in BOTH {
        let script = "head -c 50000000 /dev/zero; head -c 50000000 /dev/zero >&2; echo the end";
        let outcome = lab.shell(backend, &profile(&lab), script);
        assert_eq!(outcome.end, RunEnd::Exited(0));
        assert_eq!(outcome.stdout.total, 50_000_008);
        assert_eq!(outcome.stderr.total, 50_000_000);
        assert_eq!(
            outcome.stdout.head.len() + outcome.stdout.tail.len(),
            64 * 1024
        );
        assert!(outcome.stdout.tail.ends_with(b"the end\n"));
        assert_eq!(outcome.denials, [Denial::Limit(Limit::Output)]);
    }
}

#[test]
fn processor_time_ends_at_the_limit() {
    let lab = Lab::new();
    let mut profile = profile(&lab);
    profile.limits.cpu = Duration::from_secs(1);
    for backend in BOTH {
        let outcome = lab.shell(backend, &profile, "while :; do :; done");
        assert_eq!(outcome.denials, [Denial::Limit(Limit::Cpu)], "{outcome:?}");
        // Clocks differ by much on a machine that shares its processors.
        assert!(
            outcome.cpu >= Duration::from_millis(100),
            "{:?}",
            outcome.cpu
        );
    }
}

#[test]
fn a_hundred_sandboxes_at_once_keep_their_limits() {
    let lab = Lab::new();
    let profile = Profile {
        limits: profile(&lab).limits,
        ..Profile::default()
    };
    // Each may have 40 processes, and they do not count each other's.
    let script =
        "touch $TMPDIR/mine; ls $TMPDIR; for n in $(seq 25); do sleep 0.2 & done; wait; echo done";
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..100)
            .map(|number| {
                let (lab, profile) = (&lab, &profile);
                scope.spawn(move || {
                    // Without being root all sandboxes are one user, whose processes landlock cannot tell apart.
                    let alone = rustix::process::geteuid().is_root();
                    let backend = if alone {
                        BOTH[number % 2]
                    } else {
                        Backend::Bubblewrap
                    };
                    let command =
                        skillyard_sandbox::Command::new("/bin/sh").arguments(["-c", script]);
                    let outcome = lab.run(backend, profile, &command);
                    assert_eq!(
                        (outcome.end, output(&outcome).as_str()),
                        (RunEnd::Exited(0), "mine\ndone\n"),
                        "{outcome:?}"
                    );
                })
            })
            .collect();
        assert!(runs.into_iter().all(|run| run.join().is_ok()));
    });
}
