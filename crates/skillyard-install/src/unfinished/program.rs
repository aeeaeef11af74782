//! Ending a program and whom it started.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io;
use rustix::process::{
    Pid, Signal, kill_process, kill_process_group, test_kill_process, test_kill_process_group,
};

/// How long programs have to end by themselves, as ssh does that lets a terminal show again what is
/// typed.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How often it is looked whether they have.
const GLANCE: Duration = Duration::from_millis(5);

/// Who ends with a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// Its group, which has its number.
    Group,
    /// Itself, and whom it started as far as that can be told, in our group.
    Children,
}

impl Reach {
    /// Gives a program that is about to start a group of its own. Where there is a terminal it stays
    /// in ours: ssh may ask there for a password, and a group in the background may not.
    pub(super) fn of(command: &mut Command) -> Self {
        if File::open("/dev/tty").is_ok() {
            return Self::Children;
        }
        command.process_group(0);
        Self::Group
    }
}

/// A program that is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Program {
    number: i32,
    reach: Reach,
}

impl Program {
    pub(super) fn new(child: &Child, reach: Reach) -> Self {
        let number = Pid::from_child(child).as_raw_nonzero().get();
        Self { number, reach }
    }

    /// All that is to be ended with it.
    fn targets(self) -> Vec<Target> {
        match self.reach {
            Reach::Group => Pid::from_raw(self.number)
                .map(Target::Group)
                .into_iter()
                .collect(),
            Reach::Children => {
                let numbers = with_children(self.number).into_iter();
                let processes = numbers.filter_map(Pid::from_raw);
                processes.map(Target::Process).collect()
            }
        }
    }
}

/// Whom a signal is sent to.
#[derive(Debug, Clone, Copy)]
enum Target {
    Group(Pid),
    Process(Pid),
}

impl Target {
    fn send(self, signal: Signal) -> io::Result<()> {
        match self {
            Self::Group(group) => kill_process_group(group, signal),
            Self::Process(process) => kill_process(process, signal),
        }
    }

    /// Whether there is anybody left. Who has ended is, until the one that started it has noticed.
    fn is_there(self) -> bool {
        let looked = match self {
            Self::Group(group) => test_kill_process_group(group),
            Self::Process(process) => test_kill_process(process),
        };
        looked.is_ok()
    }
}

/// Asks programs to end, and ends those that do not; `glance` is called while they are waited for.
pub(super) fn end(programs: impl IntoIterator<Item = Program>, mut glance: impl FnMut()) {
    let mut targets: Vec<Target> = programs.into_iter().flat_map(Program::targets).collect();
    // Who cannot be reached is there no more.
    targets.retain(|target| target.send(Signal::TERM).is_ok());
    let start = Instant::now();
    while !targets.is_empty() && start.elapsed() < LAST_WORDS {
        thread::sleep(GLANCE);
        glance();
        targets.retain(|target| target.is_there());
    }
    for target in targets {
        let _ = target.send(Signal::KILL);
    }
}

/// A program, and all that were started by it.
#[cfg(target_os = "linux")]
fn with_children(number: i32) -> Vec<i32> {
    let mut all = vec![number];
    let mut next = 0;
    while let Some(number) = all.get(next) {
        let file = format!("/proc/{number}/task/{number}/children");
        let children = std::fs::read_to_string(file).unwrap_or_default();
        all.extend(
            children
                .split_whitespace()
                .filter_map(|each| each.parse::<i32>().ok()),
        );
        next += 1;
    }
    all
}

/// Elsewhere nobody says it: git ends whom it started but for ssh, which ends with its connection.
#[cfg(not(target_os = "linux"))]
fn with_children(number: i32) -> Vec<i32> {
    vec![number]
}
