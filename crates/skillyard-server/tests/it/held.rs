//! What a skill says of itself holds over MCP and the API, whether anybody loaded it or not: its
//! lists of tools, and that it is for users only.

use serde_json::{Value, json};

use crate::client::{Legacy, Modern, text};
use crate::context::{OTHER, RUN, TestServer};

/// A server whose scripts run once the user says so, with a skill of this frontmatter.
fn with(fields: &[(&str, &str)]) -> TestServer {
    let server = TestServer::running();
    for (name, fields) in fields {
        let folder = server.skills().join(name);
        std::fs::create_dir_all(folder.join("scripts")).unwrap();
        let document = format!("---\nname: {name}\ndescription: d\n{fields}\n---\nx\n");
        std::fs::write(folder.join("SKILL.md"), document).unwrap();
        std::fs::write(folder.join("scripts/x.sh"), "#!/bin/sh\n").unwrap();
    }
    server.server.reload().unwrap();
    server
}

fn script(name: &str) -> Value {
    json!({ "name": name, "script": "scripts/x.sh" })
}

/// Calls a tool over the API; gives the status and what is said.
async fn posted(server: &TestServer, token: &str, path: &str, body: &Value) -> (u16, String) {
    let token = format!("Bearer {token}");
    let headers = [
        ("content-type", "application/json"),
        ("authorization", token.as_str()),
    ];
    let path = format!("/api/v1/{path}");
    let answer = server.ask("POST", &path, &headers, body.to_string()).await;
    let detail = answer.json()["detail"].as_str().map(str::to_owned);
    (answer.status.as_u16(), detail.unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_a_script_s_skill_decides_though_nobody_loaded_it() {
    let server = with(&[
        ("listed", "allowed-tools: Read"),
        ("shy", "disallowed-tools: skill_run"),
        ("open", "allowed-tools: Bash(./scripts/x.sh:*)"),
    ]);
    let client = Modern::new(&server).with_token(RUN).asking();
    for name in ["listed", "shy"] {
        for tool in ["skill_run", "skills.run_script"] {
            let path = format!("tools/{tool}");
            let (status, detail) = posted(&server, RUN, &path, &script(name)).await;
            assert_eq!(status, 403, "{name}: {detail}");
            let event = server.machine.events.lock().unwrap().pop().unwrap();
            assert_eq!(event.kind.as_str(), "skill.tool_blocked");
            assert_eq!(event.skill.as_deref(), Some(name));
        }
        let refused = client.call("skill_run", script(name)).await;
        assert!(text(&refused).starts_with("Denied"), "{name}: {refused}");
    }
    assert_eq!(
        posted(&server, RUN, "tools/skill_run", &script("open"))
            .await
            .0,
        428
    );
    // One that somebody widens by now counts as it is, and one that is narrowed as well.
    let file = server.skills().join("open/SKILL.md");
    std::fs::write(
        &file,
        "---\nname: open\ndescription: d\nallowed-tools: Read\n---\nx\n",
    )
    .unwrap();
    assert_eq!(
        posted(&server, RUN, "tools/skill_run", &script("open"))
            .await
            .0,
        403
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_another_skill_decides_nothing_about_a_script() {
    let server = with(&[
        ("guide", "allowed-tools: mcp__db__get"),
        ("wide", "allowed-tools: '*'"),
        ("free", ""),
        ("listed", "allowed-tools: Read"),
    ]);
    let client = Modern::new(&server).with_token(RUN).asking();
    for name in ["guide", "wide"] {
        client.call("skill_load", json!({ "name": name })).await;
    }
    let asked = client.call("skill_run", script("free")).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    for name in ["listed", " listed ", "ｌｉｓｔｅｄ"] {
        let refused = client.call("skill_run", script(name)).await;
        assert!(text(&refused).starts_with("Denied"), "{name}: {refused}");
    }
}

const ONLY: &str = "disable-model-invocation: true";
const REFUSED: &str = "skill `deploy` can only be activated by the user";

/// What tools for models are called with, to get at a skill.
fn calls() -> [(&'static str, Value); 4] {
    [
        ("skill_load", json!({ "name": "deploy" })),
        (
            "skill_read",
            json!({ "name": "deploy", "path": "scripts/x.sh" }),
        ),
        ("skill_files", json!({ "name": "deploy" })),
        ("skill_run", script("deploy")),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_for_users_is_given_to_a_model_once_they_invoked_it() {
    let server = with(&[("deploy", ONLY)]);
    let can = json!({ "elicitation": {} });
    let opened = Legacy::try_open(&server, "2025-11-25", RUN, &can).await;
    let older = opened.ok().unwrap().0;
    for (tool, arguments) in &calls() {
        let params = json!({ "name": tool, "arguments": arguments });
        let refused = older.ask("tools/call", params).await;
        assert_eq!(text(&refused), REFUSED, "{tool}");
        let event = server.machine.events.lock().unwrap().pop().unwrap();
        assert_eq!(event.skill.as_deref(), Some("deploy"), "{tool}");
        assert_eq!(event.outcome.as_str(), "denied", "{tool}");
    }
    // The user's way is a prompt, and it holds in their conversation alone.
    let client = Modern::new(&server).with_token(RUN).asking();
    let got = client.ask("prompts/get", json!({ "name": "deploy" })).await;
    assert!(got["result"]["messages"].is_array(), "{got}");
    for (tool, arguments) in &calls() {
        let answer = client.call(tool, arguments.clone()).await;
        assert!(
            answer["result"]["isError"] != json!(true),
            "{tool}: {answer}"
        );
    }
    let other = Modern::new(&server).with_token(RUN).named("other");
    let refused = other.call("skill_load", json!({ "name": "deploy" })).await;
    assert_eq!(text(&refused), REFUSED);
}

#[tokio::test(flavor = "multi_thread")]
async fn over_the_api_users_activate_what_is_for_them() {
    let server = with(&[("deploy", ONLY)]);
    for (tool, arguments) in &calls() {
        let refused = posted(&server, RUN, &format!("tools/{tool}"), arguments).await;
        assert_eq!(refused, (403, REFUSED.to_owned()), "{tool}");
    }
    let (status, _) = posted(&server, RUN, "skills/deploy/activate", &json!({})).await;
    assert_eq!(status, 200);
    for (tool, arguments) in &calls() {
        let (status, detail) = posted(&server, RUN, &format!("tools/{tool}"), arguments).await;
        let expected = if *tool == "skill_run" { 428 } else { 200 };
        assert_eq!(status, expected, "{tool}: {detail}");
    }
    // Somebody else did not.
    let load = json!({ "name": "deploy" });
    assert_eq!(
        posted(&server, OTHER, "tools/skill_load", &load).await.0,
        403
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_about_what_cannot_run() {
    let server = with(&[("free", "")]);
    std::fs::write(server.skills().join("free/notes.txt"), "words").unwrap();
    server.server.reload().unwrap();
    let call = |script: &str| json!({ "name": "free", "script": script });
    for (script, status, told) in [
        (
            "../SKILL.md",
            404,
            "skill `free` has no script `../SKILL.md`",
        ),
        (
            "scripts/y.sh",
            404,
            "skill `free` has no script `scripts/y.sh`",
        ),
        ("/bin/sh", 404, "skill `free` has no script `/bin/sh`"),
        ("SKILL.md", 400, "`SKILL.md` is no script"),
        ("notes.txt", 400, "`notes.txt` is no script"),
    ] {
        let (found, detail) = posted(&server, RUN, "tools/skill_run", &call(script)).await;
        assert_eq!(found, status, "{script}: {detail}");
        assert!(detail.starts_with(told), "{script}: {detail}");
    }
    for script in ["scripts/x.sh", "./scripts/x.sh", "x.sh"] {
        let asked = posted(&server, RUN, "tools/skill_run", &call(script)).await;
        assert_eq!(asked.0, 428, "{script}: {}", asked.1);
    }
}
