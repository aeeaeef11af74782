//! What nobody needs any more goes, and nothing that somebody needs.

use std::process::Command;
use std::sync::Mutex;

use insta::assert_snapshot;
use skillyard_format::package::pack::PackFormat;

use crate::install_requires::{library, needing};
use crate::install_versions::{libraries, put};
use crate::output;
use crate::project::packed;
use crate::servers::http::{Reply, Server};

#[test]
fn another_version_takes_along_what_only_the_old_one_needed() {
    let (context, _server, shelf) = libraries();
    put(&shelf, "kit@1.0.0", "lib@^1");
    put(&shelf, "tool@2.0.0", "kit lib@^1");
    put(&shelf, "tool@3.0.0", "lib@^2");
    context.done(&["install", "tool@^2", "--yes"]);
    let told = context.done(&["install", "tool@^3", "--yes"]);
    assert!(told.contains(" - kit\n"), "{told}");
    assert_eq!(context.version_of("kit"), None);
    assert_eq!(context.version_of("lib").as_deref(), Some("2.0.0"));
    context.done(&["sync", "--locked", "--check"]);
    // An older one, too.
    context.done(&["install", "tool@^2", "--yes"]);
    assert_eq!(context.version_of("kit").as_deref(), Some("1.0.0"));
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn what_was_edited_is_not_taken_along() {
    let (context, _server, shelf) = libraries();
    put(&shelf, "tool@2.0.0", "");
    put(&shelf, "tool@3.0.0", "apps");
    context.done(&["install", "tool@^1", "--yes"]);
    context.edit("lib");
    let told = context.refused(&["install", "tool@^2", "--yes"]);
    assert!(told.contains("`.agents/skills/lib` was edited"), "{told}");
    assert_eq!(context.version_of("tool").as_deref(), Some("1.0.0"));
    let told = context.done(&["install", "tool@^2", "--yes", "--skip-existing"]);
    assert!(told.contains("lib  left out"), "{told}");
    assert_eq!(context.version_of("tool").as_deref(), Some("2.0.0"));
    assert_eq!(context.version_of("lib").as_deref(), Some("mine"));
    // What nobody needed before stays until somebody tidies up.
    let told = context.done(&["install", "tool@^2", "--yes"]);
    assert!(told.contains("Already up to date"), "{told}");
    let told = context.refused(&["sync", "--locked"]);
    assert!(told.contains("`lib` is locked and not needed"), "{told}");
    context.done(&["sync", "--force"]);
    assert_eq!(context.version_of("lib"), None);
    context.done(&["sync", "--locked", "--check"]);
}

#[test]
fn what_skills_toml_names_stays() {
    let context = library(&[("report", "../chart"), ("chart", ""), ("page", "")]);
    let wanted = "[skills]\nchart = \"./lib/chart\"\nreport = \"./lib/report\"\n";
    let start = || {
        context.write("lib/report/SKILL.md", needing("report", "one", "../chart"));
        context.write("skills.toml", "");
        context.done(&["sync"]);
        context.done(&["install", "./lib/report"]);
        context.write("skills.toml", wanted);
    };
    start();
    assert_snapshot!(context.run(&["why", "chart"]), @r"
    success: true
    exit code: 0
    ----- stdout -----
    skills.toml asks for it: ./lib/chart
    report → chart
    ----- stderr -----
    ");
    let told = context.json(&["why", "chart", "--json"]);
    assert_eq!(told["asked_for"], true, "{told}");
    context.done(&["remove", "report"]);
    assert_eq!(context.version_of("chart").as_deref(), Some("one"));
    assert_eq!(
        context.read("skills.toml"),
        "[skills]\nchart = \"./lib/chart\"\n"
    );
    // It can be taken back, as what others need.
    start();
    let told = context.done(&["remove", "chart"]);
    assert!(told.contains("`chart` stays"), "{told}");
    assert!(!context.read("skills.toml").contains("chart"));
    context.done(&["sync", "--locked", "--check"]);
    // Who needs it no longer does not take it along either.
    for command in [&["update", "report"][..], &["install", "./lib/report"]] {
        start();
        context.write("lib/report/SKILL.md", needing("report", "two", ""));
        context.done(command);
        assert_eq!(context.version_of("report").as_deref(), Some("two"));
        assert_eq!(context.version_of("chart").as_deref(), Some("one"));
        context.done(&["sync"]);
        context.done(&["sync", "--locked", "--check"]);
        assert_eq!(context.version_of("chart").as_deref(), Some("one"));
    }
}

#[test]
fn what_was_installed_meanwhile_keeps_what_it_needs() {
    let context = library(&[("report", "../chart"), ("chart", ""), ("other", "../chart")]);
    let meanwhile: &'static Mutex<Option<Command>> = Box::leak(Box::default());
    // Whoever asks for the archive has read the lock.
    let server = Server::start(|_| {
        if let Some(mut command) = meanwhile.lock().unwrap().take() {
            assert!(output(&mut command).status.success());
        }
        Reply::ok(packed("pdf/", "one", PackFormat::Zip))
    });
    let archive = server.url("/pdf.zip");
    context.done(&["install", "./lib/report", &archive, "--yes"]);
    context.write("lib/report/SKILL.md", needing("report", "two", ""));
    let mut other = context.skillyard();
    other.args(["install", "./lib/other", "--yes"]);
    *meanwhile.lock().unwrap() = Some(other);
    let told = context.refused(&["update", "--yes"]);
    let reason = "error: another command changed `other` meanwhile; nothing was done";
    assert!(told.contains(reason), "{told}");
    assert_eq!(context.version_of("report").as_deref(), Some("one"));
    assert_eq!(context.version_of("chart").as_deref(), Some("one"));
    context.done(&["sync", "--locked", "--check", "--offline"]);
    context.done(&["update", "--yes"]);
    assert_eq!(context.version_of("report").as_deref(), Some("two"));
    assert_eq!(context.version_of("chart").as_deref(), Some("one"));
    context.done(&["sync", "--locked", "--check"]);
}
