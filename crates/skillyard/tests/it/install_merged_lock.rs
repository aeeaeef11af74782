//! Locks that git merged without a conflict: each side was right, and both together may not be.

use crate::TestContext;
use crate::install_versions::{libraries, put};

impl TestContext {
    /// The entry of a skill in the lock, as text.
    fn entry(&self, name: &str) -> String {
        let lock = self.read("skills.lock");
        let entry = lock.split("[[skill]]\n").find(|part| {
            let named = format!("name = \"{name}\"\n");
            part.starts_with(&named)
        });
        format!("[[skill]]\n{}\n", entry.unwrap().trim_end())
    }

    /// Merges a branch that added a skill to this project.
    fn merge(&self, name: &str, entry: &str) {
        let lock = self.read("skills.lock");
        self.write("skills.lock", format!("{lock}\n{entry}"));
        let wanted = self.read("skills.toml");
        self.write("skills.toml", format!("{wanted}{name} = \"{name}\"\n"));
    }

    /// Takes skills out of the lock and of skills.toml, as a merge of branches that removed them does.
    fn drop_lines(&self, names: &[&str]) {
        let lock = self.read("skills.lock");
        let mut parts = lock.split("[[skill]]\n");
        let head = parts.next().unwrap().to_owned();
        let is_dropped = |part: &&str| {
            let starts = |name: &&str| part.starts_with(&format!("name = \"{name}\"\n"));
            names.iter().any(starts)
        };
        let stays = parts.filter(|part| !is_dropped(part));
        let stays = stays.map(|part| format!("[[skill]]\n{part}"));
        self.write("skills.lock", head + &stays.collect::<String>());
        let wanted = self.read("skills.toml");
        let is_named = |line: &&str| names.iter().any(|name| line.starts_with(name));
        let stays = wanted.lines().filter(|line| !is_named(line));
        self.write("skills.toml", stays.collect::<Vec<_>>().join("\n") + "\n");
    }
}

#[test]
fn what_nobody_needs_any_more_is_not_taken_away_by_the_way() {
    let (context, _server, _shelf) = libraries();
    context.done(&["install", "tool", "loose", "--yes"]);
    context.drop_lines(&["tool", "loose"]);
    let lock = context.read("skills.lock");
    assert!(lock.contains("name = \"lib\""), "{lock}");
    // Who goes by the lock gets what is in it, and changes nothing of it.
    context.done(&["sync", "--frozen"]);
    assert_eq!(context.read("skills.lock"), lock);
    assert_eq!(context.version_of("lib").as_deref(), Some("1.5.0"));
    assert_eq!(context.version_of("tool"), None);
    let told = context.refused(&["sync", "--locked"]);
    assert!(told.contains("`lib` is locked and not needed"), "{told}");
    assert_eq!(context.read("skills.lock"), lock);
    assert!(context.refused(&["sync", "--check"]).contains(" - lib"));
    context.done(&["sync"]);
    assert_eq!(context.version_of("lib"), None);
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn who_goes_by_the_lock_does_not_look_at_what_is_wanted() {
    let (context, _server, _shelf) = libraries();
    context.done(&["install", "tool", "--yes"]);
    let lock = context.read("skills.lock");
    for wanted in [
        "<<<<<<< HEAD\n[skills]\n",
        "agents = [\"no-such-agent\"]\n[skills]\ntool = \"tool\"\n",
        "agents = [\"claude-code\"]\n[skills]\napps = \"apps\"\n",
    ] {
        context.write("skills.toml", wanted);
        std::fs::remove_dir_all(context.root().join(".agents")).unwrap();
        context.done(&["sync", "--frozen"]);
        assert_eq!(context.version_of("lib").as_deref(), Some("1.5.0"));
        assert_eq!(context.version_of("tool").as_deref(), Some("1.0.0"));
        assert_eq!(context.read("skills.lock"), lock);
        assert_eq!(context.read("skills.toml"), wanted);
    }
    // Without a lock there is nothing to go by.
    std::fs::remove_file(context.root().join("skills.lock")).unwrap();
    context.write("skills.toml", "<<<<<<< HEAD\n[skills]\n");
    let told = context.refused(&["sync", "--frozen"]);
    assert!(told.contains("there is no lock to go by"), "{told}");
}

#[test]
fn what_needs_other_versions_than_are_locked_is_seen() {
    let (context, _server, shelf) = libraries();
    context.done(&["install", "loose", "tool", "--yes"]);
    let tool = context.entry("tool");
    context.done(&["remove", "tool"]);
    context.done(&["update", "--yes"]);
    assert_eq!(context.version_of("lib").as_deref(), Some("2.0.0"));
    context.merge("tool", &tool);
    let reason = "`tool` needs `lib@^1`, and 2.0.0 is locked";
    for command in [
        &["sync", "--locked"][..],
        &["sync", "--offline"],
        &["outdated"],
        &["doctor"],
    ] {
        let told = context.run(command);
        assert!(told.contains(reason), "{command:?}: {told}");
        assert_ne!(context.code(command), Some(0), "{command:?}");
    }
    context.refused(&["sync", "--check", "--yes"]);
    // What goes together is taken.
    context.done(&["sync", "--yes"]);
    assert_eq!(context.version_of("lib").as_deref(), Some("1.5.0"));
    context.done(&["sync", "--locked", "--check"]);
    assert!(!context.run(&["doctor"]).contains("needs `lib"));
    // Where nothing does, it is said who wants what.
    context.done(&["remove", "tool"]);
    context.done(&["install", "apps", "--yes"]);
    context.merge("tool", &tool);
    let told = context.refused(&["sync", "--yes"]);
    assert!(
        told.contains("`apps` needs `^2`, `tool` needs `^1`"),
        "{told}"
    );
    put(&shelf, "tool@1.1.0", "lib@^2");
    context.done(&["update", "--yes"]);
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn what_was_asked_for_in_another_version_than_is_locked_is_seen() {
    let (context, _server, _shelf) = libraries();
    context.done(&["install", "lib@^1", "--yes"]);
    for file in ["skills.toml", "skills.lock"] {
        let text = context.read(file);
        assert!(text.contains("^1"), "{text}");
        context.write(file, text.replace("^1", "^2"));
    }
    let reason = "`lib@^2` was asked for, and 1.5.0 is locked";
    for command in [&["sync", "--locked"][..], &["doctor"]] {
        let told = context.run(command);
        assert!(told.contains(reason), "{command:?}: {told}");
    }
    context.done(&["sync", "--yes"]);
    assert_eq!(context.version_of("lib").as_deref(), Some("2.0.0"));
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn why_goes_by_what_is_wanted_as_sync_does() {
    let (context, _server, _shelf) = libraries();
    context.done(&["install", "lib", "tool", "--yes"]);
    let wanted = context.read("skills.toml");
    let wanted = wanted.lines().filter(|line| !line.starts_with("lib"));
    context.write("skills.toml", wanted.collect::<Vec<_>>().join("\n") + "\n");
    let told = context.run(&["why", "lib"]);
    assert!(told.contains("\ntool → lib\n"), "{told}");
    assert!(!told.contains("asks for it"), "{told}");
    let asked = context.json(&["why", "lib", "--json"])["asked_for"].clone();
    assert_eq!(asked, false);
    context.write("skills.toml", "[skills]\n");
    let told = context.run(&["why", "lib"]);
    assert!(told.contains("skills.toml does not ask for it"), "{told}");
}
