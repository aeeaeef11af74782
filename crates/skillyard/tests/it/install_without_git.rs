//! If git cannot be asked what it ignores, `install` takes all files and warns, and commands that hand
//! files on fail.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::install_ignored::ignoring;
use crate::project::project;
use crate::serve_chat::Serving;
use crate::signing::Signed;
use crate::{TestContext, output};

/// The binary on a machine without git.
fn without_git(context: &TestContext, arguments: &[&str]) -> Command {
    let mut command = context.skillyard();
    command.args(arguments).env("PATH", "/nonexistent");
    command
}

/// What people are told there.
fn told(context: &TestContext, arguments: &[&str]) -> String {
    context.shown(&mut without_git(context, arguments))
}

/// A project with ignored files of which each could be installed.
fn ignoring_files() -> TestContext {
    let context = ignoring();
    fs::remove_dir_all(context.root().join("lib/pdf/.venv")).unwrap();
    context
}

/// A project whose repository is a working tree of one that is not there, as in a container.
fn torn() -> TestContext {
    let context = ignoring_files();
    fs::remove_dir_all(context.root().join(".git")).unwrap();
    context.write(".git", "gitdir: /nonexistent/worktrees/work\n");
    context
}

const WARNING: &str = "warning: git could not be asked what it ignores in `[DIR]`: ";
const HINT: &str = "\nhint: Run it where `git` works and all of the repository is at hand, or take such files away first\n";

#[test]
fn all_files_are_taken_with_one_warning() {
    let check = |context: &TestContext, told: &str, reason: &str| {
        assert!(told.contains("exit code: 0"), "{told}");
        assert_eq!(told.matches(WARNING).count(), 1, "{told}");
        assert!(told.contains(&format!("{WARNING}{reason}")), "{told}");
        assert!(told.contains(HINT), "{told}");
        let folder = context.root().join(".agents/skills/pdf");
        for path in ["scripts/run.sh", ".env", "dist", "kept.log"] {
            assert!(folder.join(path).exists(), "{path}");
        }
    };
    let context = ignoring_files();
    let install = ["install", "./lib/pdf"];
    let missing = "the program `git` was not found; all files are taken";
    check(&context, &told(&context, &install), missing);
    let torn = torn();
    let failed = "git could not list what it ignores: not a git repository";
    check(&torn, &torn.run(&install), failed);

    let context = ignoring_files();
    let dry = ["install", "./lib/pdf", "--dry-run", "--json"];
    let answer = output(&mut without_git(&context, &dry)).stdout;
    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
    let warning = answer["warnings"][0].as_str().unwrap();
    assert!(warning.contains(missing), "{answer}");
}

#[test]
fn a_difference_that_git_could_explain_is_reported_as_that() {
    let context = ignoring();
    context.done(&["install", "./lib/pdf"]);
    let told = told(&context, &["sync", "--check"]);
    assert!(
        told.contains(
            "git could not be asked what it ignores in `[DIR]`: the program `git` was not found"
        ),
        "{told}"
    );
    assert!(format!("{told}\n").contains(HINT), "{told}");
    assert!(!told.contains("skillyard update"), "{told}");
}

#[test]
fn nothing_is_handed_on_that_git_may_ignore() {
    let signed = Signed::new();
    let context = &signed.0;
    context.git(&["init", "--quiet"]);
    context.write(".gitignore", ".env\n");
    context.write("pdf/.env", "TOKEN=secret\n");
    context.write_skill(".agents/skills/own");
    context.write(".agents/skills/own/.env", "TOKEN=secret\n");
    context.done(&["trust", ".", "--yes"]);
    let refused = |arguments: &[&str], folder: &str| {
        let told = told(context, arguments);
        assert!(told.contains("exit code: 2"), "{told}");
        let line = format!("error: cannot tell which files git ignores in `{folder}`\n");
        assert!(told.contains(&line), "{told}");
        let reason = "Caused by: the program `git` was not found\n";
        assert!(told.contains(reason), "{told}");
        assert!(format!("{told}\n").contains(HINT), "{told}");
    };
    let signature = context.read("pdf/skill.oms.sig");
    refused(&["publish", "pdf", "--dry-run"], "pdf");
    refused(&["sign", "pdf"], "pdf");
    let own = "[DIR]/.agents/skills/own";
    refused(&["export", "own", "--archive", "own.zip"], own);
    let output = ["export", "own", "--agent", "codex", "--output", "out"];
    refused(&output, own);
    assert!(!context.root().join("out").exists());
    assert_eq!(context.read("pdf/skill.oms.sig"), signature);
    // Whoever only asks what an agent would ignore is given nothing.
    let report = told(context, &["export", "own", "--agent", "codex"]);
    assert!(report.contains("exit code: 0"), "{report}");
}

#[test]
fn a_folder_whose_path_git_cannot_tell_is_not_handed_on() {
    use std::os::unix::ffi::OsStrExt as _;
    let context = project();
    context.git(&["init", "--quiet"]);
    context.write(".gitignore", ".env\n");
    context.write_version("pdf", "pdf", "1.0.0");
    context.write("pdf/.env", "TOKEN=secret\n");
    let strange = context.root().join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&strange).unwrap();
    fs::rename(context.root().join("pdf"), strange.join("pdf")).unwrap();
    let mut command = context.skillyard();
    command.args(["publish", "pdf", "--dry-run"]);
    let told = context.shown(command.current_dir(&strange));
    assert!(told.contains("is no text"), "{told}");
    assert!(!told.contains("exit code: 0"), "{told}");
}

#[test]
fn a_plan_of_a_server_says_that_git_could_not_be_asked() {
    let context = ignoring_files();
    let order = json!({ "reference": "./lib/pdf", "scope": "project" });
    let serving = Serving::started(without_git(&context, &[]), &[]);
    // Whoever asks again is told again.
    for _ in 0..2 {
        let planned = serving.json("POST", "/api/v1/install", &order);
        let warnings = planned["warnings"].as_array().unwrap();
        assert_eq!(warnings.len(), 1, "{planned}");
        let warning = context.normalised(warnings[0].as_str().unwrap());
        assert!(
            format!("warning: {warning}").starts_with(WARNING),
            "{warning}"
        );
    }
    let serving = Serving::start(&context, &[]);
    let planned = serving.json("POST", "/api/v1/install", &order);
    assert_eq!(planned["warnings"], json!([]), "{planned}");
}
