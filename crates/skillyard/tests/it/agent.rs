//! `skillyard agent`: versions that never change, and skills that do.

use insta::assert_snapshot;
use serde_json::json;

use crate::TestContext;

fn context() -> TestContext {
    let context = TestContext::new();
    context
        .write_skill(".skills/pdf")
        .write_skill(".skills/forms");
    assert_eq!(context.code(&["trust", "."]), Some(0));
    context
}

#[test]
fn an_agent_from_beginning_to_end() {
    let context = context();
    assert_snapshot!(context.run(&["agent", "create", "helper", "--skills", "pdf", "--instructions", "Be brief."]), @"
    success: true
    exit code: 0
    ----- stdout -----
     + helper@1
    ----- stderr -----
    ");
    assert_snapshot!(context.run(&["agent", "skill", "add", "helper", "forms"]), @"
    success: true
    exit code: 0
    ----- stdout -----
     ~ helper@2
    ----- stderr -----
    ");
    assert_eq!(
        context.code(&["agent", "diff", "helper", "1", "2"]),
        Some(1)
    );
    assert_eq!(context.code(&["agent", "diff", "helper", "2"]), Some(0));
    let names = |context: &TestContext| {
        let list = context.json(&["agent", "skill", "list", "helper", "--json"]);
        let skills = list["skills"].as_array().unwrap().iter();
        skills
            .map(|each| {
                format!(
                    "{}:{}",
                    each["name"].as_str().unwrap(),
                    each["drift"]["state"].as_str().unwrap()
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&context), ["forms:same", "pdf:same"]);
    context.write(".skills/pdf/more.md", "changed");
    assert_eq!(names(&context), ["forms:same", "pdf:changed"]);
    assert_snapshot!(context.run(&["agent", "skill", "remove", "helper", "form"]), @"
    success: false
    exit code: 1
    ----- stdout -----

    ----- stderr -----
    error: there is no skill `form`

    hint: Did you mean `forms`?
    ");
    assert_eq!(
        context.code(&["agent", "skill", "remove", "helper", "forms"]),
        Some(0)
    );
    assert_eq!(context.code(&["agent", "rollback", "helper", "2"]), Some(0));
    let versions = context.json(&["agent", "versions", "helper", "--json"]);
    assert_eq!(versions["versions"].as_array().unwrap().len(), 4);
    assert_eq!(
        versions["versions"][1]["hash"],
        versions["versions"][3]["hash"]
    );
    let exported = context.json(&["agent", "export", "helper"]);
    assert_eq!(exported["definition"]["instructions"], "Be brief.");
    assert_eq!(context.code(&["agent", "delete", "helper"]), Some(0));
    assert_eq!(
        context.json(&["agent", "list", "--json"]),
        json!({ "agents": [] })
    );
}

#[test]
fn an_agent_reaches_its_own_skills_only() {
    let context = context();
    assert_eq!(
        context.code(&["agent", "create", "one", "--skills", "pdf"]),
        Some(0)
    );
    let answer = context.json(&["chat", "one", "-p", "/pdf", "--json"]);
    assert_eq!(answer["active_skills"][0]["name"], "pdf");
    assert_eq!(context.code(&["chat", "one", "-p", "/forms"]), Some(1));
    // Also when the session goes on.
    assert_eq!(
        context.code(&["chat", "--resume", "last", "-p", "/forms"]),
        Some(1)
    );
    let sessions = context.json(&["chat", "--sessions", "--json"]);
    assert_eq!(sessions["sessions"][0]["agent"], "one@1");
}

#[test]
fn a_version_that_was_changed_on_disk_is_refused() {
    let context = context();
    assert_eq!(context.code(&["agent", "create", "one"]), Some(0));
    let file = "../home/.skillyard/agents/one/versions/1.toml";
    let text = context.read(file);
    context.write(file, text.replace("offline", "evil/x"));
    assert_snapshot!(context.run(&["agent", "show", "one"]), @"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: version 1 of agent `one` was changed on disk: its hash does not match
    ");
    for name in ["../x", "A", ""] {
        assert_eq!(context.code(&["agent", "create", name]), Some(2), "{name}");
        assert_eq!(context.code(&["agent", "show", name]), Some(1), "{name}");
    }
}
