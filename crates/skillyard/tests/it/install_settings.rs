//! `[install]` and `[server]` of the configuration, and the question about what is in the way.

use std::io::Write as _;
use std::process::Stdio;

use crate::project::project;
use crate::terminal::typed;
use crate::{TestContext, output};

const INSTALLED: &str = ".agents/skills/pdf/SKILL.md";

fn with_skill() -> TestContext {
    let context = project();
    context.write_skill("lib/pdf");
    context
}

/// A file of the user's home.
fn at_home(context: &TestContext, path: &str) -> bool {
    context.folder.path().join("home").join(path).exists()
}

#[test]
fn the_configured_scope_holds_where_none_is_named() {
    let context = with_skill();
    context.done(&["config", "set", "install.scope", "user"]);
    context.done(&["install", "./lib/pdf"]);
    assert!(!context.root().join(INSTALLED).exists());
    assert!(at_home(&context, INSTALLED));
    context.done(&["install", "./lib/pdf", "--scope", "project"]);
    assert!(context.root().join(INSTALLED).exists());
}

#[test]
fn a_home_is_a_project_for_who_asked_for_one_there() {
    let context = with_skill();
    let home = context.in_home("");
    let at_home =
        |arguments: &[&str]| output(context.skillyard().current_dir(&home).args(arguments));
    let told =
        |arguments: &[&str]| String::from_utf8_lossy(&at_home(arguments).stderr).into_owned();
    let source = context.root().join("lib/pdf");
    let source = source.to_str().unwrap();
    // A repository of settings makes no project of it.
    std::fs::create_dir_all(home.join(".git")).unwrap();
    assert!(told(&["sync"]).contains("(user scope)"));
    assert!(
        at_home(&["install", source, "--scope", "project"])
            .status
            .success()
    );
    assert!(home.join("skills.lock").exists());
    assert!(told(&["sync", "--check"]).contains("Already up to date: 1 skill (project scope)"));
    assert!(told(&["remove", "pdf"]).contains("Removed 1 skill (project scope)"));
    // What lies below is no part of it.
    let below = home.join("below");
    std::fs::create_dir(&below).unwrap();
    let told = output(context.skillyard().current_dir(&below).arg("sync")).stderr;
    assert!(String::from_utf8_lossy(&told).contains("(user scope)"));
}

#[test]
fn the_configured_agents_and_links_are_used() {
    let context = with_skill();
    context.done(&["config", "set", "install.agents", "claude-code"]);
    context.done(&["config", "set", "install.link", "true"]);
    context.done(&["install", "./lib/pdf"]);
    let folder = context.root().join(".claude/skills/pdf");
    assert!(folder.is_symlink());
    assert!(!context.root().join(INSTALLED).exists());
}

#[test]
fn what_is_left_out_is_not_wanted_either() {
    let context = with_skill();
    context.write(INSTALLED, "---\nname: pdf\ndescription: Mine.\n---\n");
    context.done(&["install", "./lib/pdf", "--skip-existing"]);
    let manifest = std::fs::read_to_string(context.root().join("skills.toml"));
    assert!(!manifest.unwrap_or_default().contains("pdf"));
}

#[test]
fn a_conflict_in_a_terminal_is_a_question() {
    for (keys, mine, other) in [
        ("rename\r", true, true),
        ("rep\r", false, false),
        ("skip\r", true, false),
        ("\r", true, false),
        // No stray letter chooses.
        ("j\r\r", true, false),
        ("re\r\r", true, false),
    ] {
        let context = with_skill();
        let foreign = "---\nname: pdf\ndescription: Mine.\n---\n";
        context.write(INSTALLED, foreign);
        let answers = [("What is to happen", keys), ("The new name", "\r")];
        let (told, _) = typed(&context, &["install", "./lib/pdf"], &answers);
        assert_eq!(context.read(INSTALLED) == foreign, mine, "{keys:?}: {told}");
        let renamed = context.root().join(".agents/skills/pdf-2/SKILL.md");
        assert_eq!(renamed.exists(), other, "{keys:?}: {told}");
    }
}

#[test]
fn servers_offer_no_skills_where_they_are_switched_off() {
    let context = with_skill();
    context.done(&["install", "./lib/pdf", "--scope", "user"]);
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"prompts/list"}
"#;
    let offered = || {
        let mut child = context
            .skillyard()
            .arg("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(request.as_bytes()).unwrap();
        // The answer is read before the input ends: the end stops the server.
        let mut answers = std::io::BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        while !text.contains("\"id\":2") {
            text.clear();
            std::io::BufRead::read_line(&mut answers, &mut text).unwrap();
            assert!(!text.is_empty(), "the server gave no answer");
        }
        drop(input);
        child.wait().unwrap();
        text.contains("\"pdf\"")
    };
    assert!(offered());
    context.done(&["config", "set", "server.skills", "false"]);
    assert!(!offered());
}
