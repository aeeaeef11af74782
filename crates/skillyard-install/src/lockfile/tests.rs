use skillyard_format::Digest;

use super::*;
use crate::origin::OriginKind;

fn locked(name: &str) -> Locked {
    Locked {
        name: name.into(),
        source: "github:acme/skills".into(),
        requested: Some("^1".into()),
        version: Some("1.2.3".into()),
        commit: Some("a".repeat(40)),
        origin: OriginKind::Git,
        url: None,
        digest: Digest::of(name.as_bytes()),
        delivered_as: None,
        signer: None,
        targets: vec![".agents/skills".into()],
        linked: false,
        requires: Vec::new(),
        dependency: false,
    }
}

#[test]
fn a_lock_reads_back_sorted() {
    let mut lock = Lockfile::default();
    for name in ["b", "c", "a"] {
        assert_eq!(lock.put(locked(name)), None);
    }
    let text = lock.to_text();
    assert_eq!(Lockfile::parse(&text, Path::new("x")).unwrap(), lock);
    let names: Vec<&str> = lock
        .skills()
        .iter()
        .map(|each| each.name.as_str())
        .collect();
    assert_eq!(names, ["a", "b", "c"]);
    // A merge may have left the entries in another order.
    let (head, entries) = text.split_once("\n[[skill]]").unwrap();
    let backwards: Vec<&str> = entries.split("\n[[skill]]").collect();
    let mut backwards: Vec<&str> = backwards.into_iter().map(str::trim).collect();
    backwards.reverse();
    let text = format!("{head}\n[[skill]]\n{}", backwards.join("\n[[skill]]\n"));
    assert_eq!(Lockfile::parse(&text, Path::new("x")).unwrap(), lock);
    assert_eq!(lock.remove("b").unwrap().name, "b");
    assert!(lock.get("b").is_none());
}

#[test]
fn what_is_needed_may_have_a_revision_and_an_odd_name() {
    let mut lock = Lockfile::default();
    lock.put(locked("b@1"));
    let mut needing = locked("a");
    for text in ["b@1", "c", "d@^1,<1.5", "e@b@1.2"] {
        needing.requires.push(text.to_owned().into());
    }
    lock.put(needing);
    let text = lock.to_text();
    let read = Lockfile::parse(&text, Path::new("x")).unwrap();
    assert_eq!(read.to_text(), text);
    let names: Vec<&str> = read.get("a").unwrap().needs().collect();
    assert_eq!(names, ["b@1", "c", "d", "e"]);
    let revisions = read.get("a").unwrap().requires.iter();
    let revisions: Vec<_> = revisions.map(|each| each.requested.as_deref()).collect();
    assert_eq!(revisions, [None, None, Some("^1,<1.5"), Some("b@1.2")]);
}

#[test]
fn a_lock_that_contradicts_itself_says_where() {
    let mut lock = Lockfile::default();
    let mut needing = locked("a");
    for text in ["b@^1", "b@^2", "b@main", "b@2", "b", "c"] {
        needing.requires.push(text.to_owned().into());
    }
    lock.put(needing);
    lock.put(locked("b"));
    let gaps =
        |lock: &Lockfile| -> Vec<String> { lock.gaps().iter().map(ToString::to_string).collect() };
    // Of git `2` could be a branch.
    let unfit = "`a` needs `b@^2`, and 1.2.3 is locked";
    let missing = "`a` needs `c`, which is not locked";
    assert_eq!(gaps(&lock), [unfit, missing]);
    let mut other = locked("b");
    other.requested = Some("2".into());
    other.origin = OriginKind::Registry;
    lock.put(other.clone());
    let branch = "`a` needs `b@2`, and 1.2.3 is locked";
    let own = "`b@2` was asked for, and 1.2.3 is locked";
    assert_eq!(gaps(&lock), [unfit, branch, missing, own]);
    other.dependency = true;
    lock.put(other);
    assert_eq!(gaps(&lock), [unfit, branch, missing]);
}

#[test]
fn what_a_newer_version_may_have_written_is_told_as_that() {
    let mut lock = Lockfile::default();
    lock.put(locked("a"));
    let text = lock.to_text();
    for (text, is_newer) in [
        (text.replace(".agents/skills", ".zed9/skills"), true),
        (text.replace("origin = \"git\"", "origin = \"radio\""), true),
        (text.replace("name = ", "moon = \"full\"\nname = "), true),
        (text.replace(".agents/skills", "../skills"), false),
        (text.replace(".agents/skills", ".git/skills/.."), false),
        (text.replace("sha256:", "md5:"), false),
    ] {
        let error = Lockfile::parse(&text, Path::new("x")).unwrap_err();
        let is_unknown = matches!(error, LockfileError::Unknown { .. });
        assert_eq!(is_unknown, is_newer, "{error}");
    }
}

#[test]
fn hostile_locks_are_refused_with_a_reason() {
    let mut lock = Lockfile::default();
    lock.put(locked("a"));
    let text = lock.to_text();
    let twice = text.clone() + text.split_once("\n\n").unwrap().1;
    for (text, reason) in [
        (
            text.replace("name = \"a\"", "name = \"../a\""),
            "cannot be the name",
        ),
        (
            text.replace(".agents/skills", "../skills"),
            "no agent's folder",
        ),
        (text.replace(".agents/skills", ".git"), "no agent's folder"),
        (text.replace("\".agents/skills\"", ""), "has no target"),
        (text.replace("sha256:", "md5:"), "not a digest"),
        (text.replace("version = 1\n", "version = 9\n"), "format 9"),
        (format!("<<<<<<< ours\n{text}"), "merge conflicts"),
        (twice, "twice"),
        (text.replace("source", "sauce"), "unknown field"),
    ] {
        let error = Lockfile::parse(&text, Path::new("x"))
            .unwrap_err()
            .to_string();
        assert!(error.contains(reason), "{error} does not say {reason}");
    }
}
