//! The chain: what is written verifies, and every way to tamper with it is found and located.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on stops where it is"
)]

use std::borrow::Cow;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use proptest::prelude::*;
use skillyard_audit::{
    AuditError, AuditLog, Entry, Event, EventKind, FaultKind, Filter, Follow, Options, Outcome,
    Redact, Verdict, read, verify,
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
fn a_changed_line() {
    let folder = written(10);
    let mut lines = lines(&folder);
    lines[4] = lines[4].replace("\"s4\"", "\"s5\"");
    assert_eq!(
        told(&tampered(&folder, &lines)),
        "audit.jsonl:5: this line was changed"
    );
    lines[4] = "{}".into();
    assert_eq!(
        told(&tampered(&folder, &lines)),
        "audit.jsonl:5: this line was changed"
    );
    let mut lines = self::lines(&written(10));
    lines[0] = lines[0].replace("\"me\"", "\"you\"");
    assert_eq!(
        told(&tampered(&folder, &lines)),
        "audit.jsonl:1: this line was changed"
    );
}

/// A line that says something else, with the hash that fits it.
fn forged(seq: u64, prev: &str) -> String {
    use sha2::{Digest as _, Sha256};
    let body = format!(
        "{{\"seq\":{seq},\"time\":\"1970-01-01T00:00:00Z\",\"event\":\"skill.removed\",\"actor\":\"you\",\"outcome\":\"ok\",\"prev\":\"{prev}\""
    );
    format!(
        "{body},\"hash\":\"{}\"}}",
        hex::encode(Sha256::digest(body.as_bytes()))
    )
}

fn hash_of(line: &str) -> &str {
    &line[line.len() - 66..line.len() - 2]
}

#[test]
fn a_line_that_was_forged_with_its_hash() {
    let folder = written(10);
    let mut lines = lines(&folder);
    lines[4] = forged(5, hash_of(&lines[3]));
    assert_eq!(
        told(&tampered(&folder, &lines)),
        "audit.jsonl:6: the line before this one was replaced"
    );
    // The last one has no line behind it that would tell, but the head does.
    let folder = written(10);
    let mut lines = self::lines(&folder);
    lines[9] = forged(10, hash_of(&lines[8]));
    assert_eq!(
        told(&tampered(&folder, &lines)),
        "audit.jsonl:10: the log does not end as `audit.head` says: it was rewritten"
    );
    // So does it when somebody adds a line of their own.
    let mut lines = self::lines(&written(10));
    lines.push(forged(11, &"0".repeat(64)));
    assert_eq!(
        told(&tampered(&folder, &lines)),
        "audit.jsonl:11: the line before this one was replaced"
    );
}

#[test]
fn removed_lines() {
    let folder = written(10);
    let whole = lines(&folder);
    let without = |gone: std::ops::Range<usize>| {
        let mut lines = whole.clone();
        lines.drain(gone);
        told(&tampered(&folder, &lines))
    };
    assert_eq!(
        without(3..4),
        "audit.jsonl:4: 1 line before this one was removed"
    );
    assert_eq!(
        without(3..6),
        "audit.jsonl:4: 3 lines before this one were removed"
    );
    assert_eq!(
        without(0..2),
        "audit.jsonl:1: 2 lines before this one were removed"
    );
    assert_eq!(
        without(9..10),
        "audit.jsonl:9: the log was cut off: 1 event is missing after this line"
    );
    assert_eq!(
        without(5..10),
        "audit.jsonl:5: the log was cut off: 5 events are missing after this line"
    );
}

#[test]
fn swapped_and_repeated_lines() {
    let folder = written(10);
    let whole = lines(&folder);
    let mut lines = whole.clone();
    lines.swap(3, 7);
    assert_eq!(
        told(&tampered(&folder, &lines)),
        "audit.jsonl:4: this line stands in the wrong place: lines were swapped"
    );
    let mut lines = whole.clone();
    lines.insert(6, whole[2].clone());
    assert_eq!(
        told(&tampered(&folder, &lines)),
        "audit.jsonl:7: this line does not belong here: it was inserted"
    );
}

#[test]
fn what_is_gone_as_a_whole() {
    let folder = written(10);
    fs::remove_file(current(&folder)).unwrap();
    assert_eq!(
        told(&verify(&logs(&folder), None).unwrap()),
        "audit.jsonl:0: the log was cut off: 10 events are missing after this line"
    );
    let folder = written(10);
    fs::remove_file(logs(&folder).join("audit.head")).unwrap();
    assert_eq!(
        verify(&logs(&folder), None).unwrap().fault.unwrap().kind,
        FaultKind::NoHead
    );
    fs::write(logs(&folder).join("audit.head"), "nonsense").unwrap();
    assert_eq!(
        verify(&logs(&folder), None).unwrap().fault.unwrap().kind,
        FaultKind::NoHead
    );
}

/// Damage stays told, also when the log has gone on.
#[test]
fn damage_is_written_down_by_the_next_writer() {
    let check = |damage: &dyn Fn(&TempDir), expected: &str| {
        let folder = written(10);
        damage(&folder);
        append(
            &AuditLog::open(&logs(&folder), Options::default()).unwrap(),
            5,
        );
        let verdict = verify(&logs(&folder), None).unwrap();
        assert_eq!(told(&verdict), expected);
    };
    let keep = |folder: &TempDir, count: usize| {
        let lines = lines(folder)[..count].join("\n");
        fs::write(current(folder), lines + "\n").unwrap();
    };
    check(
        &|folder| keep(folder, 7),
        "audit.jsonl:8: damage was found when this line was written: 3 events were missing at the end",
    );
    check(
        &|folder| {
            keep(folder, 7);
            fs::remove_file(logs(folder).join("audit.head")).unwrap();
        },
        "audit.jsonl:8: damage was found when this line was written: `audit.head` was missing, so lines may be missing too",
    );
    check(
        &|folder| fs::remove_file(current(folder)).unwrap(),
        "audit.jsonl:1: 10 lines before this one were removed",
    );
}

#[test]
fn a_line_that_was_never_finished_is_healed() {
    let folder = written(10);
    let bytes = fs::read(current(&folder)).unwrap();
    let last = lines(&folder)[9].len();
    // The crash came before the head was written.
    let head = {
        let nine = written(9);
        let head = fs::read_to_string(logs(&nine).join("audit.head")).unwrap();
        let mut fields: Vec<&str> = head.trim_end().split(' ').collect();
        let inode = format!(
            "{:020}",
            std::os::unix::fs::MetadataExt::ino(&fs::metadata(current(&folder)).unwrap())
        );
        fields[3] = &inode;
        fields.join(" ") + "\n"
    };
    for cut in (1..=last).step_by(11) {
        fs::write(current(&folder), &bytes[..bytes.len() - cut]).unwrap();
        fs::write(logs(&folder).join("audit.head"), &head).unwrap();
        let verdict = verify(&logs(&folder), None).unwrap();
        assert_eq!(
            (told(&verdict).as_str(), verdict.events),
            ("intact", 9),
            "{cut}"
        );
        assert_eq!(verdict.unfinished_bytes, last + 1 - cut);
        append(
            &AuditLog::open(&logs(&folder), Options::default()).unwrap(),
            1,
        );
        let verdict = verify(&logs(&folder), None).unwrap();
        assert_eq!(
            (told(&verdict).as_str(), verdict.unfinished_bytes),
            ("intact", 0),
            "{cut}"
        );
        let healed = lines(&folder)
            .iter()
            .filter(|line| line.contains("audit.healed"))
            .count();
        assert_eq!(healed, 1, "{cut}");
    }
    // If the head knows of the line, it was finished once.
    let folder = written(10);
    let bytes = fs::read(current(&folder)).unwrap();
    fs::write(current(&folder), &bytes[..bytes.len() - 5]).unwrap();
    assert_eq!(
        told(&verify(&logs(&folder), None).unwrap()),
        "audit.jsonl:9: the log was cut off: 1 event is missing after this line"
    );
}

#[test]
fn a_head_that_is_behind_is_no_damage() {
    let folder = written(9);
    let head = fs::read(logs(&folder).join("audit.head")).unwrap();
    append(
        &AuditLog::open(&logs(&folder), Options::default()).unwrap(),
        1,
    );
    fs::write(logs(&folder).join("audit.head"), head).unwrap();
    assert_eq!(told(&verify(&logs(&folder), None).unwrap()), "intact");
    append(
        &AuditLog::open(&logs(&folder), Options::default()).unwrap(),
        1,
    );
    let verdict = verify(&logs(&folder), None).unwrap();
    assert_eq!((told(&verdict).as_str(), verdict.events), ("intact", 11));
}

#[test]
fn the_chain_goes_on_through_files() {
    let folder = TempDir::new().unwrap();
    append(
        &AuditLog::open(&logs(&folder), options(2_000, 100)).unwrap(),
        100,
    );
    let verdict = verify(&logs(&folder), None).unwrap();
    assert_eq!(told(&verdict), "intact");
    assert!(verdict.files > 10, "{verdict:?}");
    let read = read(
        &logs(&folder),
        &Filter {
            event: Some("skill".into()),
            ..Filter::default()
        },
    )
    .unwrap();
    assert_eq!((read.lines.len(), read.unreadable), (100, 0));
    // A file in the middle is missing, or two have changed names.
    let file = |number: u32| logs(&folder).join(format!("audit.{number:06}.jsonl"));
    fs::rename(file(3), folder.path().join("aside")).unwrap();
    let text = told(&verify(&logs(&folder), None).unwrap());
    assert!(
        text.starts_with("audit.000004.jsonl:1: ") && text.ends_with("were removed"),
        "{text}"
    );
    fs::rename(file(5), file(3)).unwrap();
    fs::rename(folder.path().join("aside"), file(5)).unwrap();
    assert!(verify(&logs(&folder), None).unwrap().fault.is_some());
}

#[test]
fn old_files_are_given_up_and_that_is_known() {
    let folder = TempDir::new().unwrap();
    let log = AuditLog::open(&logs(&folder), options(2_000, 3)).unwrap();
    append(&log, 200);
    let verdict = verify(&logs(&folder), None).unwrap();
    assert_eq!((told(&verdict).as_str(), verdict.files), ("intact", 4));
    assert!(verdict.first_seq > 100);
    // One more is gone, which nobody wrote down.
    let mut files: Vec<_> = fs::read_dir(logs(&folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    fs::remove_file(&files[0]).unwrap();
    let text = told(&verify(&logs(&folder), None).unwrap());
    assert!(
        text.contains(":1: ") && text.ends_with("were removed"),
        "{text}"
    );
}

#[test]
fn a_crash_between_two_files() {
    let folder = written(10);
    fs::rename(current(&folder), logs(&folder).join("audit.000001.jsonl")).unwrap();
    assert_eq!(told(&verify(&logs(&folder), None).unwrap()), "intact");
    append(
        &AuditLog::open(&logs(&folder), Options::default()).unwrap(),
        1,
    );
    let verdict = verify(&logs(&folder), None).unwrap();
    assert_eq!(
        (told(&verdict).as_str(), verdict.events, verdict.files),
        ("intact", 12, 2)
    );
}

#[test]
fn a_log_that_was_replaced_as_a_whole_does_not_have_what_was_expected() {
    let folder = written(10);
    let expected = verify(&logs(&folder), None).unwrap().last;
    append(
        &AuditLog::open(&logs(&folder), Options::default()).unwrap(),
        5,
    );
    assert_eq!(told(&verify(&logs(&folder), expected).unwrap()), "intact");
    let other = TempDir::new().unwrap();
    let log = AuditLog::open(&logs(&other), Options::default()).unwrap();
    let event = Event::new(EventKind::SkillActivated).skill("another");
    for _ in 0..20 {
        log.append(Timestamp::UNIX_EPOCH, "me", &event).unwrap();
    }
    assert_eq!(told(&verify(&logs(&other), None).unwrap()), "intact");
    let message = "this is not the event that was expected: the log was rewritten";
    assert_eq!(
        told(&verify(&logs(&other), expected).unwrap()),
        format!("audit.jsonl:10: {message}")
    );
    let short = written(3);
    assert_eq!(
        told(&verify(&logs(&short), expected).unwrap()),
        "audit.jsonl:3: the event that was expected is not in the log"
    );
}

#[test]
fn links_are_not_followed() {
    let folder = TempDir::new().unwrap();
    let victim = folder.path().join("victim");
    for name in ["audit.jsonl", "audit.head"] {
        fs::create_dir_all(logs(&folder)).unwrap();
        fs::write(&victim, "precious").unwrap();
        symlink(&victim, logs(&folder).join(name)).unwrap();
        let log = AuditLog::open(&logs(&folder), Options::default()).unwrap();
        let error = log
            .append(Timestamp::UNIX_EPOCH, "me", &event(1))
            .unwrap_err();
        assert!(matches!(error, AuditError::NotAFile { .. }), "{error:?}");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        fs::remove_dir_all(logs(&folder)).unwrap();
    }
    fs::create_dir(folder.path().join("elsewhere")).unwrap();
    symlink(folder.path().join("elsewhere"), logs(&folder)).unwrap();
    assert!(matches!(
        AuditLog::open(&logs(&folder), Options::default()),
        Err(AuditError::NotAFile { .. })
    ));
    assert_eq!(
        fs::read_dir(folder.path().join("elsewhere"))
            .unwrap()
            .count(),
        0
    );
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
            .map(|line| Entry::parse(line).unwrap().seq);
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
fn new_lines_are_told_through_rotations() {
    let folder = TempDir::new().unwrap();
    let log = AuditLog::open(&logs(&folder), options(2_000, 100)).unwrap();
    append(&log, 3);
    let mut follow = Follow::new(&logs(&folder)).unwrap();
    assert!(follow.poll().unwrap().is_empty());
    let mut seen = Vec::new();
    for _ in 0..30 {
        append(&log, 1);
        for line in follow.poll().unwrap() {
            seen.push(Entry::parse(&line).unwrap().seq);
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
        .skill(secret)
        .digest(secret)
        .source(secret);
    event = event.origin(secret).tier(secret).trigger(secret);
    log.append(Timestamp::UNIX_EPOCH, secret, &event).unwrap();
    let text = fs::read_to_string(current(&folder)).unwrap();
    assert!(
        !text.contains("hunter2") && text.matches("x *** x").count() == 12,
        "{text}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is done to the bytes of a whole log, it is seen.
    #[test]
    fn no_change_goes_unseen(from in 0usize..3000, length in 0usize..400, new in proptest::collection::vec(any::<u8>(), 0..40)) {
        let folder = written(10);
        let bytes = fs::read(current(&folder)).unwrap();
        let from = from % bytes.len();
        let to = (from + length).min(bytes.len());
        let changed = [&bytes[..from], &new, &bytes[to..]].concat();
        prop_assume!(changed != bytes);
        fs::write(current(&folder), &changed).unwrap();
        let verdict = verify(&logs(&folder), None).unwrap();
        // More than the log is what a writer that was killed may have left.
        let is_torn = changed.starts_with(&bytes) && verdict.unfinished_bytes > 0;
        prop_assert!(verdict.fault.is_some() || is_torn, "{verdict:?}");
    }
}
