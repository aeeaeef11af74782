//! A log in several files, and writers that were interrupted.

use std::fs;
use std::os::unix::fs::symlink;

use jiff::Timestamp;
use skillyard_audit::{AuditError, AuditLog, Event, EventKind, Filter, Options, read, verify};
use tempfile::TempDir;

use crate::{append, current, event, lines, logs, options, told, written};

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
