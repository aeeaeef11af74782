//! Every way to tamper with a log, and where it is found.

use std::fs;

use proptest::prelude::*;
use skillyard_audit::{AuditLog, FaultKind, Options, verify};
use tempfile::TempDir;

use crate::{append, current, lines, logs, tampered, told, written};

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

/// The lines, each with what `change` makes of it, and all hashes made anew.
fn forged_chain(lines: &[String], change: impl Fn(usize, &str) -> String) -> Vec<String> {
    use sha2::{Digest as _, Sha256};
    let mut prev = "0".repeat(64);
    let mut forged = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let (content, _) = line.rsplit_once(",\"prev\":").unwrap();
        let body = format!("{},\"prev\":\"{prev}\"", change(at, content));
        prev = hex::encode(Sha256::digest(body.as_bytes()));
        forged.push(format!("{body},\"hash\":\"{prev}\"}}"));
    }
    forged
}

#[test]
fn a_forged_end_is_not_healed_by_who_writes_next() {
    let one = |at: usize, content: &str| match at {
        9 => content.replace("\"s9\"", "\"another\""),
        _ => content.to_owned(),
    };
    let all = |_: usize, content: &str| content.replace("\"me\"", "\"somebody\"");
    for (change, more) in [
        (&one as &dyn Fn(usize, &str) -> String, 0),
        (&all, 0),
        // Lines behind the head are what a crash can leave; what is before them is not.
        (&one, 1),
        (&all, 3),
    ] {
        let folder = written(10);
        let whole = lines(&written(10 + more));
        let forged = forged_chain(&whole, change);
        assert_ne!(told(&tampered(&folder, &forged)), "intact");
        append(
            &AuditLog::open(&logs(&folder), Options::default()).unwrap(),
            2,
        );
        let verdict = verify(&logs(&folder), None).unwrap();
        let told = told(&verdict);
        assert!(told.contains("line 10 is not as it was written"), "{told}");
    }
}

#[test]
fn a_forged_end_in_a_file_that_was_put_aside() {
    let folder = written(10);
    let rename = |to: &str| fs::rename(current(&folder), logs(&folder).join(to)).unwrap();
    // What a crash between two files leaves is no damage.
    rename("audit.000001.jsonl");
    let log = AuditLog::open(&logs(&folder), Options::default()).unwrap();
    append(&log, 1);
    assert_eq!(told(&verify(&logs(&folder), None).unwrap()), "intact");

    let folder = written(10);
    let forged = forged_chain(&lines(&folder), |_, content| content.replace("me", "you"));
    fs::write(
        logs(&folder).join("audit.000001.jsonl"),
        forged.join("\n") + "\n",
    )
    .unwrap();
    fs::remove_file(current(&folder)).unwrap();
    let log = AuditLog::open(&logs(&folder), Options::default()).unwrap();
    append(&log, 1);
    let told = told(&verify(&logs(&folder), None).unwrap());
    assert!(told.contains("line 10 is not as it was written"), "{told}");
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
