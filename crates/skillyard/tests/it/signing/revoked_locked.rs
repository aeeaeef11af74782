//! What a lock names and is revoked: it is not written again, and not passed over in silence either.

use std::fs;

use serde_json::{Value, json};

use super::skill;
use crate::TestContext;
use crate::install_requires::{library, needing};
use crate::project::project;
use crate::serve_chat::Serving;

/// Revokes what lies in a folder.
pub(super) fn revoke(context: &TestContext, folder: &str) {
    let digest = context.json(&["verify", folder, "--json"])["digest"].clone();
    context.done(&["key", "revoke", digest.as_str().unwrap()]);
}

/// Takes away what was installed under a name.
fn take_away(context: &TestContext, name: &str) {
    let folder = context.root().join(".agents/skills").join(name);
    fs::remove_dir_all(folder).unwrap();
}

/// Makes the project a fresh checkout on a machine that never had its skills.
fn check_out(context: &TestContext) {
    fs::remove_dir_all(context.root().join(".agents")).unwrap();
    for folder in ["store", "placed"] {
        let _ = fs::remove_dir_all(context.in_home(".skillyard").join(folder));
    }
}

#[test]
fn an_update_does_not_write_again_what_a_skill_needs_and_is_revoked() {
    let context = library(&[("report", "../chart"), ("chart", "")]);
    context.done(&["install", "./lib/report", "--yes"]);
    revoke(&context, "./lib/chart");
    take_away(&context, "chart");
    context.write("lib/report/SKILL.md", needing("report", "two", "../chart"));
    for command in [&["update", "report", "--yes"][..], &["update", "--yes"]] {
        let told = context.refused(command);
        let why = "`chart` was not updated: it is revoked";
        assert!(told.contains(why), "{command:?}: {told}");
        assert_eq!(context.version_of("chart"), None, "{command:?}");
        assert_eq!(context.version_of("report").as_deref(), Some("one"));
    }
}

#[test]
fn a_revoked_skill_does_not_keep_the_others_from_being_updated() {
    let context = library(&[("report", ""), ("chart", "")]);
    context.done(&["install", "./lib/report", "--yes"]);
    context.done(&["install", "./lib/chart", "--yes"]);
    revoke(&context, "./lib/chart");
    take_away(&context, "chart");
    context.write("lib/report/SKILL.md", needing("report", "two", ""));
    let told = context.refused(&["update", "--yes"]);
    let line = " ! chart: `chart` was not updated: it is revoked";
    assert!(told.contains(line), "{told}");
    assert_eq!(told.matches("was revoked at").count(), 1, "{told}");
    assert_eq!(context.version_of("report").as_deref(), Some("two"));
    assert_eq!(context.version_of("chart"), None);
    let told = context.json(&["update", "--yes", "--json"]);
    assert_eq!(told["revoked"][0]["name"], "chart", "{told}");
    assert_eq!(told["failed"][0]["name"], "chart", "{told}");
}

#[test]
fn a_large_skill_is_no_less_revoked() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "1.2.0"));
    for at in 0..600 {
        context.write(&format!("lib/pdf/files/{at}.md"), "x");
    }
    let large = ["--config", "limits.max_files=1000"];
    context.done(&["key", "generate", "mine"]);
    context.done(&["key", "trust", "mine"]);
    context.done(&["sign", "lib/pdf"]);
    context.done(&[&["install", "./lib/pdf", "--yes"], &large[..]].concat());
    revoke(&context, "./lib/pdf");
    // What is left is what lies in its folder.
    fs::remove_dir_all(context.in_home(".skillyard/store")).unwrap();
    let told = context.refused(&[&["sync"], &large[..]].concat());
    assert!(
        told.contains(" ! pdf: it is installed and revoked: "),
        "{told}"
    );
}

#[test]
fn a_fresh_checkout_is_told_of_what_is_revoked() {
    let context = library(&[("report", ""), ("chart", "")]);
    context.done(&["install", "./lib/report", "--yes"]);
    context.done(&["install", "./lib/chart", "--yes"]);
    revoke(&context, "./lib/chart");
    check_out(&context);
    // Nobody has to fetch it in order to know.
    fs::remove_dir_all(context.root().join("lib/chart")).unwrap();
    let line = " ! chart: it is locked and revoked: this very content was revoked at ";
    for command in [&["sync", "--check"][..], &["outdated"]] {
        let told = context.refused(command);
        assert!(told.contains(line), "{command:?}: {told}");
    }
    for command in [&["list"][..], &["list", "--installed"]] {
        let told = context.done(command);
        assert!(told.contains(line), "{command:?}: {told}");
        let told = context.json(&[command, &["--json"]].concat());
        assert_eq!(told["revoked"][0]["name"], "chart", "{told}");
        assert_eq!(told["revoked"][0]["installed"], false, "{told}");
    }
    let told = context.done(&["list", "--allow", "report"]);
    assert!(!told.contains("chart"), "{told}");
    let told = context.refused(&["show", "chart"]);
    let why = "`chart` was not installed: it is revoked";
    assert!(told.contains(why), "{told}");
    assert!(told.contains("skillyard remove chart"), "{told}");
    let serving = Serving::start(&context, &[]);
    let listed = serving.json("GET", "/api/v1/skills", &Value::Null);
    assert_eq!(listed["revoked"][0]["name"], "chart", "{listed}");
    for (method, path) in [
        ("GET", "/api/v1/skills/chart"),
        ("GET", "/api/v1/skills/chart/body"),
        ("GET", "/api/v1/skills/chart/files"),
        ("GET", "/api/v1/skills/chart/findings"),
        ("POST", "/api/v1/skills/chart/activate"),
        ("GET", "/skills/chart"),
    ] {
        let (status, told) = serving.ask_with(method, path, "", &json!({}));
        assert_eq!(status, 404, "{path}: {told}");
        assert!(
            told.contains("it is locked and revoked: "),
            "{path}: {told}"
        );
    }
    drop(serving);
    let told = context.run(&["doctor"]);
    let line = "✗ `chart`: it is locked and revoked: ";
    assert!(told.contains(line), "{told}");
    assert!(!told.contains("`chart` is locked and not there"), "{told}");
    assert!(told.contains("`report` is locked and not there"), "{told}");
}

#[test]
fn a_sync_installs_the_others_and_keeps_out_what_is_revoked() {
    let context = library(&[("report", ""), ("chart", "")]);
    context.done(&["install", "./lib/report", "--yes"]);
    context.done(&["install", "./lib/chart", "--yes"]);
    revoke(&context, "./lib/chart");
    let lock = fs::read_to_string(context.root().join("skills.lock")).unwrap();
    for flag in [None, Some("--locked"), Some("--frozen")] {
        check_out(&context);
        let check: Vec<&str> = ["sync", "--check"].into_iter().chain(flag).collect();
        let told = context.json(&[&check[..], &["--json"]].concat());
        assert_eq!(told["changes"].as_array().unwrap().len(), 1, "{told}");
        assert_eq!(told["changes"][0]["name"], "report", "{told}");
        assert_eq!(told["revoked"][0]["name"], "chart", "{told}");
        context.refused(&check);
        let sync: Vec<&str> = ["sync"].into_iter().chain(flag).collect();
        let told = context.refused(&sync);
        let line = " ! chart: `chart` was not installed: it is revoked: ";
        assert!(told.contains(line), "{sync:?}: {told}");
        assert!(told.contains("`skillyard remove chart"), "{told}");
        let end = "Installed 1 skill; not installed: 1";
        assert!(told.contains(end), "{sync:?}: {told}");
        assert_eq!(context.version_of("report").as_deref(), Some("one"));
        assert_eq!(context.version_of("chart"), None);
        let told = context.refused(&sync);
        let end = "Not installed: 1 skill; up to date: 1";
        assert!(told.contains(end), "{sync:?}: {told}");
        let told = context.json(&[&sync[..], &["--json"]].concat());
        assert_eq!(told["revoked"][0]["name"], "chart", "{told}");
        assert_eq!(told["failed"][0]["name"], "chart", "{told}");
        let now = fs::read_to_string(context.root().join("skills.lock")).unwrap();
        assert_eq!(now, lock, "{sync:?}");
    }
    context.done(&["remove", "chart"]);
    context.done(&["sync", "--check"]);
}

#[test]
fn a_sync_keeps_out_who_needs_what_is_revoked() {
    let context = library(&[("report", "../chart"), ("chart", ""), ("notes", "")]);
    context.done(&["install", "./lib/report", "--yes"]);
    context.done(&["install", "./lib/notes", "--yes"]);
    revoke(&context, "./lib/chart");
    check_out(&context);
    let told = context.refused(&["sync"]);
    let line = " ! report: `chart` was not installed: it is revoked: ";
    assert!(told.contains(line), "{told}");
    assert_eq!(context.version_of("notes").as_deref(), Some("one"));
    assert_eq!(context.version_of("report"), None);
    assert_eq!(context.version_of("chart"), None);
    // Who is there already stays, and is put right.
    context.write(
        ".agents/skills/notes/SKILL.md",
        needing("notes", "mine", ""),
    );
    let told = context.refused(&["sync", "--force"]);
    assert!(
        told.contains("Repaired 1 skill; not installed: 2"),
        "{told}"
    );
}

#[test]
fn a_sync_keeps_out_what_is_revoked_and_only_its_files_tell() {
    let context = library(&[("report", ""), ("chart", "")]);
    context.done(&["key", "generate", "mine"]);
    context.done(&["sign", "lib/chart"]);
    context.done(&["install", "./lib/report", "--yes"]);
    context.done(&["install", "./lib/chart", "--yes"]);
    context.done(&["key", "revoke", "mine"]);
    check_out(&context);
    let told = context.refused(&["sync"]);
    let line = " ! chart: `chart` was not installed: it is revoked: ";
    assert!(told.contains(line), "{told}");
    assert_eq!(context.version_of("report").as_deref(), Some("one"));
    assert_eq!(context.version_of("chart"), None);
    let told = context.json(&["sync", "--json"]);
    assert_eq!(told["revoked"][0]["name"], "chart", "{told}");
}

#[test]
fn a_sync_leaves_what_was_to_become_something_revoked() {
    let context = library(&[("report", ""), ("chart", ""), ("notes", "../chart")]);
    context.done(&["install", "./lib/report", "--yes"]);
    revoke(&context, "./lib/chart");
    context.write(
        "skills.toml",
        "[skills]\nreport = \"./lib/report\"\nchart = \"./lib/chart\"\nnotes = \"./lib/notes\"\n",
    );
    context.write("lib/more/SKILL.md", needing("more", "one", ""));
    let wanted = fs::read_to_string(context.root().join("skills.toml")).unwrap();
    context.write("skills.toml", format!("{wanted}more = \"./lib/more\"\n"));
    let told = context.refused(&["sync", "--yes"]);
    assert!(told.contains("not installed: 2"), "{told}");
    assert_eq!(context.version_of("more").as_deref(), Some("one"));
    assert_eq!(context.version_of("notes"), None);
    assert_eq!(context.version_of("chart"), None);
    // What can be done about it is what was told.
    context.done(&["remove", "chart"]);
    context.done(&["remove", "notes"]);
    context.done(&["sync", "--check"]);
}

/// The command behind these words, as it is typed.
fn hinted<'a>(told: &'a str, words: &str) -> Vec<&'a str> {
    let (_, rest) = told.split_once(words).unwrap_or_else(|| panic!("{told}"));
    let (command, _) = rest.split_once('`').unwrap();
    command.split(' ').collect()
}

#[test]
fn what_doctor_says_about_a_revoked_skill_that_was_edited_works() {
    for mend in [false, true] {
        let context = library(&[("report", "../chart"), ("chart", "")]);
        context.done(&["install", "./lib/report", "--yes"]);
        revoke(&context, "./lib/chart");
        context.write(
            ".agents/skills/chart/SKILL.md",
            needing("chart", "mine", ""),
        );
        let told = context.run(&["doctor"]);
        assert!(!told.contains("sync --force"), "{told}");
        assert_eq!(told.matches("skillyard remove").count(), 1, "{told}");
        // Where it is not known better, `sync` says the same.
        let synced = context.refused(&["sync", "--force"]);
        let removal = "Take it away with `skillyard ";
        assert_eq!(hinted(&synced, removal), hinted(&told, removal));
        if mend {
            context.write("lib/chart/SKILL.md", needing("chart", "two", ""));
            let update = hinted(&told, "or see with `skillyard ");
            context.done(&[&update[..], &["--yes"]].concat());
            assert_eq!(context.version_of("chart").as_deref(), Some("two"));
        } else {
            context.done(&hinted(&told, removal));
            assert_eq!(context.version_of("chart"), None);
        }
        assert!(!context.run(&["doctor"]).contains("revoked"));
    }
}

#[test]
fn agents_are_told_that_a_skill_of_theirs_is_revoked() {
    let context = library(&[("chart", "")]);
    context.done(&["trust", "."]);
    context.done(&["install", "./lib/chart", "--yes"]);
    context.done(&["agent", "create", "one", "--skills", "chart"]);
    let exported = context.json(&["agent", "export", "one"]);
    context.write("one.json", exported.to_string());
    revoke(&context, "./lib/chart");
    // Whether or not it is there.
    for name in ["two", "three"] {
        let told = context.run(&["agent", "show", "one"]);
        let why = "cannot be used: this very content was revoked at ";
        assert!(told.contains(why), "{told}");
        let told = context.json(&["agent", "show", "one", "--json"]);
        let reason = told["skills"][0]["reason"].as_str().unwrap();
        assert!(reason.contains(why), "{told}");
        let told = context.done(&["agent", "import", "one.json", "--name", name]);
        assert!(told.contains(why), "{told}");
        assert!(!told.contains("skillyard install"), "{told}");
        let told = context.run(&["chat", "one", "-p", "hello"]);
        assert!(told.contains(why), "{told}");
        if name == "two" {
            take_away(&context, "chart");
        }
    }
}

#[test]
fn what_a_sync_says_about_a_revoked_skill_works_when_it_is_done() {
    let context = library(&[("report", "../chart"), ("notes", "../chart"), ("chart", "")]);
    let wanted = "[skills]\nnotes = \"./lib/notes\"\n";
    for is_there in [true, false] {
        context.done(&["install", "./lib/report", "--yes"]);
        revoke(&context, "./lib/chart");
        if !is_there {
            take_away(&context, "chart");
        }
        context.write("skills.toml", wanted);
        let told = context.refused(&["sync", "--check"]);
        let is = if is_there { "installed" } else { "wanted" };
        let line = format!(" ! chart: it is {is} and revoked: ");
        assert!(told.contains(&line), "{told}");
        let told = context.refused(&["sync", "--yes"]);
        // What needed it before is gone.
        let removal = if is_there {
            hinted(&told, "Take it away with `skillyard ")
        } else {
            hinted(&told, "Take away what needs it with `skillyard ")
        };
        let expected: &[&str] = if is_there {
            &["remove", "chart", "notes"]
        } else {
            &["remove", "notes"]
        };
        assert_eq!(removal, expected, "{told}");
        context.done(&removal);
        context.done(&["sync", "--check"]);
        assert_eq!(context.version_of("chart"), None);
        context.write("lib/chart/SKILL.md", needing("chart", "two", ""));
    }
}

#[test]
fn what_is_said_where_a_revoked_skill_is_used_works() {
    for (is_asked, is_edited) in [(false, false), (true, false), (false, true), (true, true)] {
        let context = library(&[("report", "../chart"), ("chart", "")]);
        context.write("lib/chart/scripts/run.sh", "#!/bin/sh\necho RAN\n");
        context.done(&["install", "./lib/report", "--yes"]);
        if is_asked {
            context.done(&["install", "./lib/chart", "--yes"]);
        }
        context.done(&["trust", "."]);
        revoke(&context, "./lib/chart");
        if is_edited {
            context.write(
                ".agents/skills/chart/SKILL.md",
                needing("chart", "mine", ""),
            );
        }
        let commands: [&[&str]; 4] = [
            &["run", "chart", "scripts/run.sh", "--yes"],
            &["explain", "skill", "chart"],
            &["doctor"],
            &["update"],
        ];
        let told = commands.map(|command| context.run(command));
        let mut removals = told.iter().map(|told| {
            let (_, rest) = told
                .split_once("skillyard remove ")
                .unwrap_or_else(|| panic!("{told}"));
            rest.split_once('`').unwrap().0
        });
        let removal = removals.next().unwrap();
        assert!(removals.all(|each| each == removal), "{told:?}");
        let removal: Vec<&str> = ["remove"].into_iter().chain(removal.split(' ')).collect();
        context.done(&removal);
        assert_eq!(context.version_of("chart"), None, "{removal:?}");
    }
}

#[test]
fn pages_say_why_a_revoked_skill_is_not_here() {
    let context = library(&[("chart", ""), ("report", "")]);
    context.done(&["trust", "."]);
    context.done(&["install", "./lib/chart", "--yes"]);
    context.done(&["install", "./lib/report", "--yes"]);
    context.done(&["agent", "create", "one", "--skills", "chart"]);
    revoke(&context, "./lib/chart");
    for is_there in [true, false] {
        if !is_there {
            take_away(&context, "chart");
        }
        let serving = Serving::start(&context, &[]);
        let page = |path: &str| {
            let (status, text) = serving.ask_with("GET", path, "", &Value::Null);
            assert_eq!(status, 200, "{path}: {text}");
            text
        };
        let why = "this very content was revoked at ";
        let agent = page("/agents/one");
        assert!(agent.contains(&format!("missing</span> {why}")), "{agent}");
        let card = serving.json("GET", "/api/v1/agents/one", &Value::Null);
        let reason = card["skills"][0]["reason"].as_str().unwrap();
        assert!(reason.starts_with(why), "{card}");
        let line = format!("chart</a> is locked and in no folder: {why}");
        for (path, is_told) in [
            ("/skills", true),
            ("/skills?status=revoked", true),
            ("/skills?q=chart", true),
            ("/skills?q=report", false),
            ("/skills?status=enabled", false),
        ] {
            let library = page(path);
            assert_eq!(
                library.contains(&line),
                is_told && !is_there,
                "{path}: {library}"
            );
        }
    }
}
