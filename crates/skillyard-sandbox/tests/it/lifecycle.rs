//! How runs end: always, with everything that belongs to them.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use skillyard_sandbox::{Command, Denial, Limit, Profile, RunEnd, Stdin};

use crate::lab::{BOTH, Lab, is_alive, output, program, try_run};

/// Marks the processes of one test so that they can be found from outside.
fn marked(mark: &str) -> Vec<u32> {
    let processes = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let process = entry.file_name().to_str()?.parse::<u32>().ok()?;
            let words = fs::read(entry.path().join("cmdline")).ok()?;
            String::from_utf8_lossy(&words)
                .contains(mark)
                .then_some(process)
        });
    let own = std::process::id();
    processes
        .filter(|process| *process != own && is_alive(*process))
        .collect()
}

/// Forks, leaves its session and its parent, and ignores every signal that can be ignored.
const DAEMON: &str = "
import os, signal, sys, time
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1000)
        os._exit(0)
print('started', flush=True)
time.sleep(float(sys.argv[2]))";

#[test]
fn a_timeout_ends_daemons_that_ignore_signals() {
    let lab = Lab::new();
    let mut profile = lab.profile();
    profile.limits.wall = Duration::from_secs(1);
    for backend in BOTH {
        let mark = format!("daemon-{backend}-{}", std::process::id());
        let outcome = lab.run(
            backend,
            &profile,
            &lab.command("/usr/bin/python3", &["-c", DAEMON, &mark, "1000"]),
        );
        assert_eq!(outcome.end, RunEnd::Stopped(Limit::WallTime), "{outcome:?}");
        assert_eq!(outcome.code(), 124);
        assert_eq!(outcome.denials, [Denial::Limit(Limit::WallTime)]);
        assert_eq!(output(&outcome), "started\n");
        assert!(outcome.duration >= Duration::from_secs(1));
        // Alone on a machine it takes a few milliseconds more; the daemon would take a quarter of an hour.
        assert!(
            outcome.duration < Duration::from_secs(50),
            "{:?}",
            outcome.duration
        );
        assert_eq!(marked(&mark), Vec::<u32>::new(), "{backend}");
    }
}

#[test]
fn daemons_end_with_the_program() {
    let lab = Lab::new();
    for backend in BOTH {
        let mark = format!("leftover-{backend}-{}", std::process::id());
        let outcome = lab.run(
            backend,
            &lab.profile(),
            &lab.command("/usr/bin/python3", &["-c", DAEMON, &mark, "0.05"]),
        );
        assert_eq!(
            (outcome.end, output(&outcome).as_str()),
            (RunEnd::Exited(0), "started\n"),
            "{outcome:?}"
        );
        assert_eq!(marked(&mark), Vec::<u32>::new(), "{backend}");
    }
}

#[test]
fn a_program_that_halts_itself_is_ended() {
    let lab = Lab::new();
    let mut profile = lab.profile();
    profile.limits.wall = Duration::from_millis(500);
    for backend in BOTH {
        let outcome = lab.shell(backend, &profile, "kill -STOP $$");
        assert_eq!(outcome.end, RunEnd::Stopped(Limit::WallTime), "{outcome:?}");
    }
}

#[test]
fn a_fork_bomb_is_ended_in_time() {
    let lab = Lab::new();
    let mut profile = lab.profile();
    profile.limits.wall = Duration::from_millis(700);
    profile.limits.processes = 60;
    for backend in BOTH {
        let mark = format!("bomb-{backend}-{}", std::process::id());
        let script = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass";
        let outcome = lab.run(
            backend,
            &profile,
            &lab.command("/usr/bin/python3", &["-c", script, &mark]),
        );
        assert_eq!(outcome.end, RunEnd::Stopped(Limit::WallTime), "{outcome:?}");
        assert_eq!(marked(&mark), Vec::<u32>::new(), "{backend}");
    }
}

#[test]
fn a_child_that_keeps_the_output_open_does_not_keep_the_run() {
    let lab = Lab::new();
    for backend in BOTH {
        let outcome = lab.shell(backend, &lab.profile(), "sleep 1000 & echo done");
        assert_eq!(
            (outcome.end, output(&outcome).as_str()),
            (RunEnd::Exited(0), "done\n")
        );
        assert!(outcome.duration < Duration::from_secs(20));
    }
}

#[test]
fn a_program_that_closes_its_output_is_waited_for() {
    let lab = Lab::new();
    for backend in BOTH {
        let outcome = lab.shell(
            backend,
            &lab.profile(),
            "exec >&- 2>&-; sleep 0.1; echo x > waited; exit 5",
        );
        assert_eq!(outcome.end, RunEnd::Exited(5));
        assert!(lab.work().join("waited").exists());
        fs::remove_file(lab.work().join("waited")).unwrap();
    }
}

#[test]
fn codes_and_signals_are_told_apart() {
    let lab = Lab::new();
    for backend in BOTH {
        for code in [0, 1, 2, 42, 124, 137, 255] {
            let outcome = lab.shell(backend, &lab.profile(), &format!("exit {code}"));
            assert_eq!((outcome.end, outcome.code()), (RunEnd::Exited(code), code));
        }
        let outcome = lab.shell(backend, &lab.profile(), "kill -KILL $$");
        assert_eq!((outcome.end, outcome.code()), (RunEnd::Signalled(9), 137));
        let outcome = lab.shell(backend, &lab.profile(), "kill -SEGV $$");
        assert_eq!((outcome.end, outcome.code()), (RunEnd::Signalled(11), 139));
    }
}

#[test]
fn the_end_cannot_be_forged() {
    let lab = Lab::new();
    for backend in BOTH {
        let script = "for fd in 3 4 5 6 7 8 9; do eval \"echo 'exit 0 0 0' >&$fd\" 2>/dev/null; done; exit 7";
        assert_eq!(
            lab.shell(backend, &lab.profile(), script).end,
            RunEnd::Exited(7)
        );
    }
}

/// Leaves far more orphans than processes are allowed, one after the other.
///
/// A busy machine may take a moment for each. Whoever finds no place waits for one: without an
/// end, if none is ever given back.
const ORPHANS: &str = "
import os, time
def fork():
    while True:
        try: return os.fork()
        except BlockingIOError: time.sleep(0.005)
for _ in range(200):
    child = fork()
    if child == 0:
        fork()
        os._exit(0)
    os.waitpid(child, 0)
print('done')";

#[test]
fn orphans_are_reaped() {
    let lab = Lab::new();
    let mut profile = lab.profile();
    profile.limits.processes = 30;
    for backend in BOTH {
        let outcome = lab.python(backend, &profile, ORPHANS);
        assert_eq!(
            (outcome.end, output(&outcome).as_str()),
            (RunEnd::Exited(0), "done\n"),
            "{outcome:?}"
        );
    }
}

#[test]
fn input_is_empty_or_what_was_given() {
    let lab = Lab::new();
    for backend in BOTH {
        assert_eq!(
            output(&lab.shell(backend, &lab.profile(), "cat; echo end")),
            "end\n"
        );
        let large: Vec<u8> = (0..300_000_u32)
            .map(|number| (number % 251) as u8)
            .collect();
        let command = Command {
            stdin: Stdin::Bytes(large.clone()),
            ..lab.command("/bin/cat", &[])
        };
        assert_eq!(
            lab.run(backend, &lab.profile(), &command).stdout.head,
            large
        );
        // Nobody has to read it.
        let command = Command {
            stdin: Stdin::Bytes(large),
            ..lab.command("/bin/true", &[])
        };
        assert_eq!(
            lab.run(backend, &lab.profile(), &command).end,
            RunEnd::Exited(0)
        );
    }
}

#[test]
fn private_folders_are_not_shared_and_leave_nothing() {
    let lab = Lab::new();
    for backend in BOTH {
        let script = "ls -A $TMPDIR; mkdir -p $TMPDIR/a/b; echo x > $TMPDIR/a/b/c; chmod 0 $TMPDIR/a/b; echo $TMPDIR";
        let first = output(&lab.shell(backend, &lab.profile(), script));
        let second = output(&lab.shell(backend, &lab.profile(), script));
        for shown in [&first, &second] {
            assert_eq!(shown.lines().count(), 1, "{shown}");
        }
        let place = Path::new(first.trim());
        assert!(place == Path::new("/tmp") || !place.exists(), "{first}");
    }
}

/// Not a test of its own: what [`when_we_die_so_does_everything`] starts and kills.
#[test]
fn victim() {
    let Ok(text) = fs::read_to_string("/proc/self/cmdline") else {
        return;
    };
    let Some(mark) = text.split('\0').find_map(|word| word.strip_prefix("mark=")) else {
        return;
    };
    let (backend, mark) = mark.split_once('/').unwrap();
    // Without a lab: who is killed cleans nothing up, and queues of the host outlive their maker.
    let command = Command::new("/usr/bin/python3").arguments(["-c", DAEMON, mark, "1000"]);
    let outcome = try_run(backend.parse().unwrap(), &Profile::default(), &command);
    panic!("nobody killed this: {outcome:?}");
}

#[test]
fn when_we_die_so_does_everything() {
    for backend in BOTH {
        let mark = format!("orphan-{backend}-{}", std::process::id());
        let mut victim = program(&std::env::current_exe().unwrap())
            .args(["--exact", "lifecycle::victim", "--nocapture"])
            // An argument that the test runner takes for another filter.
            .arg(format!("mark={backend}/{mark}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let sandboxed = || {
            let all = marked(&mark);
            all.into_iter()
                .filter(|process| *process != victim.id())
                .collect::<Vec<_>>()
        };
        let patience = Instant::now();
        while sandboxed().len() < 4 {
            assert!(
                patience.elapsed() < Duration::from_mins(1),
                "{backend}: it did not start"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        let before = sandboxed();
        victim.kill().unwrap();
        victim.wait().unwrap();
        let patience = Instant::now();
        while before.iter().any(|process| is_alive(*process)) {
            assert!(
                patience.elapsed() < Duration::from_secs(20),
                "{backend}: {:?}",
                marked(&mark)
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
