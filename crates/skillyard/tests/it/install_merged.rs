//! Locks that git merged without a conflict: each side was right, and both together may not be.

use crate::TestContext;
use crate::install_versions::libraries;

impl TestContext {
    /// Takes skills out of the lock and of skills.toml, as a merge of branches that removed them does.
    fn drop_lines(&self, names: &[&str]) {
        let lock = self.read("skills.lock");
        let mut parts = lock.split("[[skill]]\n");
        let head = parts.next().unwrap().to_owned();
        let is_dropped = |part: &&str| {
            let named = |name: &&str| part.starts_with(&format!("name = \"{name}\"\n"));
            names.iter().any(named)
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
    assert!(told.contains("there is no skills.lock"), "{told}");
}
