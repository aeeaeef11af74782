//! The chain: what is written verifies, and every way to tamper with it is found and located.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on stops where it is"
)]

mod files;
mod tampering;

use std::borrow::Cow;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use skillyard_audit::{
    AuditEntry, AuditLog, Event, EventKind, Filter, LogFollower, Options, Outcome, Redact, Verdict,
    for_each_entry, read, read_page, verify,
};
use tempfile::TempDir;

fn event(at: u64) -> Event {
    Event::new(EventKind::SkillActivated)
        .skill(format!("s{at}"))
        .session("one")
}

fn options(max_bytes: u64, keep: usize) -> Options {
    Options {
        max_bytes,
        keep,
        ..Options::default()
    }
}

fn append(log: &AuditLog, count: u64) {
    for at in 0..count {
        log.append(Timestamp::UNIX_EPOCH, "me", &event(at)).unwrap();
    }
}

/// A log with so many events.
fn written(count: u64) -> TempDir {
    let folder = TempDir::new().unwrap();
    append(
        &AuditLog::open(&logs(&folder), Options::default()).unwrap(),
        count,
    );
    folder
}

fn logs(folder: &TempDir) -> PathBuf {
    folder.path().join("logs")
}

fn current(folder: &TempDir) -> PathBuf {
    logs(folder).join("audit.jsonl")
}

fn lines(folder: &TempDir) -> Vec<String> {
    let text = fs::read_to_string(current(folder)).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn tampered(folder: &TempDir, lines: &[String]) -> Verdict {
    fs::write(current(folder), lines.join("\n") + "\n").unwrap();
    verify(&logs(folder), None).unwrap()
}

fn told(verdict: &Verdict) -> String {
    match &verdict.fault {
        Some(fault) => format!("{}:{}: {}", fault.file, fault.line, fault.kind),
        None => "intact".into(),
    }
}

#[test]
fn what_is_written_verifies() {
    assert_eq!(
        told(&verify(Path::new("/nonexistent/logs"), None).unwrap()),
        "intact"
    );
    let folder = written(100);
    let verdict = verify(&logs(&folder), None).unwrap();
    assert_eq!(
        (told(&verdict).as_str(), verdict.events, verdict.first_seq),
        ("intact", 100, 1)
    );
    // Another writer goes on where the first one stopped.
    append(
        &AuditLog::open(&logs(&folder), Options::default()).unwrap(),
        5,
    );
    let verdict = verify(&logs(&folder), None).unwrap();
    assert_eq!((told(&verdict).as_str(), verdict.events), ("intact", 105));
}

#[test]
fn the_files_are_their_owners_alone() {
    let folder = written(1);
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&logs(&folder)), 0o700);
    assert_eq!(mode(&current(&folder)), 0o600);
    assert_eq!(mode(&logs(&folder).join("audit.head")), 0o600);
    fs::set_permissions(current(&folder), fs::Permissions::from_mode(0o666)).unwrap();
    append(
        &AuditLog::open(&logs(&folder), Options::default()).unwrap(),
        1,
    );
    assert_eq!(mode(&current(&folder)), 0o600);
}

#[test]
fn filters() {
    let folder = TempDir::new().unwrap();
    let log = AuditLog::open(&logs(&folder), Options::default()).unwrap();
    let at = |second| Timestamp::from_second(second).unwrap();
    log.append(
        at(10),
        "me",
        &Event::new(EventKind::SkillInstalled).skill("pdf"),
    )
    .unwrap();
    log.append(
        at(20),
        "me",
        &Event::new(EventKind::ToolBlocked)
            .skill("pdf")
            .session("s")
            .ended(Outcome::Denied, "no"),
    )
    .unwrap();
    log.append(
        at(30),
        "me",
        &Event::new(EventKind::ApprovalGranted).skill("csv"),
    )
    .unwrap();
    let found = |filter: Filter| {
        let reading = read(&logs(&folder), &filter).unwrap();
        let numbers = reading
            .lines
            .iter()
            .map(|line| AuditEntry::parse(line).unwrap().seq);
        numbers.collect::<Vec<_>>()
    };
    let none = Filter::default;
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(found(none()), [1, 2, 3]);
    assert_eq!(
        found(Filter {
            skill: some("pdf"),
            ..none()
        }),
        [1, 2]
    );
    assert_eq!(
        found(Filter {
            event: some("skill"),
            ..none()
        }),
        [1, 2]
    );
    assert_eq!(
        found(Filter {
            event: some("skill.tool_blocked"),
            ..none()
        }),
        [2]
    );
    assert_eq!(
        found(Filter {
            event: some("skill.tool"),
            ..none()
        }),
        [0; 0]
    );
    assert_eq!(
        found(Filter {
            outcome: some("denied"),
            ..none()
        }),
        [2]
    );
    assert_eq!(
        found(Filter {
            session: some("s"),
            ..none()
        }),
        [2]
    );
    assert_eq!(
        found(Filter {
            since: Some(at(20)),
            until: Some(at(30)),
            ..none()
        }),
        [2]
    );
    assert_eq!(
        found(Filter {
            limit: Some(2),
            ..none()
        }),
        [2, 3]
    );
    assert_eq!(
        found(Filter {
            limit: Some(0),
            ..none()
        }),
        [0; 0]
    );
}

#[test]
fn the_log_is_read_page_by_part_from_the_newest_on() {
    let folder = TempDir::new().unwrap();
    let log = AuditLog::open(&logs(&folder), Options::default()).unwrap();
    append(&log, 3);
    let part = |before, limit| {
        let filter = Filter {
            before,
            limit: Some(limit),
            ..Filter::default()
        };
        let (reading, older) = read_page(&logs(&folder), &filter).unwrap();
        let numbers = reading
            .lines
            .iter()
            .map(|line| AuditEntry::parse(line).unwrap().seq);
        (numbers.collect::<Vec<_>>(), older)
    };
    assert_eq!(part(None, 3), (vec![1, 2, 3], None));
    assert_eq!(part(None, 2), (vec![2, 3], Some(2)));
    assert_eq!(part(Some(2), 2), (vec![1], None));
    assert_eq!(part(Some(1), 2), (vec![], None));
    assert_eq!(part(None, 0), (vec![], Some(4)));
}

#[test]
fn what_is_read_while_files_become_full_is_all_there() {
    let folder = TempDir::new().unwrap();
    let log = AuditLog::open(&logs(&folder), options(2_000, 100)).unwrap();
    append(&log, 20);
    let mut seen = Vec::new();
    let unreadable = for_each_entry(&logs(&folder), |_, entry| {
        if seen.is_empty() {
            append(&log, 40);
        }
        seen.push(entry.seq);
    });
    assert_eq!(unreadable.unwrap(), 0);
    // That files became full is told, too.
    assert!(seen.len() > 60, "{}", seen.len());
    assert!(seen.iter().copied().eq(1..=seen.len() as u64), "{seen:?}");
}

#[test]
fn new_lines_are_told_through_rotations() {
    let folder = TempDir::new().unwrap();
    let log = AuditLog::open(&logs(&folder), options(2_000, 100)).unwrap();
    append(&log, 3);
    let mut follow = LogFollower::new(&logs(&folder)).unwrap();
    assert!(follow.poll().unwrap().is_empty());
    let mut seen = Vec::new();
    for _ in 0..30 {
        append(&log, 1);
        for line in follow.poll().unwrap() {
            seen.push(AuditEntry::parse(&line).unwrap().seq);
        }
    }
    let last = *seen.last().unwrap();
    assert_eq!(seen, (4..=last).collect::<Vec<_>>());
}

struct Stars;

impl Redact for Stars {
    fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        Cow::Owned(text.replace("hunter2", "***"))
    }
}

#[test]
fn secrets_are_not_written() {
    let folder = TempDir::new().unwrap();
    let options = Options {
        redact: Box::new(Stars),
        ..Options::default()
    };
    let log = AuditLog::open(&logs(&folder), options).unwrap();
    let secret = "x hunter2 x";
    let mut event = Event::new(EventKind::ScriptExecuted)
        .ended(Outcome::Failed, secret)
        .detail(secret, secret);
    event = event
        .session(secret)
        .task(secret)
        .skill("a hunter2")
        .digest("b hunter2")
        .source(secret);
    event = event.origin(secret).tier("c hunter2").trigger(secret);
    log.append(Timestamp::UNIX_EPOCH, secret, &event).unwrap();
    let text = fs::read_to_string(current(&folder)).unwrap();
    assert_eq!(text.matches("x *** x").count(), 9, "{text}");
    // What it is about stays, whatever it is called.
    for named in [
        r#""skill":"a hunter2""#,
        r#""digest":"b hunter2""#,
        r#""tier":"c hunter2""#,
    ] {
        assert!(text.contains(named), "{text}");
    }
    assert_eq!(text.matches("hunter2").count(), 3, "{text}");
}
