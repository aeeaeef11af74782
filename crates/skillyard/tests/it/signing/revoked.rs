//! What is revoked after it was installed.

use serde_json::{Value, json};

use super::skill;
use crate::TestContext;
use crate::project::project;
use crate::serve_chat::Serving;

/// A trusted project in which `pdf` was installed, and has run.
fn installed(sign: bool) -> TestContext {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "1.2.0"));
    context.write("lib/pdf/scripts/run.sh", "#!/bin/sh\necho RAN\n");
    context.done(&["key", "generate", "mine"]);
    context.done(&["key", "trust", "mine"]);
    if sign {
        context.done(&["sign", "lib/pdf"]);
    }
    context.done(&["install", "./lib/pdf", "--yes"]);
    context.done(&["trust", "."]);
    context.done(&["trust", "pdf", "--scripts", "--yes"]);
    context.done(&["run", "pdf", "scripts/run.sh"]);
    context
}

/// Nobody uses `pdf` any more, and everybody is told why.
#[track_caller]
fn is_withdrawn(context: &TestContext, why: &str) {
    let told = |arguments: &[&str]| {
        let told = context.refused(arguments);
        assert!(told.contains(why), "{arguments:?}: {told}");
        told
    };
    let ran = told(&["run", "pdf", "scripts/run.sh", "--yes"]);
    assert!(ran.contains("hint: Take it away with `skillyard remove pdf`"));
    told(&["run", "./.agents/skills/pdf", "scripts/run.sh", "--yes"]);
    told(&["chat", "-p", "/pdf go"]);
    let doctor = context.run(&["doctor"]);
    assert!(doctor.contains("✗ `pdf` is revoked: "), "{doctor}");
    let shown = context.json(&["show", "pdf", "--json"]);
    assert_eq!(shown["security"]["permission"]["decision"], "blocked");
    let list = context.json(&["list", "--json"]);
    let all = list["skills"].as_array().unwrap();
    let pdf = all.iter().find(|each| each["name"] == "pdf").unwrap();
    assert_eq!(pdf["status"], "revoked");
    assert!(pdf["reason"].as_str().unwrap().contains(why), "{pdf}");
    assert!(!context.run(&["prompt"]).contains("pdf"));
    let read = context.run(&["read", "pdf"]);
    assert!(read.contains("warning: the skill is revoked: "), "{read}");
    // No approval lifts it.
    let again = context.run(&["trust", "pdf", "--scripts", "--yes"]);
    assert!(again.contains("still blocked"), "{again}");
    assert!(again.contains("\n  revoked  "), "{again}");
}

#[test]
fn a_skill_of_a_revoked_key_is_not_used_any_more() {
    let context = installed(true);
    let told = context.json(&["key", "revoke", "mine", "--reason", "stolen", "--json"]);
    assert_eq!(told["affected"], json!(["pdf"]));
    is_withdrawn(&context, "was revoked at ");
    // Another key has nothing to do with it.
    context.done(&["key", "generate", "other"]);
    let told = context.json(&["key", "revoke", "other", "--json"]);
    assert_eq!(told["affected"], json!([]), "{told}");
    // Nor where somebody takes the signature away.
    std::fs::remove_file(context.root().join(".agents/skills/pdf/skill.oms.sig")).unwrap();
    context.refused(&["run", "pdf", "scripts/run.sh", "--yes"]);
}

#[test]
fn content_that_is_revoked_is_neither_used_nor_installed() {
    let context = installed(false);
    let digest = context.json(&["verify", "pdf", "--json"])["digest"].clone();
    let revoked = context.json(&["key", "revoke", digest.as_str().unwrap(), "--json"]);
    assert_eq!(revoked["affected"], json!(["pdf"]));
    is_withdrawn(&context, "this very content was revoked");
    let code = context.json(&["verify", "pdf", "--json"])["code"].clone();
    assert_eq!(code, "revoked-content");
    // What the store holds is not written again, and what is taken away does not come back.
    std::fs::remove_dir_all(context.root().join(".agents/skills/pdf")).unwrap();
    let told = context.refused(&["sync"]);
    assert!(
        told.contains("`pdf` was not installed: it is revoked"),
        "{told}"
    );
    context.done(&["remove", "pdf"]);
    let told = context.refused(&["install", "./lib/pdf", "--yes"]);
    assert!(told.contains("this very content was revoked"), "{told}");
    // Other content of the name is another matter.
    context.write("lib/pdf/SKILL.md", skill("pdf", "1.2.1"));
    context.done(&["install", "./lib/pdf", "--yes"]);
    assert!(context.run(&["prompt"]).contains("pdf"));
}

#[test]
fn what_is_revoked_stays_so_under_every_name() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "1.2.0"));
    context.write("lib/pdf/scripts/run.sh", "#!/bin/sh\necho RAN\n");
    context.done(&["install", "./lib/pdf", "--name", "forms", "--yes"]);
    context.done(&["trust", "."]);
    context.done(&["run", "forms", "scripts/run.sh", "--yes"]);
    let digest = context.json(&["verify", "./lib/pdf", "--json"])["digest"].clone();
    let revoked = context.json(&["key", "revoke", digest.as_str().unwrap(), "--json"]);
    assert_eq!(revoked["affected"], json!(["forms"]));
    let why = "this very content was revoked";
    let run = ["run", "forms", "scripts/run.sh", "--yes"];
    let install = ["install", "./lib/pdf", "--name", "papers", "--yes"];
    let chat = ["chat", "-p", "/forms go"];
    for refused in [&run[..], &install, &chat] {
        let told = context.refused(refused);
        assert!(told.contains(why), "{refused:?}: {told}");
    }
    let code = context.json(&["verify", "forms", "--json"])["code"].clone();
    assert_eq!(code, "revoked-content");
    // Older versions did not note what the source gave.
    let lock = context.read("skills.lock");
    let lines = lock
        .lines()
        .filter(|line| !line.starts_with("delivered-as"));
    context.write("skills.lock", lines.collect::<Vec<_>>().join("\n"));
    for refused in [&run[..], &chat] {
        let told = context.refused(refused);
        assert!(told.contains(why), "{refused:?}: {told}");
    }
    let code = context.json(&["verify", "forms", "--json"])["code"].clone();
    assert_eq!(code, "revoked-content");
    // Nor does it come back from the store.
    std::fs::remove_dir_all(context.root().join(".agents/skills/forms")).unwrap();
    let told = context.refused(&["sync"]);
    assert!(told.contains(why), "{told}");
}

#[test]
fn what_is_revoked_is_not_handed_on() {
    let context = installed(false);
    let digest = context.json(&["verify", "pdf", "--json"])["digest"].clone();
    context.done(&["export", "pdf", "--agent", "claude-code", "--output", "out"]);
    context.done(&["key", "revoke", digest.as_str().unwrap()]);
    let why = "this very content was revoked";
    let layout = ["--agent", "claude-code", "--output", "more"];
    for form in [&layout[..], &["--archive", "pdf.zip"]] {
        let told = context.refused(&[&["export", "pdf"], form].concat());
        assert!(told.contains(why), "{told}");
        assert!(told.contains("hint: Take it away with"), "{told}");
    }
    let root = context.root();
    assert!(!root.join("more").exists() && !root.join("pdf.zip").exists());
    for format in ["xml", "skills-ref"] {
        let told = context.run(&["prompt", "./lib/pdf", "--format", format]);
        assert!(!told.contains("Fills"), "{told}");
        assert!(told.contains("it is revoked: this very content"), "{told}");
    }
}

#[test]
fn a_server_gives_no_file_of_what_is_revoked_meanwhile() {
    let context = installed(true);
    let serving = Serving::start(&context, &[]);
    let ask = || {
        let path = "/api/v1/skills/pdf/files/scripts/run.sh";
        serving.ask_with("GET", path, "", &Value::Null)
    };
    assert_eq!(ask().0, 200);
    context.done(&["key", "revoke", "mine"]);
    let (status, told) = ask();
    assert_eq!(status, 403, "{told}");
    assert!(told.contains("skill `pdf` is revoked: key "), "{told}");
    let path = "/api/v1/skills/pdf/activate";
    let (status, told) = serving.ask_with("POST", path, "", &json!({}));
    assert_eq!(status, 403, "{told}");
}

#[test]
fn an_installed_skill_has_no_signer_once_they_are_not_trusted() {
    let context = TestContext::new();
    context.write("lib/pdf/SKILL.md", skill("pdf", "1.2.0"));
    context.done(&["key", "generate", "mine"]);
    context.done(&["key", "trust", "mine"]);
    context.done(&["sign", "lib/pdf"]);
    context.done(&["install", "./lib/pdf", "--scope", "user", "--yes"]);
    let signer =
        || context.json(&["show", "pdf", "--json"])["security"]["provenance"]["signer"].clone();
    assert!(signer().as_str().unwrap().starts_with("key:"));
    context.done(&["key", "trust", "mine", "--scope", "csv-*"]);
    assert_eq!(signer(), Value::Null);
}

#[test]
fn what_can_be_done_names_the_whole_and_no_folder_that_nobody_installed() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "1.2.0"));
    context.write("lib/pdf/parts/forms/SKILL.md", skill("forms", "1.0.0"));
    context.write(
        "lib/pdf/parts/forms/scripts/run.sh",
        "#!/bin/sh\necho RAN\n",
    );
    context.done(&["install", "./lib/pdf", "--yes"]);
    context.done(&["trust", "."]);
    let digest = context.json(&["verify", "pdf", "--json"])["digest"].clone();
    context.done(&["key", "revoke", digest.as_str().unwrap()]);
    let whole = "It is part of `pdf`. Take it away with `skillyard remove pdf`, or see with `skillyard update pdf`";
    let part = "./.agents/skills/pdf/parts/forms";
    let told = context.refused(&["run", part, "scripts/run.sh", "--yes"]);
    assert!(told.contains(whole), "{told}");
    assert!(!told.contains("remove forms"), "{told}");
    let told = context.run(&["verify", "./lib/pdf"]);
    assert!(told.contains("It was not installed by skillyard"), "{told}");
    assert!(!told.contains("skillyard remove"), "{told}");
}

#[test]
fn what_is_installed_and_revoked_is_named_where_nothing_changes() {
    let context = installed(false);
    let digest = context.json(&["verify", "pdf", "--json"])["digest"].clone();
    context.done(&["key", "revoke", digest.as_str().unwrap()]);
    let install = ["install", "./lib/pdf", "--yes"];
    let commands: [&[&str]; 7] = [
        &["sync"],
        &["sync", "--locked"],
        &["sync", "--check"],
        &["outdated"],
        &["update"],
        &["update", "pdf", "--yes"],
        &install,
    ];
    for command in commands {
        let told = context.refused(command);
        let line = " ! pdf: it is installed and revoked: this very content was revoked at ";
        assert!(told.contains(line), "{command:?}: {told}");
        assert!(told.contains("`skillyard remove pdf`"), "{told}");
        let mended = "its source has nothing newer";
        assert_eq!(told.contains(mended), command[0] == "update", "{told}");
        let told = context.json(&[command, &["--json"]].concat());
        assert_eq!(told["revoked"][0]["name"], "pdf", "{command:?}: {told}");
    }
    // What is mended is another matter.
    context.write("lib/pdf/SKILL.md", skill("pdf", "1.2.1"));
    let told = context.json(&["update", "--yes", "--json"]);
    assert_eq!(told["revoked"], json!([]), "{told}");
    context.done(&["sync", "--check"]);
}

#[test]
fn a_check_tells_of_what_would_be_refused() {
    let context = installed(false);
    let digest = context.json(&["verify", "pdf", "--json"])["digest"].clone();
    context.done(&["key", "revoke", digest.as_str().unwrap()]);
    let folder = context.root().join(".agents/skills/pdf");
    std::fs::remove_dir_all(&folder).unwrap();
    let told = context.refused(&["sync", "--check"]);
    assert!(told.contains(" ! pdf: it is locked and revoked"), "{told}");
    let install = ["install", "./lib/pdf", "--yes"];
    for command in [&["sync"][..], &["update", "--yes"], &install] {
        let told = context.refused(command);
        assert!(told.contains("it is revoked"), "{command:?}: {told}");
        assert!(told.contains("hint: Take it away with"), "{told}");
        assert!(!folder.exists(), "{command:?}");
    }
}

#[test]
fn what_can_be_done_names_the_scope_in_a_project() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "1.2.0"));
    context.done(&["install", "./lib/pdf", "--scope", "user", "--yes"]);
    let digest = context.json(&["verify", "pdf", "--json"])["digest"].clone();
    context.done(&["key", "revoke", digest.as_str().unwrap()]);
    let told = context.run(&["doctor"]);
    let remedy =
        "`skillyard remove pdf --scope user`, or see with `skillyard update pdf --scope user`";
    assert!(told.contains(remedy), "{told}");
    let told = context.refused(&["sync", "--scope", "user"]);
    assert!(told.contains(remedy), "{told}");
}
