//! Many processes at once, and processes that are killed.
//!
//! This program is both: without arguments of its own it tests, with `write` it writes.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot go on stops where it is, and it answers the runner"
)]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use jiff::Timestamp;
use skillyard_audit::{AuditLog, Event, EventKind, Filter, Options, read, verify};
use tempfile::TempDir;

/// The tests by name.
const TESTS: [(&str, fn()); 2] = [
    ("many_processes_lose_nothing", many_processes_lose_nothing),
    (
        "a_kill_leaves_a_log_that_verifies",
        a_kill_leaves_a_log_that_verifies,
    ),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["write", folder, count] => write(Path::new(folder), count.parse().unwrap()),
        words if words.contains(&"--list") => {
            for (name, _) in TESTS.iter().filter(|_| !words.contains(&"--ignored")) {
                println!("{name}: test");
            }
        }
        words => {
            let wanted: Vec<&&str> = words.iter().filter(|word| !word.starts_with('-')).collect();
            for (name, test) in TESTS {
                if wanted.is_empty() || wanted.iter().any(|word| name.contains(**word)) {
                    test();
                    println!("test {name} ... ok");
                }
            }
        }
    }
}

/// Writes so many events, and tells the number of each once it is in the log.
fn write(folder: &Path, count: u64) {
    let options = Options {
        max_bytes: 200_000,
        keep: 1_000,
        ..Options::default()
    };
    let log = AuditLog::open(folder, options).unwrap();
    let actor = std::process::id().to_string();
    for at in 0..count {
        let event = Event::new(EventKind::SkillActivated)
            .skill(format!("s{at}"))
            .reason("x".repeat(100));
        let receipt = log.append(Timestamp::UNIX_EPOCH, &actor, &event).unwrap();
        println!("{}", receipt.seq);
    }
}

#[expect(clippy::disallowed_methods, reason = "the writers are this program")]
fn start(folder: &Path, count: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .arg("write")
        .arg(folder)
        .arg(count.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The numbers that a writer told, up to its end.
fn receipts(child: &mut Child) -> Vec<u64> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let numbers = lines
        .map_while(Result::ok)
        .filter_map(|line| line.parse().ok());
    numbers.collect()
}

fn many_processes_lose_nothing() {
    let folder = TempDir::new().unwrap();
    let logs = folder.path().join("logs");
    let mut writers: Vec<Child> = (0..8).map(|_| start(&logs, 1_250)).collect();
    let mut numbers: Vec<u64> = writers.iter_mut().flat_map(receipts).collect();
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    let verdict = verify(&logs, None).unwrap();
    assert!(verdict.fault.is_none(), "{verdict:?}");
    assert!(verdict.files > 5, "{verdict:?}");
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 10_000, "every event has a number of its own");
    let filter = Filter {
        event: Some("skill.activated".into()),
        ..Filter::default()
    };
    assert_eq!(read(&logs, &filter).unwrap().lines.len(), 10_000);
}

fn a_kill_leaves_a_log_that_verifies() {
    let folder = TempDir::new().unwrap();
    let logs = folder.path().join("logs");
    let mut told = 0;
    for round in 0..20 {
        let mut writers: Vec<Child> = (0..2).map(|_| start(&logs, 100_000)).collect();
        let mut first = BufReader::new(writers[0].stdout.take().unwrap()).lines();
        // The kill comes at another moment each time.
        for _ in 0..=(round * 13) {
            first.next();
        }
        for writer in &mut writers {
            writer.kill().unwrap();
        }
        let numbers = first
            .map_while(Result::ok)
            .filter_map(|line| line.parse::<u64>().ok());
        told = told.max(numbers.max().unwrap_or(0));
        told = told.max(receipts(&mut writers[1]).into_iter().max().unwrap_or(0));
        for writer in &mut writers {
            writer.wait().unwrap();
        }
        let verdict = verify(&logs, None).unwrap();
        assert!(verdict.fault.is_none(), "round {round}: {verdict:?}");
        assert!(
            verdict.last.unwrap().0 >= told,
            "what was told is in the log"
        );
    }
}
