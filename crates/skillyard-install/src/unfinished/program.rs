//! Ending a program and whom it started.
//!
//! They stay in our group: ssh may ask at the terminal, which a group in the background may not, and
//! whoever ends our group ends them with it, also by a signal that nobody hears.

use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

/// How long programs have to end by themselves, as ssh does that lets a terminal show again what is
/// typed.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How often it is looked whether they have.
const GLANCE: Duration = Duration::from_millis(5);

/// A program that is waited for, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ProgramId(i32);

impl ProgramId {
    pub(super) fn new(child: &Child) -> Self {
        Self(Pid::from_child(child).as_raw_nonzero().get())
    }
}

/// Asks programs to end, and ends those that do not; `glance` is called while they are waited for.
pub(super) fn end(programs: impl IntoIterator<Item = ProgramId>, mut glance: impl FnMut()) {
    let numbers = programs.into_iter();
    let numbers = numbers.flat_map(|program| with_children(program.0));
    let mut left: Vec<Pid> = numbers.filter_map(Pid::from_raw).collect();
    // Who cannot be reached is there no more.
    left.retain(|each| kill_process(*each, Signal::TERM).is_ok());
    let start = Instant::now();
    while !left.is_empty() && start.elapsed() < LAST_WORDS {
        thread::sleep(GLANCE);
        glance();
        // Who has ended is there until the one that started it has noticed.
        left.retain(|each| test_kill_process(*each).is_ok());
    }
    for each in left {
        let _ = kill_process(each, Signal::KILL);
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
