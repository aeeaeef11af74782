//! What is decided while a server runs: it counts at once, and clients are told.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::TestContext;
use crate::mcp_client::Raw;
use crate::serve_chat::Serving;

fn skill(context: &TestContext, path: &str) {
    named(context, path, "runs");
}

fn named(context: &TestContext, path: &str, name: &str) {
    let text = format!("---\nname: {name}\ndescription: Runs. Use for running.\n---\nRun it.\n");
    context.write(&format!("{path}/{name}/SKILL.md"), text);
}

#[test]
fn a_skill_that_is_disabled_is_not_given_over_mcp() {
    let context = TestContext::new();
    skill(&context, "../home/.agents/skills");
    let mut raw = Raw::start(&context, &[], &json!({}));
    let name = json!({ "name": "runs" });
    assert!(raw.call("skill_load", &name).contains("Run it."));
    assert_eq!(context.code(&["disable", "runs"]), Some(0));
    let said = raw.call("skill_load", &name);
    assert!(
        said.contains("skill `runs` cannot be used: ") && !said.contains("Run it."),
        "{said}"
    );
    raw.hear("notifications/tools/list_changed");
    let tools = raw.ask("tools/list", &json!({}), &Value::Null).to_string();
    assert!(!tools.contains("runs"), "{tools}");
    // Whoever is told without having asked for anything is told of the next change, too.
    assert_eq!(context.code(&["enable", "runs"]), Some(0));
    raw.hear("notifications/tools/list_changed");
    assert!(raw.call("skill_load", &name).contains("Run it."));
}

#[test]
fn a_project_that_is_not_trusted_any_more_is_not_given() {
    let context = TestContext::new();
    fs::create_dir(context.root().join(".git")).unwrap();
    skill(&context, ".agents/skills");
    assert_eq!(context.code(&["trust", "."]), Some(0));
    let mut raw = Raw::start(&context, &[], &json!({}));
    let uri = json!({ "uri": "skill://runs/SKILL.md" });
    let read = raw.ask("resources/read", &uri, &Value::Null).to_string();
    assert!(read.contains("Run it."), "{read}");
    assert_eq!(context.code(&["trust", "revoke", "."]), Some(0));
    let said = raw.call("skill_load", &json!({ "name": "runs" }));
    assert!(said.contains("cannot be used"), "{said}");
    // What was listed a moment ago is no promise that it may still be used.
    let read = raw.ask("resources/read", &uri, &Value::Null);
    assert_eq!(read, Value::Null);
}

#[test]
fn a_skill_that_is_disabled_is_not_given_over_http() {
    let context = TestContext::new();
    skill(&context, "../home/.agents/skills");
    let serving = Serving::start(&context, &[]);
    let activate = || {
        let path = "/api/v1/skills/runs/activate";
        serving.ask_with("POST", path, "", &json!({})).0
    };
    assert_eq!(activate(), 200);
    assert_eq!(context.code(&["disable", "runs"]), Some(0));
    assert_eq!(activate(), 400);
    assert_eq!(context.code(&["enable", "runs"]), Some(0));
    // Lists are brought up to date without anybody asking for the skill.
    let shown = || {
        let path = "/api/v1/skills/runs";
        serving.json("GET", path, &Value::Null)["status"].clone()
    };
    let start = Instant::now();
    while shown() != "enabled" {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "it stays {}",
            shown()
        );
    }
}

#[test]
fn further_folders_are_watched_as_soon_as_they_are_named() {
    let context = TestContext::new();
    let further = context.folder.path().join("further");
    fs::create_dir(&further).unwrap();
    let mut raw = Raw::start(&context, &[], &json!({}));
    let path = further.to_str().unwrap();
    let set = ["config", "set", "discovery.directories", path];
    assert_eq!(context.code(&set), Some(0));
    // The second comes when nothing is left to be decided.
    for name in ["first", "second"] {
        named(&context, "../further", name);
        let start = Instant::now();
        let wanted = json!({ "name": name });
        while !raw.call("skill_load", &wanted).contains("Run it.") {
            let passed = start.elapsed();
            assert!(passed < Duration::from_secs(20), "{name} is not found");
        }
    }
}

#[test]
fn a_hangup_reloads_and_ends_nothing() {
    let context = TestContext::new();
    let mut raw = Raw::start(&context, &[], &json!({}));
    let process = raw.child.id().to_string();
    let mut kill = context.command("kill");
    assert!(kill.args(["-HUP", &process]).status().unwrap().success());
    assert_eq!(raw.ask("ping", &json!({}), &Value::Null), json!({}));
    assert!(raw.child.try_wait().unwrap().is_none());
}
