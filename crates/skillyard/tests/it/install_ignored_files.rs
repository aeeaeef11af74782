//! What lies with a skill where it comes from and does not come along is told.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::TestContext;
use crate::project::project;
use crate::servers::http::{Reply, Server};
use crate::servers::repository::Repository;

const LINE: &str = "Left out of `pdf`: `node_modules/`, `scripts/.DS_Store`\n";

fn littered() -> TestContext {
    let context = project();
    context.write_skill("lib/pdf");
    context
        .write("lib/pdf/node_modules/a/index.js", "a")
        .write("lib/pdf/node_modules/b.js", "b")
        .write("lib/pdf/scripts/.DS_Store", "c");
    context
}

#[test]
fn what_a_folder_does_not_deliver_is_told() {
    let context = littered();
    context.write_skill("lib/csv");
    // What is left out may be anything.
    let link = context.root().join("lib/pdf/node_modules/link");
    symlink("/etc/passwd", link).unwrap();
    let dry = ["install", "./lib", "--all", "--dry-run"];
    let told = context.done(&dry);
    assert_eq!(told.matches("Left out").count(), 1, "{told}");
    assert!(told.contains(LINE), "{told}");
    let answer = context.json(&[&dry[..], &["--json"]].concat());
    let checked = answer["checked"].as_array().unwrap();
    let left_out = |name: &str| {
        let each = checked.iter().find(|each| each["name"] == name).unwrap();
        each["left_out"].clone()
    };
    assert_eq!(left_out("csv"), json!([]));
    let names = json!(["node_modules/", "scripts/.DS_Store"]);
    assert_eq!(left_out("pdf"), names);
    assert!(context.done(&["install", "./lib", "--all"]).contains(LINE));
    let folder = context.root().join(".agents/skills/pdf");
    assert!(folder.exists() && !folder.join("node_modules").exists());
    // What is there already is not told of again.
    let again = context.done(&["install", "./lib", "--all"]);
    assert!(!again.contains("Left out"), "{again}");
}

#[test]
fn under_another_name_too_and_not_all_of_it_by_name() {
    let context = littered();
    for at in 0..6 {
        context.write(&format!("lib/pdf/{at}.pyc"), "x");
    }
    let told = context.done(&["install", "./lib/pdf", "--name", "forms"]);
    let line = "Left out of `forms`: `0.pyc`, `1.pyc`, `2.pyc`, `3.pyc`, `4.pyc` and 3 more\n";
    assert!(told.contains(line), "{told}");
}

#[test]
fn what_a_commit_or_an_archive_has_too_much_is_told_before_the_question() {
    let context = littered();
    let repository = Repository::with_pdf(&context);
    repository.write("skills/pdf/node_modules/a/index.js", "a");
    repository.write("skills/pdf/scripts/.DS_Store", "c");
    repository.commit("litter");
    let source = format!("{}#skills/pdf", repository.url());
    let told = context.refused(&["install", &source]);
    assert!(told.contains(LINE), "{told}");

    let archive = repository.archive("pdf", "HEAD:skills/pdf", None);
    let server = Server::serve([("/pdf.tar.gz", Reply::ok(archive))]);
    let told = context.refused(&["install", &server.url("/pdf.tar.gz")]);
    assert!(told.contains(LINE), "{told}");
}

#[test]
fn what_is_published_is_what_would_be_installed() {
    let context = littered();
    context.write_version("lib/pdf", "pdf", "1.0.0");
    // Far more than a skill may have, with links as npm makes them.
    for at in 0..600 {
        context.write(&format!("lib/pdf/node_modules/{at}.js"), "x");
    }
    let link = context.root().join("lib/pdf/node_modules/link");
    symlink("../scripts", link).unwrap();
    // The author works on it with a skill of its own.
    context.write("lib/pdf/skills.toml", "");
    context.write_skill("lib/pdf/.agents/skills/inner");
    let plan = context.json(&["publish", "lib/pdf", "--dry-run", "--json"]);
    let paths = [
        ".agents/skills/",
        "node_modules/",
        "scripts/.DS_Store",
        "skills.toml",
    ];
    assert_eq!(plan["left_out"], json!(paths), "{plan}");
    let files: Vec<&str> = plan["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(files, ["SKILL.md"]);
    context.done(&["install", "./lib/pdf"]);
    let shown = context.json(&["show", "pdf", "--json"]);
    assert_eq!(plan["tree"], shown["digest"], "{plan}");
}
