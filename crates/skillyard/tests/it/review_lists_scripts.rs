//! Whoever is asked about a skill is shown every file of it that could be run.

use serde_json::json;
use skillyard_format::package::archive::Limits;
use skillyard_format::package::pack::{PackFile, PackFormat, pack};

use crate::TestContext;
use crate::serve_chat::Serving;
use crate::servers::http::{Reply, Server};

/// No bit says of any of them that it may be executed, as in archives made on Windows.
const SCRIPTS: [(&str, &str); 6] = [
    ("lib.rb", "puts 1\n"),
    ("references/noext", "#!/bin/sh\necho RAN\n"),
    (
        "references/q.json",
        "#!/usr/bin/env python3\nprint('RAN')\n",
    ),
    ("references/z.md", "#!/bin/sh\necho RAN\n"),
    ("tools/x.py", "print('RAN')\n"),
    ("y.sh", "echo RAN\n"),
];

fn web() -> Server {
    let skill = "---\nname: full\ndescription: Runs. Use for running.\n---\nRun.\n";
    let others = [("SKILL.md", skill), ("references/plain.md", "# Plain\n")];
    let files = SCRIPTS.into_iter().chain(others);
    let files = files.map(|(path, content)| PackFile::new(path, false, content.as_bytes()));
    let files: Vec<PackFile<'_>> = files.collect();
    let archive = pack(&files, PackFormat::Zip, &Limits::skill()).unwrap();
    Server::serve([("/full.zip", Reply::ok(archive))])
}

#[test]
fn before_an_installation_and_before_an_approval() {
    let server = web();
    let context = TestContext::new();
    let url = server.url("/full.zip");
    let install = ["install", &url, "--scope", "user"];
    let told = context.refused(&install);
    let paths = SCRIPTS.map(|(path, _)| path);
    for path in paths {
        assert!(told.contains(&format!("  - {path} (")), "{path}: {told}");
    }
    assert!(!told.contains("plain.md"), "{told}");
    let answer = context.json(&[&install[..], &["--yes", "--json"]].concat());
    let listed = |files: &serde_json::Value| {
        let files = files.as_array().unwrap().iter();
        let paths = files.map(|file| file["path"].as_str().unwrap().to_owned());
        paths.collect::<Vec<_>>()
    };
    assert_eq!(listed(&answer["checked"][0]["scripts"]), paths);
    let trust = ["trust", "full", "--scripts", "--yes"];
    let told = context.done(&trust);
    assert!(told.contains("scripts  6 files"), "{told}");
    let answer = context.json(&[&trust[..], &["--json"]].concat());
    assert_eq!(listed(&answer["files"]), paths);
    // All that runs was shown.
    for path in paths.into_iter().filter(|path| *path != "lib.rb") {
        let ran = crate::output(context.skillyard().args(["run", "full", path]));
        assert_eq!(crate::text(&ran.stdout), "RAN\n", "{path}: {ran:?}");
    }
    let plain = ["run", "full", "references/plain.md"];
    assert_ne!(context.code(&plain), Some(0));
}

#[test]
fn before_an_installation_over_http() {
    let server = web();
    let context = TestContext::new();
    let serving = Serving::start(&context, &[]);
    let order = json!({ "reference": server.url("/full.zip"), "scope": "user" });
    let planned = serving.json("POST", "/api/v1/install", &order);
    let paths = SCRIPTS.map(|(path, _)| path);
    assert_eq!(planned["skills"][0]["scripts"], json!(paths), "{planned}");
}
