//! `skillyard list --installed`, and what became of an installed skill elsewhere.

use insta::assert_snapshot;
use serde_json::json;

use crate::TestContext;
use crate::machine::TRUSTING;
use crate::project::project;
use crate::servers::repository::skill;

fn installed() -> TestContext {
    let context = TestContext::configured(TRUSTING);
    context
        .write_skill("shop/one")
        .write_skill(".agents/skills/own");
    let install = ["install", "./shop/one", "--scope", "project", "--yes"];
    assert_eq!(context.code(&install), Some(0));
    context
}

#[test]
fn what_was_installed_is_listed_with_where_it_came_from() {
    let context = installed();
    assert_snapshot!(context.run(&["list", "--installed"]), @r"
    success: true
    exit code: 0
    ----- stdout -----
    ✓ one  ./shop/one
    ----- stderr -----
    1 skill installed
    ");
    // Those who know other programs ask for it so.
    let managed = ["skill", "manage", "list"];
    assert_eq!(context.run(&managed), context.run(&["list", "--installed"]));
    let told = context.json(&["list", "--installed", "--json"]);
    let skills = told["skills"].as_array().unwrap();
    assert_eq!(skills.len(), 1);
    assert_eq!(skills[0]["reference"], "./shop/one");
    assert!(skills[0]["digest"].as_str().unwrap().starts_with("sha256:"));
}

#[test]
fn what_is_locked_and_not_here_is_named() {
    let context = installed();
    assert_eq!(
        context.json(&["list", "--installed", "--json"])["missing"],
        json!([])
    );
    std::fs::remove_dir_all(context.root().join(".agents/skills/one")).unwrap();
    let told = context.run(&["list", "--installed"]);
    let line = "locked, and not here: one (get it with `skillyard sync`)";
    assert!(told.contains(line), "{told}");
    let told = context.json(&["list", "--installed", "--json"]);
    assert_eq!(told["missing"], json!(["one"]));
}

#[test]
fn who_asks_for_what_is_locked_and_not_here_is_led_to_sync() {
    let context = installed();
    std::fs::remove_dir_all(context.root().join(".agents/skills/one")).unwrap();
    for command in [
        &["show", "one"][..],
        &["read", "one"],
        &["run", "one", "a.sh"],
        &["explain", "skill", "one"],
        &["trust", "one"],
    ] {
        let told = context.refused(command);
        assert_eq!(
            told,
            "error: skill `one` is locked, and not here\n\nhint: Bring it here with `skillyard sync`\n",
            "{command:?}"
        );
    }
    context.done(&["sync"]);
    context.done(&["show", "one"]);
    // In a project a command means the project's.
    context.done(&["remove", "one"]);
    context.done(&["install", "./shop/one", "--scope", "user"]);
    std::fs::remove_dir_all(context.home().join(".agents/skills/one")).unwrap();
    let told = context.refused(&["show", "one"]);
    assert!(told.contains("`skillyard sync --scope user`"), "{told}");
    let told = context.run(&["list", "--installed"]);
    assert!(
        told.contains("(get it with `skillyard sync --scope user`)"),
        "{told}"
    );
    context.done(&["sync", "--scope", "user"]);
    context.done(&["show", "one"]);
}

#[test]
fn a_large_skill_in_two_places_is_one() {
    let context = TestContext::configured(TRUSTING);
    context
        .write_skill("shop/one")
        .mkdir(".claude")
        .mkdir("../home/.claude");
    for at in 0..600 {
        context.write(&format!("shop/one/files/{at}.md"), "x");
    }
    let limits = ["--config", "limits.max_files=1000"];
    let install = ["install", "./shop/one", "--scope", "project", "--yes"];
    context.done(&[&install[..], &limits].concat());
    let copy = context.root().join(".claude/skills/one/files/0.md");
    assert!(copy.exists());
    for _ in 0..2 {
        let listed = context.run(&["list", "--installed"]);
        assert!(listed.contains("1 skill installed"), "{listed}");
        let listed = context.stdout(&["list", "--all"]);
        assert!(!listed.contains("shadowed"), "{listed}");
    }
    // Another byte makes it another skill.
    std::fs::write(&copy, "y").unwrap();
    let listed = context.stdout(&["list", "--all"]);
    assert!(listed.contains("shadowed"), "{listed}");
}

#[test]
fn a_copy_made_by_hand_says_what_it_is_a_copy_of() {
    let context = installed();
    let bytes = context.read(".agents/skills/one/SKILL.md");
    context.write(".skills/one/SKILL.md", &bytes);
    let shown = context.run(&["show", "one"]);
    assert!(shown.contains("[DIR]/.skills/one"), "{shown}");
    let line = "copy of           the installed `one`, from `./shop/one`";
    assert!(shown.contains(line), "{shown}");
    let told = context.json(&["show", "one", "--json"]);
    let found = told.to_string();
    assert!(
        found.contains(r#""copy_of":{"name":"one","reference":"./shop/one"}"#),
        "{found}"
    );
    // Nothing is said of one with other bytes, nor of the installed one itself.
    context.write(".skills/one/SKILL.md", bytes + "More.\n");
    assert!(!context.run(&["show", "one"]).contains("copy of"));
    assert!(!context.run(&["show", "own"]).contains("copy of"));
}

#[test]
fn columns_and_what_keeps_skills_back() {
    let context = project();
    for name in ["pdf", "spreadsheets"] {
        context.write(&format!("lib/{name}/SKILL.md"), skill(name, "one"));
    }
    context.done(&["install", "./lib", "--all", "--yes"]);
    let told = context.run(&["list", "--installed"]);
    assert!(told.contains("! pdf           ./lib/pdf\n"), "{told}");
    assert!(
        told.contains("2 of a project that is not trusted (`skillyard trust .`)"),
        "{told}"
    );
}
