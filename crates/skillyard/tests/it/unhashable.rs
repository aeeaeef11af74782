//! Skills whose files cannot be hashed are unavailable everywhere alike; large ones of the user can be.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

use serde_json::{Value, json};

use crate::machine::TRUSTING;
use crate::mcp_client::Raw;
use crate::serve_chat::Serving;
use crate::{TestContext, output, text};

const REASON: &str = "cannot be used: its files cannot be hashed: `";

/// A project with `deep`, whose folders lie deeper than anybody looks.
fn deep() -> TestContext {
    let context = TestContext::configured(TRUSTING);
    context.skill(".skills/deep", "Digs deep. Use for digging.");
    let below = context.root().join(".skills/deep").join("d/".repeat(70));
    fs::create_dir_all(&below).unwrap();
    fs::write(below.join("file"), "x").unwrap();
    context.write(".skills/deep/scripts/a.sh", "#!/bin/sh\necho ran\n");
    context
}

/// What every surface says once it was found out.
fn unavailable(context: &TestContext) {
    let listed = context.stdout(&["list"]);
    let line = listed.lines().find(|line| line.contains(" deep ")).unwrap();
    assert!(
        line.contains("✗ deep  (unavailable) its files cannot be hashed: `d/d"),
        "{line}"
    );
    let json = context.json(&["list", "--json"]);
    let skills = json["skills"].as_array().unwrap();
    let deep = skills.iter().find(|skill| skill["name"] == "deep").unwrap();
    assert_eq!(deep["status"], "unavailable");
    assert!(
        deep["reason"]
            .as_str()
            .unwrap()
            .contains("deeper than 64 folders")
    );
    assert!(!context.stdout(&["prompt"]).contains("deep"));
    let told = context.refused(&["chat", "-p", "/deep"]);
    assert!(
        told.contains(REASON) && told.contains("hint: Take out of its folder"),
        "{told}"
    );
}

#[test]
fn what_cannot_be_hashed_is_found_out_when_it_is_used() {
    let context = deep();
    assert!(context.stdout(&["list"]).contains("✓ deep"));
    let told = context.refused(&["run", "deep", "scripts/a.sh", "--yes"]);
    assert!(told.contains(REASON), "{told}");
    unavailable(&context);
    // What was taken out is no hindrance any more.
    fs::remove_dir_all(context.root().join(".skills/deep/d")).unwrap();
    assert!(context.stdout(&["list"]).contains("✓ deep"));
    assert!(context.stdout(&["prompt"]).contains("deep"));
    context.done(&["chat", "-p", "/deep"]);
}

#[test]
fn a_chat_finds_it_out() {
    let context = deep();
    let told = context.refused(&["chat", "-p", "/deep"]);
    assert!(told.contains(REASON), "{told}");
    unavailable(&context);
}

#[test]
fn who_looks_closely_finds_it_out() {
    for arguments in [
        &["doctor"][..],
        &["show", "deep"],
        &["explain", "skill", "deep"],
        &["validate", ".skills/deep"],
    ] {
        let context = deep();
        let told = text(&output(context.skillyard().args(arguments)).stdout);
        assert!(
            told.contains("its files cannot be hashed: `d/d"),
            "{arguments:?}: {told}"
        );
        if arguments[0] != "validate" {
            unavailable(&context);
        }
    }
}

#[test]
fn other_agents_are_refused_it_too() {
    let context = deep();
    let mut raw = Raw::start(&context, &[], &json!({}));
    let listed = raw.ask("skills/list", &json!({}), &Value::Null).to_string();
    assert!(listed.contains("skill://deep/SKILL.md"));
    let told = raw.call("skill_load", &json!({ "name": "deep" }));
    assert!(told.contains(REASON), "{told}");
    assert!(!told.contains("skill_content"), "{told}");
    let file = json!({ "name": "deep", "path": "scripts/a.sh" });
    assert!(raw.call("skill_read", &file).contains(REASON));
    assert!(
        raw.resource("skill://deep/SKILL.md")
            .unwrap_err()
            .contains(REASON)
    );
    let found = raw.call("skill_search", &json!({ "query": "digging deep" }));
    assert!(!found.contains("Digs deep"), "{found}");
    unavailable(&context);
    assert!(
        !context
            .stdout(&["audit", "list", "--json"])
            .contains("\"digest\":\"\"")
    );
}

#[test]
fn over_http_it_is_refused_too() {
    let context = deep();
    let serving = Serving::start(&context, &[]);
    let load = json!({ "name": "deep" });
    // The first who asks finds it out.
    for _ in 0..2 {
        let (status, told) = serving.ask_with("POST", "/api/v1/tools/skill_load", "", &load);
        assert_eq!(status, 403, "{told}");
        assert!(told.contains(REASON), "{told}");
        assert!(told.contains(r#""skill":"deep""#), "{told}");
    }
    unavailable(&context);
}

#[test]
fn a_disk_that_is_full_says_nothing_of_a_skill() {
    let context = TestContext::configured(TRUSTING);
    context.skill(".skills/big", "Is big. Use for big things.");
    context.write(".skills/big/fat.bin", vec![7; 3 << 20]);
    context.write(".skills/big/scripts/a.sh", "#!/bin/sh\necho ran\n");
    // No file can have more than a megabyte or two here, and so no copy of the large one.
    let limited = "trap '' XFSZ; ulimit -f 2048; exec \"$0\" run big scripts/a.sh --yes";
    let mut shell = context.command("sh");
    let ran = output(shell.args(["-c", limited, env!("CARGO_BIN_EXE_skillyard")]));
    let told = text(&ran.stderr);
    assert_eq!(ran.status.code(), Some(2), "{told}");
    assert!(told.contains("cannot write"), "{told}");
    assert!(!told.contains("hashed"), "{told}");
    assert!(context.stdout(&["list"]).contains("✓ big"));
    context.done(&["run", "big", "scripts/a.sh", "--yes", "--explain"]);
}

#[test]
fn large_skills_of_the_user_and_unusual_names_are_used() {
    let context = TestContext::configured(TRUSTING);
    context.skill(".skills/big", "Is big. Use for big things.");
    let folder = context.root().join(".skills/big");
    fs::create_dir_all(folder.join("node_modules")).unwrap();
    for at in 0..600 {
        fs::write(folder.join(format!("node_modules/{at}.js")), "x").unwrap();
    }
    fs::write(folder.join("fat.bin"), vec![7; 17 << 20]).unwrap();
    fs::write(folder.join("Icon\r"), "x").unwrap();
    fs::write(folder.join("a\nb"), "x").unwrap();
    // Not every system can have such a name.
    let _ = fs::write(folder.join(OsStr::from_bytes(b"caf\xe9.txt")), "x");
    context.write(".skills/big/scripts/a.sh", "#!/bin/sh\necho ran\n");
    let shown = context.json(&["show", "big", "--json"]);
    let digest = shown["digest"].as_str().unwrap().to_owned();
    assert!(context.stdout(&["list"]).contains("✓ big"));
    assert!(
        !context
            .stdout(&["validate", ".skills/big"])
            .contains("hashed")
    );
    let mut raw = Raw::start(&context, &[], &json!({}));
    let told = raw.call("skill_load", &json!({ "name": "big" }));
    assert!(told.contains(&format!("digest=\"{digest}\"")), "{told}");
    context.done(&["chat", "-p", "/big"]);
    let told = context.json(&["run", "big", "scripts/a.sh", "--yes", "--explain", "--json"]);
    assert_eq!(told["digest"], digest);
    // The name of every file counts.
    fs::rename(folder.join("a\nb"), folder.join("a\nc")).unwrap();
    let shown = context.json(&["show", "big", "--json"]);
    assert_ne!(shown["digest"], digest);
}

#[test]
fn the_caps_of_installed_skills_can_be_raised() {
    let context = TestContext::new();
    context.skill("many", "Is many. Use for many things.");
    for at in 0..600 {
        context.write(&format!("many/files/{at}.md"), "x");
    }
    let told = context.refused(&["install", "./many", "--yes"]);
    assert!(
        told.contains("it has more than 512 files") && told.contains("limits.max_files"),
        "{told}"
    );
    let raised = ["--config", "limits.max_files=1000"];
    let install = [&raised[..], &["install", "./many", "--yes"]].concat();
    context.done(&install);
    assert!(context.stdout(&["list"]).contains("✓ many"));
    context.done(&["chat", "-p", "/many"]);
    context.write("many/files/0.md", "y");
    let update = [&raised[..], &["update", "many", "--yes"]].concat();
    context.done(&update);
    context.done(&["remove", "many", "--yes"]);
    // The same in an archive.
    let archive = [&raised[..], &["export", "many", "--archive", "many.zip"]].concat();
    context.done(&install);
    context.done(&archive);
    context.done(&["remove", "many", "--yes"]);
    let told = context.refused(&["install", "./many.zip", "--yes"]);
    assert!(told.contains("limits.max_files"), "{told}");
    context.done(&[&raised[..], &["install", "./many.zip", "--yes"]].concat());
}

#[test]
fn as_much_as_may_be_installed_can_be_used() {
    let context = TestContext::new();
    context.skill("many", "Is many. Use for many things.");
    for at in 0..19_970 {
        context.write(&format!("many/files-{}/{at}.md", at % 40), "");
    }
    let raised = "limits.max_files=20000";
    context.done(&["install", "./many", "--yes", "--config", raised]);
    assert!(context.stdout(&["list"]).contains("✓ many"));
}

#[test]
fn what_was_installed_and_cannot_be_hashed_is_not_called_altered() {
    let context = TestContext::configured(TRUSTING);
    context.skill("lib/pdf", "Fills forms. Use for forms.");
    context.write("skills.toml", "");
    context.done(&["install", "./lib/pdf", "--yes"]);
    let below = context
        .root()
        .join(".agents/skills/pdf")
        .join("d/".repeat(70));
    fs::create_dir_all(&below).unwrap();
    let listed = context.stdout(&["list"]);
    assert!(
        listed.contains("✗ pdf  (unavailable) its files cannot be hashed: `d/d"),
        "{listed}"
    );
    let told = context.refused(&["chat", "-p", "/pdf"]);
    assert!(
        told.contains(REASON) && told.contains("hint: Take out of its folder"),
        "{told}"
    );
    let told = context.run(&["prompt", ".agents/skills/pdf"]);
    assert!(told.contains("its files cannot be hashed"), "{told}");
}
