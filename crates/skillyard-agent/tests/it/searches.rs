//! What `Grep` and `Glob` find, and what they must leave out.

use std::fs;

use serde_json::{Value, json};
use skillyard_agent::front_end::ApprovalAnswer;
use skillyard_agent::message::CallOutcome;
use skillyard_format::allowed_tools::AllowedTools;
use skillyard_trust::guard::DenyLayer;

use crate::guard::turn;
use crate::lab::{Front, Lab};

fn lab() -> Lab {
    let lab = Lab::new();
    lab.skill(
        "documents",
        "Reads documents. Use for documents.",
        "allowed-tools: Grep(docs/**) Glob(docs/**) Read(docs/**)\n",
        "Read them.",
    );
    lab.skill(
        "careful",
        "Keeps secrets. Use for secrets.",
        "disallowed-tools: Read(secret/**)\n",
        "Keep them.",
    );
    lab.write("work/docs/d", "PASSWORD of d\n");
    lab.write("work/docs/deep/e.md", "PASSWORD of e\n");
    lab.write("work/secret/a", "PASSWORD of a\n");
    lab.write("work/secret/b", "nothing\n");
    lab
}

fn search(lab: &Lab, prompt: &str, all: &[(&str, Value)]) -> Vec<(CallOutcome, String)> {
    turn(lab, &mut Front::new(ApprovalAnswer::No), prompt, all).0
}

#[test]
fn a_search_stays_in_the_folder_or_file_that_was_judged() {
    let lab = lab();
    let all = [
        ("Grep", json!({ "pattern": "PASSWORD", "path": "docs/d" })),
        ("Glob", json!({ "pattern": "**", "path": "docs/d" })),
        ("Grep", json!({ "pattern": "PASSWORD", "path": "./docs/" })),
        ("Glob", json!({ "pattern": "deep/*.md", "path": "docs" })),
        ("Grep", json!({ "pattern": "PASSWORD" })),
        ("Grep", json!({ "pattern": "PASSWORD", "path": "secret" })),
        (
            "Grep",
            json!({ "pattern": "PASSWORD", "file_path": "docs/d" }),
        ),
        (
            "Glob",
            json!({ "pattern": "**", "notebook_path": "docs/d" }),
        ),
    ];
    let found = search(&lab, "/documents look", &all);
    assert_eq!(found[0].1, "docs/d:1: PASSWORD of d");
    assert_eq!(found[1].1, "docs/d");
    let both = "docs/d:1: PASSWORD of d\ndocs/deep/e.md:1: PASSWORD of e";
    assert_eq!(found[2].1, both);
    assert_eq!(found[3].1, "docs/deep/e.md");
    assert_eq!(found[4].0, CallOutcome::Denied, "{found:?}");
    assert_eq!(found[5].0, CallOutcome::Denied, "{found:?}");
    for (outcome, content) in &found[6..] {
        assert_eq!(*outcome, CallOutcome::Failed);
        assert!(content.starts_with("there is no argument `"), "{content}");
    }
}

#[test]
fn a_search_leaves_out_what_may_not_be_read() {
    let both = "docs/d:1: PASSWORD of d\ndocs/deep/e.md:1: PASSWORD of e\n";
    let note = "[2 files may not be read and were left out]";
    let all = [
        ("Grep", json!({ "pattern": "PASSWORD" })),
        (
            "Grep",
            json!({ "pattern": "PASSWORD", "glob": "secret/**" }),
        ),
        ("Grep", json!({ "pattern": "PASSWORD", "path": "secret" })),
        ("Glob", json!({ "pattern": "**" })),
        ("Grep", json!({ "pattern": "PASSWORD", "path": "secret/a" })),
        ("Grep", json!({ "pattern": "PASSWORD", "path": "docs" })),
    ];
    let expected = [
        format!("{both}{note}"),
        format!("Nothing was found.\n{note}"),
        format!("Nothing was found.\n{note}"),
        format!("docs/d\ndocs/deep/e.md\n{note}"),
    ];
    for (prompt, denied) in [("look", "Read(secret/**)"), ("/careful look", "WebFetch")] {
        let lab = lab();
        lab.machine.lock().unwrap().denied = vec![DenyLayer {
            name: "org".into(),
            tools: AllowedTools::parse(denied),
        }];
        let found = search(&lab, prompt, &all);
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, &(CallOutcome::Ok, expected.clone()));
        }
        assert_eq!(found[4].0, CallOutcome::Denied);
        assert_eq!(found[5].1, both.trim_end(), "nothing there is denied");
    }
}

#[test]
fn a_search_does_not_leave_the_workspace() {
    let lab = lab();
    lab.write("outside/x", "PASSWORD of x\n");
    let link = lab.folder.path().join("work/link");
    std::os::unix::fs::symlink("../outside", link).unwrap();
    let at = |path: &str| ("Glob", json!({ "pattern": "**", "path": path }));
    let work = lab.folder.path().canonicalize().unwrap().join("work");
    let inside = work.join("docs/deep");
    let all = [
        at("link"),
        at("link/x"),
        at("../outside"),
        at("/etc"),
        at("docs/none"),
        at(inside.to_str().unwrap()),
    ];
    let found = search(&lab, "look", &all);
    assert_eq!(found[0].1, "`link` is a symbolic link, and is not searched");
    for (outcome, content) in &found[..5] {
        assert_eq!(*outcome, CallOutcome::Failed, "{content}");
    }
    assert_eq!(found[5].1, "docs/deep/e.md");
}

#[test]
fn a_search_goes_to_the_end_of_a_file_and_into_every_text() {
    let lab = lab();
    let filler = "a line of a log\n".repeat(70_000);
    lab.write(
        "work/log.txt",
        &format!("{filler}NEEDLE of the log\n{filler}"),
    );
    let long = format!("{}NEEDLE", "x".repeat(2_500_000));
    lab.write("work/one-line.txt", &long);
    let work = lab.folder.path().join("work");
    fs::write(work.join("latin.txt"), b"caf\xe9\r\nNEEDLE \xe9\r\n").unwrap();
    fs::write(work.join("program"), b"\x7fELF\0\0NEEDLE\n").unwrap();
    lab.write("work/twice.txt", "NEEDLE\n");
    fs::hard_link(work.join("twice.txt"), lab.folder.path().join("other")).unwrap();
    let all = [
        ("Grep", json!({ "pattern": "^NEEDLE" })),
        ("Grep", json!({ "pattern": "xNEEDLE$", "glob": "one*" })),
        ("Grep", json!({ "pattern": "nowhere", "path": "log.txt" })),
    ];
    let found = search(&lab, "look", &all);
    let expected = "latin.txt:2: NEEDLE \u{fffd}\nlog.txt:70001: NEEDLE of the log\n\
                    [1 file could not be read and was left out]";
    assert_eq!(found[0].1, expected);
    assert!(found[1].1.starts_with("one-line.txt:1: xxx"), "{found:?}");
    assert_eq!(found[2].1, "Nothing was found.");
}

#[test]
fn what_cannot_be_searched_is_told_where_nothing_was_found() {
    let lab = lab();
    lab.write("work/a.txt", "PASSWORD\n");
    let work = lab.folder.path().join("work");
    std::os::unix::fs::symlink("a.txt", work.join("lnk")).unwrap();
    drop(std::os::unix::net::UnixListener::bind(work.join("socket")).unwrap());
    fs::write(work.join("program"), b"\x7fELF\0\0PASSWORD\n").unwrap();
    let at = |path: &str| ("Grep", json!({ "pattern": "PASS", "path": path }));
    let found = search(&lab, "look", &[at("lnk"), at("socket"), at("program")]);
    assert_eq!(found[0].0, CallOutcome::Failed);
    assert_eq!(found[1].0, CallOutcome::Failed);
    let text = "Nothing was found.\n[1 file is no text and was left out]";
    assert_eq!(found[2].1, text);
}

#[test]
fn a_pattern_may_begin_as_a_path_does() {
    let lab = lab();
    lab.write("work/a.txt", "PASSWORD\n");
    lab.write("work/.github/b.yml", "PASSWORD\n");
    lab.write("work/.git/config", "PASSWORD\n");
    let work = lab.folder.path().canonicalize().unwrap().join("work");
    let glob = |pattern: &str| ("Glob", json!({ "pattern": pattern }));
    let all = [
        glob("./*.txt"),
        glob(work.join("*.txt").to_str().unwrap()),
        glob("docs//./d"),
        glob("docs/"),
        glob(".github/*"),
        glob("{.github,docs}/**/*.{yml,md}"),
        ("Grep", json!({ "pattern": "PASS", "path": ".github" })),
        ("Grep", json!({ "pattern": "PASS", "glob": "./.git*/**" })),
        glob("*.yml"),
        glob("../**"),
        glob("/etc/*"),
    ];
    let found = search(&lab, "look", &all);
    let nothing = "Nothing was found.\n[hidden files were passed over; name one to look into it]";
    let expected = [
        "a.txt",
        "a.txt",
        "docs/d",
        "docs/d\ndocs/deep/e.md",
        ".github/b.yml",
        ".github/b.yml\ndocs/deep/e.md",
        ".github/b.yml:1: PASSWORD",
        ".github/b.yml:1: PASSWORD",
        nothing,
        "`../**` is no pattern for paths in the workspace",
        "`/etc/*` is no pattern for paths in the workspace",
    ];
    let found: Vec<&str> = found.iter().map(|(_, content)| &**content).collect();
    assert_eq!(found, expected);
}

#[test]
fn only_the_repository_of_the_workspace_says_what_is_ignored() {
    let all = [("Glob", json!({ "pattern": "docs/**" }))];
    let check = |lab: &Lab, expected: &str| {
        assert_eq!(search(lab, "look", &all)[0].1, expected);
    };
    let both = "docs/d\ndocs/deep/e.md";
    let lab = lab();
    lab.write(".gitignore", "*\n");
    check(&lab, both);
    // The workspace is a folder of a repository, which ignores all of it, or some.
    lab.write(".git/HEAD", "ref: refs/heads/main\n");
    check(&lab, both);
    lab.write(".gitignore", "deep/\n");
    check(&lab, "docs/d");
    // It is a repository of its own.
    lab.write("work/.git/HEAD", "ref: refs/heads/main\n");
    check(&lab, both);
    lab.write("work/.gitignore", "d\n");
    check(&lab, "docs/deep/e.md");
}

#[test]
fn lists_of_what_to_ignore_are_not_read_without_end() {
    let lab = lab();
    let list = lab.folder.path().join("work/.gitignore");
    std::os::unix::fs::symlink("/dev/zero", &list).unwrap();
    let all = [("Glob", json!({ "pattern": "docs/*" }))];
    assert_eq!(search(&lab, "look", &all)[0].1, "docs/d\ndocs/deep/e.md");
    fs::remove_file(&list).unwrap();
    lab.write("work/.gitignore", "docs/*\n!docs/deep\n");
    lab.write("work/docs/.ignore", "!d\n");
    let all = [("Glob", json!({ "pattern": "docs/**" }))];
    let found = &search(&lab, "look", &all)[0].1;
    assert_eq!(found, "docs/d\ndocs/deep/e.md");
}
