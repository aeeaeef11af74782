//! Commits that change nothing about a skill, for `update`, `outdated` and `sync`.

use std::fs;

use crate::TestContext;
use crate::project::project;
use crate::servers::repository::Repository;

/// A project with two skills of one repository.
fn with_two(context: &TestContext) -> Repository<'_> {
    let repository = Repository::with_pdf(context);
    repository.skill("skills/csv", "one").commit("csv");
    context.done(&["install", &repository.url(), "--all", "--yes"]);
    repository
}

/// The commits that the lock names.
fn commits(context: &TestContext) -> Vec<String> {
    let lock = context.read("skills.lock");
    let lines = lock.lines();
    let commits = lines.filter_map(|line| line.strip_prefix("commit = "));
    commits
        .map(|text| text.trim_matches('"').to_owned())
        .collect()
}

#[test]
fn with_the_same_files_are_no_update() {
    let context = project();
    let repository = with_two(&context);
    let lock = context.read("skills.lock");
    repository.write("README.md", "new").commit("readme");
    assert_eq!(context.code(&["outdated"]), Some(0));
    for arguments in [&["update", "--dry-run"][..], &["update", "--yes"]] {
        let told = context.done(arguments);
        assert!(told.starts_with("Already up to date: 2 skills "), "{told}");
    }
    assert_eq!(context.read("skills.lock"), lock);
    // Where something changes, all of them are had with one fetch again.
    let newest = repository.skill("skills/pdf", "two").commit("two");
    let listed = context.run(&["outdated"]);
    assert!(
        listed.contains("pdf  ") && !listed.contains("csv"),
        "{listed}"
    );
    let told = context.done(&["update", "--yes"]);
    assert!(
        told.contains("Updated 1 skill ") && !told.contains("csv"),
        "{told}"
    );
    assert_eq!(commits(&context), [&*newest, &*newest]);
    assert_eq!(context.code(&["sync", "--check", "--locked"]), Some(0));
}

#[test]
fn with_another_version_are_told_by_all() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let range = format!("{}@^1#skills/pdf", repository.url());
    context.done(&["install", &range, "--yes"]);
    repository.write("README.md", "new").commit("readme");
    repository.git(&["tag", "v1.1.0"]);
    let listed = context.run(&["outdated"]);
    assert!(listed.contains("pdf  1.0.0 → 1.1.0"), "{listed}");
    let told = context.done(&["update", "--yes"]);
    assert!(told.contains(" ~ pdf  1.0.0 → 1.1.0, same files"), "{told}");
    assert_eq!(context.code(&["outdated"]), Some(0));
}

#[test]
fn that_are_gone_are_not_needed_for_the_same_files() {
    let context = project();
    let repository = with_two(&context);
    repository.git(&["commit", "--quiet", "--amend", "-m", "other words"]);
    repository.git(&["reflog", "expire", "--expire=now", "--all"]);
    repository.git(&["gc", "--quiet", "--prune=now"]);
    fs::remove_dir_all(context.root().join(".agents")).unwrap();
    fs::remove_dir_all(context.in_home(".skillyard/store")).unwrap();
    context.done(&["sync", "--locked", "--yes"]);
    assert_eq!(context.version_of("csv").as_deref(), Some("one"));
    // Other files are not what is locked.
    repository.skill("skills/csv", "two").commit("two");
    repository.git(&["commit", "--quiet", "--amend", "-m", "again"]);
    fs::remove_dir_all(context.root().join(".agents")).unwrap();
    fs::remove_dir_all(context.in_home(".skillyard/store")).unwrap();
    let told = context.refused(&["sync", "--locked", "--yes"]);
    assert!(told.contains("Its history was rewritten"), "{told}");
}

#[test]
fn who_asks_why_sees_the_range_that_holds_a_version() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let range = format!("{}@^1#skills/pdf", repository.url());
    context.done(&["install", &range, "--yes"]);
    let told = context.run(&["why", "pdf"]);
    assert!(told.contains("@^1#skills/pdf"), "{told}");
    let answer = context.json(&["why", "pdf", "--json"]);
    assert_eq!(answer["reference"], range, "{answer}");
    let told = context.refused(&["why", "nosuch"]);
    assert!(told.contains("`skillyard list --installed`"), "{told}");
}
