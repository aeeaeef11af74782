//! How fast events are written and checked: `cargo run --release -p skillyard-audit --example speed`.
//!
//! Prints what one event costs the caller, eight processes with 10,000 events each, and the time
//! to verify 100,000 events.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "this program is for people who measure"
)]

use std::path::Path;
use std::time::{Duration, Instant};

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
    let spent = write(&alone, EventKind::SkillActivated, 100_000);
    println!(
        "append, routine event:   {:>8.2} us",
        spent.as_secs_f64() * 10.0
    );
    let spent = write(&folder.path().join("synced"), EventKind::ToolBlocked, 200);
    println!(
        "append, security event:  {:>8.2} us (with fdatasync)",
        spent.as_secs_f64() * 5_000.0
    );
    let start = Instant::now();
    let verdict = verify(&alone, None).unwrap();
    assert!(verdict.fault.is_none() && verdict.events >= 100_000);
    println!(
        "verify {} events:    {:>8.2} ms",
        verdict.events,
        start.elapsed().as_secs_f64() * 1_000.0
    );
    many(&folder.path().join("many"));
}

/// Appends so many events, and tells how long that took.
fn write(folder: &Path, kind: EventKind, count: u32) -> Duration {
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
    let start = Instant::now();
    for _ in 0..count {
        log.append(Timestamp::UNIX_EPOCH, "me", &event).unwrap();
    }
    start.elapsed()
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
