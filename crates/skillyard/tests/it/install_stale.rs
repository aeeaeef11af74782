//! Skills that lie in the project they are installed into, and are changed there.

use std::fs;

use insta::assert_snapshot;
use skillyard_format::package::pack::PackFormat;

use crate::TestContext;
use crate::install_requires::{library, needing};
use crate::project::{installed, packed, project};
use crate::servers::repository::{Repository, skill};

#[test]
fn the_author_sees_what_a_colleague_would() {
    let context = installed();
    context.done(&["sync", "--locked", "--check"]);
    context.write("lib/pdf/SKILL.md", skill("pdf", "two"));
    let told = context.refused(&["sync", "--locked"]);
    assert_snapshot!(told, @r"
    error: the lock does not match what lies in the project: `pdf` is other in `./lib/pdf` (not as locked: `SKILL.md`)

    hint: Take what is there with `skillyard update pdf`, and commit the new lock
    ");
    assert_eq!(context.refused(&["sync", "--check"]), told);
    let told = context.json(&["sync", "--check", "--json"]);
    assert_eq!(told["stale"][0]["name"], "pdf");
    assert_eq!(told["stale"][0]["reason"], "not as locked: `SKILL.md`");
    assert_eq!(told["changes"].as_array().map(Vec::len), Some(0));
    let doctor = context.run(&["doctor"]);
    assert!(doctor.contains("`pdf` is other in `./lib/pdf`"), "{doctor}");
    // Nothing of it is in the way here, where the store has what is locked.
    context.done(&["sync"]);
    // A colleague has only the project.
    context.forget();
    let told = context.refused(&["sync"]);
    assert!(told.contains("`skillyard update pdf`"), "{told}");
    let told = context.refused(&["sync", "--check"]);
    assert!(told.contains(" + pdf"), "{told}");
    assert!(told.contains("`skillyard update pdf`"), "{told}");
    context.done(&["update", "pdf", "--yes"]);
    assert_eq!(context.version_of("pdf").as_deref(), Some("two"));
    context.done(&["sync", "--locked", "--check"]);
    // What is gone cannot be had either.
    fs::remove_dir_all(context.root().join("lib/pdf")).unwrap();
    assert_snapshot!(context.refused(&["sync", "--locked"]), @r"
    error: the lock does not match what lies in the project: `pdf` is not in `./lib/pdf` any more

    hint: Write into skills.toml where it lies now, or take it out with `skillyard remove pdf`
    ");
    let told = context.json(&["sync", "--check", "--json"]);
    let reason = told["stale"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("lib/pdf"), "{told}");
}

#[test]
fn what_is_delivered_decides() {
    let context = project();
    context.write("lib/book/SKILL.md", skill("book", "one"));
    context.done(&["install", "./lib/book", "--name", "paper"]);
    context.write("lib/pdf.zip", packed("pdf/", "one", PackFormat::Zip));
    context.done(&["install", "./lib/pdf.zip"]);
    context.write("lib/book/__pycache__/a.pyc", "left by a program");
    context.done(&["sync", "--locked", "--check"]);
    context.write("lib/pdf.zip", packed("pdf/", "two", PackFormat::Zip));
    let told = context.refused(&["sync", "--locked"]);
    assert!(told.contains("`./lib/pdf.zip`"), "{told}");
    assert!(!told.contains("paper"), "{told}");
    // Older versions did not write down what the source gave.
    let lock = context.read("skills.lock");
    let lines = lock
        .lines()
        .filter(|line| !line.starts_with("delivered-as"));
    context.write("skills.lock", lines.collect::<Vec<_>>().join("\n"));
    let told = context.refused(&["sync", "--locked"]);
    assert!(!told.contains("paper"), "{told}");
}

#[test]
fn line_ends_of_git_are_told_as_that() {
    let context = installed();
    let text = skill("pdf", "one").replace('\n', "\r\n");
    context.write("lib/pdf/SKILL.md", &text);
    let told = context.refused(&["sync", "--locked"]);
    let line = "`lib/pdf/** -text` in a `.gitattributes`";
    assert!(
        told.contains("core.autocrlf") && told.contains(line),
        "{told}"
    );
    // Nobody else would have these bytes, so that they are no newer ones.
    let lock = context.read("skills.lock");
    assert_eq!(context.code(&["outdated"]), Some(0));
    context.done(&["update", "--yes"]);
    assert_eq!(context.read("skills.lock"), lock);
    context.forget();
    let told = context.refused(&["sync"]);
    assert!(
        told.contains("core.autocrlf") && told.contains(line),
        "{told}"
    );
}

#[test]
fn an_update_says_that_it_cannot_show_what_changes() {
    let context = project();
    let repository = Repository::with_pdf(&context);
    let source = format!("{}#skills/pdf", repository.url());
    context.done(&["install", &source, "--yes"]);
    repository.skill("skills/pdf", "two").commit("two");
    context.forget();
    let answer = context.json(&["update", "--dry-run", "--json"]);
    let warned = answer["warnings"].to_string();
    assert!(
        warned.contains("what changes in `pdf` cannot be shown"),
        "{answer}"
    );
    context.done(&["sync"]);
    let told = context.tell(&["update", "--dry-run"]);
    assert!(
        told.contains("two") && !told.contains("cannot be shown"),
        "{told}"
    );
}

/// Moves a folder of the project.
fn move_folder(context: &TestContext, from: &str, to: &str) {
    let root = context.root();
    fs::create_dir_all(root.join(to).parent().unwrap()).unwrap();
    fs::rename(root.join(from), root.join(to)).unwrap();
}

#[test]
fn only_who_needs_a_skill_says_where_it_lies() {
    let context = library(&[
        ("report", "../chart"),
        ("chart", "../colour"),
        ("colour", ""),
    ]);
    context.done(&["install", "./lib/report"]);
    context.write("lib/colour/SKILL.md", needing("colour", "two", ""));
    let told = context.refused(&["sync", "--check"]);
    assert!(told.contains("`skillyard update colour`"), "{told}");
    context.done(&["update", "colour", "--yes"]);
    move_folder(&context, "lib/colour", "parts/colour");
    let told = context.refused(&["sync", "--check"]);
    assert_snapshot!(told, @r"
    error: the lock does not match what lies in the project: `colour` is not in `./lib/colour` any more

    hint: Say in `./lib/chart` where `colour` lies now, then take that with `skillyard update chart`; or remove what needs it with `skillyard remove report`
    ");
    assert_eq!(context.refused(&["sync", "--locked"]), told);
    let told = context.refused(&["update", "chart"]);
    assert!(told.contains("in place of `../colour`"), "{told}");
    context.write(
        "lib/chart/SKILL.md",
        needing("chart", "one", "../../parts/colour"),
    );
    // Said already, and not locked yet.
    let told = context.refused(&["sync", "--check"]);
    assert!(told.contains("`skillyard update chart`"), "{told}");
    context.done(&["update", "chart", "--yes"]);
    context.done(&["sync", "--locked", "--check"]);
    // Who says where it is was moved with it.
    move_folder(&context, "lib/chart", "parts/chart");
    let told = context.refused(&["sync", "--check"]);
    assert!(
        told.contains("Say in `./lib/report` where `chart`"),
        "{told}"
    );
    context.done(&["remove", "report"]);
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn what_moves_along_is_not_looked_for_where_it_was() {
    let context = library(&[("report", "../chart"), ("chart", "")]);
    context.done(&["install", "./lib/report"]);
    move_folder(&context, "lib", "moved");
    let told = context.refused(&["sync", "--check"]);
    assert!(
        told.contains("where it lies now") && told.contains("remove report`"),
        "{told}"
    );
    let manifest = context.read("skills.toml").replace("./lib/", "./moved/");
    context.write("skills.toml", manifest);
    let told = context.refused(&["sync", "--check"]);
    assert!(
        told.contains(" ~ chart") && !told.contains("error:"),
        "{told}"
    );
    context.done(&["sync"]);
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn what_cannot_be_read_is_to_be_put_right_first() {
    let context = project();
    let archive = packed("pdf/", "one", PackFormat::TarGz);
    context.write("pdf.tar.gz", &archive);
    context.done(&["install", "./pdf.tar.gz"]);
    context.write("pdf.tar.gz", &archive[..100]);
    let told = context.refused(&["sync", "--locked"]);
    let hint = "hint: Put `./pdf.tar.gz` right, as from the repository, and take what is there then with `skillyard update pdf`; or take it out with `skillyard remove pdf`";
    assert!(
        told.contains("`pdf` cannot be had from `./pdf.tar.gz` (the archive"),
        "{told}"
    );
    assert!(told.contains(hint), "{told}");
    context.write("pdf.tar.gz", packed("pdf/", "two", PackFormat::TarGz));
    context.done(&["update", "pdf", "--yes"]);
    context.done(&["sync", "--locked", "--check"]);
    fs::remove_file(context.root().join("pdf.tar.gz")).unwrap();
    let told = context.refused(&["update", "pdf"]);
    assert!(
        told.contains("`skillyard remove pdf` takes it out"),
        "{told}"
    );
    let told = context.refused(&["sync", "--check"]);
    assert!(
        told.contains("`pdf` is not in `./pdf.tar.gz` any more"),
        "{told}"
    );
    context.done(&["remove", "pdf"]);
    context.done(&["sync", "--locked", "--check"]);
}
