//! `skillyard doctor` where a lock has other bytes than its sources: it leads to what helps.

use std::fs;

use crate::project::project;
use crate::servers::repository::{Repository, skill};

#[test]
fn what_is_locked_by_mistake_is_not_brought_by_sync() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    context.write("lib/csv/SKILL.md", skill("csv", "one"));
    let remote = format!("{}#skills/pdf", repository.url());
    for scope in ["project", "user"] {
        context.done(&["install", &remote, "./lib/csv", "--scope", scope, "--yes"]);
    }
    let digits = |lock: &str| {
        let digests = lock.split("sha256:").skip(1);
        let digests = digests.map(|rest| rest[..64].to_owned());
        digests.collect::<Vec<_>>()
    };
    for (scope, file, names) in [
        ("project", "skills.lock", &["csv", "pdf"][..]),
        // Of a repository it is not known there without asking it.
        ("user", "../home/.skillyard/lock.toml", &["csv"]),
    ] {
        let sound = context.read(file);
        let mut lock = sound.clone();
        for digest in digits(&sound) {
            lock = lock.replace(&digest, &digest.chars().rev().collect::<String>());
        }
        context.write(file, lock);
        let told = context.run(&["doctor"]);
        for name in names {
            let hint = format!("`skillyard update {name} --scope {scope}`");
            assert!(told.contains(&hint), "{hint}: {told}");
            context.refused(&["sync", "--scope", scope, "--yes"]);
            context.done(&["update", name, "--scope", scope, "--yes"]);
        }
        context.write(file, sound);
        context.done(&["doctor"]);
    }
    // What is merely not there is.
    fs::remove_dir_all(context.root().join(".agents")).unwrap();
    let told = context.run(&["doctor"]);
    assert!(told.contains("`skillyard sync --scope project`"), "{told}");
}
