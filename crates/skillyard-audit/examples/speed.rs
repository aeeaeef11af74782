//! How fast events are written and checked: `cargo run --release -p skillyard-audit --example speed`.
//!
//! Prints what one event costs the caller, the time to verify 100,000 events, both in CPU, and
//! how long eight processes take with 10,000 events each.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "this program is for people who measure"
)]

use std::path::Path;
use std::time::Instant;

use jiff::Timestamp;
use skillyard_audit::{AuditLog, Event, EventKind, Options, verify};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [folder, count] = arguments.as_slice() {
        write(
            Path::new(folder),
            EventKind::SkillActivated,
            count.parse().unwrap(),
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let alone = folder.path().join("alone");
    let (cpu, wall) = write(&alone, EventKind::SkillActivated, 100_000);
    println!(
        "append, routine event:   {:>8.2} us CPU, {:.2} us",
        cpu * 10.0,
        wall * 10.0
    );
    let (cpu, wall) = write(&folder.path().join("synced"), EventKind::ToolBlocked, 200);
    println!(
        "append, security event:  {:>8.2} us CPU, {:.2} us with the disk",
        cpu * 5_000.0,
        wall * 5_000.0
    );
    let start = cpu_seconds();
    let verdict = verify(&alone, None).unwrap();
    assert!(verdict.fault.is_none() && verdict.events >= 100_000);
    println!(
        "verify {} events:    {:>8.2} ms CPU",
        verdict.events,
        (cpu_seconds() - start) * 1_000.0
    );
    many(&folder.path().join("many"));
}

/// Appends so many events, and tells the seconds of CPU and of the clock that took.
fn write(folder: &Path, kind: EventKind, count: u32) -> (f64, f64) {
    let log = AuditLog::open(folder, Options::default()).unwrap();
    let digest = format!("sha256:{}", "0".repeat(64));
    let event = Event::new(kind)
        .skill("pdf-tools")
        .digest(digest)
        .session("s-1")
        .tier("medium");
    let event = event
        .source("registry")
        .trigger("model")
        .reason("the task names PDF files");
    let (cpu, wall) = (cpu_seconds(), Instant::now());
    for _ in 0..count {
        log.append(Timestamp::UNIX_EPOCH, "me", &event).unwrap();
    }
    (cpu_seconds() - cpu, wall.elapsed().as_secs_f64())
}

/// The CPU that this thread has used, which a busy machine does not distort; only Linux tells.
fn cpu_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told.split(' ').next().and_then(|first| first.parse().ok());
    nanoseconds.unwrap_or(f64::NAN) / 1e9
}

#[expect(clippy::disallowed_methods, reason = "the writers are this program")]
fn many(folder: &Path) {
    let start = Instant::now();
    let writers = (0..8).map(|_| {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.arg(folder).arg("10000").spawn().unwrap()
    });
    for mut writer in writers.collect::<Vec<_>>() {
        assert!(writer.wait().unwrap().success());
    }
    let spent = start.elapsed();
    let verdict = verify(folder, None).unwrap();
    assert!(verdict.fault.is_none(), "{verdict:?}");
    println!(
        "8 processes x 10,000:    {:>8.2} s, {} events, intact",
        spent.as_secs_f64(),
        verdict.events
    );
}
