//! Scripts, calls and installations: how many there are at once, and how they end.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use skillyard_agent::mcp_client::{McpLimits, ServerCommand, ServerSpec, Servers, Transport};
use tokio::task::JoinHandle;

use crate::client::{Modern, text};
use crate::context::{ADMIN, Answer, RUN, TestServer};

/// How many one token has.
const MAX_EACH: usize = 32;
/// A server whose tool never answers.
const MUTE: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *server/discover*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}}';;
    *tools/list*) printf '%s\n' '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"say"}]}}';;
    *tools/call*) touch called;;
  esac
done"#;

fn endless() -> Value {
    json!({ "name": "attack", "script": "scripts/endless.sh" })
}

fn running() -> Arc<TestServer> {
    let server = TestServer::running();
    server.machine.never_asks.store(true, Ordering::Relaxed);
    Arc::new(server)
}

async fn asked(server: &TestServer, token: &str, path: &str, body: &Value) -> Answer {
    let bearer = format!("Bearer {token}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
    ];
    let path = format!("/api/v1{path}");
    server.ask("POST", &path, &headers, body.to_string()).await
}

/// Asks in the background.
fn begun(
    server: &Arc<TestServer>,
    token: &'static str,
    path: &'static str,
    body: Value,
) -> JoinHandle<Answer> {
    let server = Arc::clone(server);
    tokio::spawn(async move { asked(&server, token, path, &body).await })
}

async fn until(what: impl Fn() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "it does not come"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// What comes of something that was told to stop.
async fn ended<T>(work: JoinHandle<T>) -> T {
    let ended = tokio::time::timeout(Duration::from_secs(20), work).await;
    ended.expect("it does not hear").unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_token_does_not_have_all_and_all_end_with_the_server() {
    let server = running();
    let tool = "/tools/skill_run";
    let scripts = (0..MAX_EACH).map(|_| begun(&server, RUN, tool, endless()));
    let scripts: Vec<_> = scripts.collect();
    let ran = || server.machine.ran.lock().unwrap().len();
    until(|| ran() == MAX_EACH).await;
    let refused = asked(&server, RUN, tool, &endless()).await;
    assert_eq!(refused.status, 503, "{}", refused.text);
    assert!(
        refused.text.contains("too many scripts"),
        "{}",
        refused.text
    );
    // Nor over MCP.
    let client = Modern::new(&server).with_token(RUN);
    let refused = client.call("skill_run", endless()).await;
    assert!(text(&refused).contains("too many scripts"), "{refused}");
    // Others have room.
    let brief = json!({ "name": "attack", "script": "scripts/fill.sh" });
    let other = asked(&server, ADMIN, tool, &brief).await;
    assert_eq!(other.status, 200, "{}", other.text);
    let install = json!({ "reference": "./endless" });
    let install = begun(&server, ADMIN, "/install", install);
    until(|| ran() == MAX_EACH + 2).await;
    server.server.close();
    for script in scripts {
        assert_eq!(ended(script).await.status, 200);
    }
    assert_eq!(ended(install).await.status, 503);
    let late = asked(&server, RUN, tool, &brief).await;
    assert_eq!(late.status, 503, "{}", late.text);
    assert!(late.text.contains("the server is ending"), "{}", late.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_waits_for_any_more_makes_room() {
    let server = running();
    for round in 1..=2 {
        let ran = || server.machine.ran.lock().unwrap().len();
        let calls = (0..MAX_EACH).map(|_| {
            let server = Arc::clone(&server);
            tokio::spawn(async move {
                let client = Modern::new(&server).with_token(RUN);
                client.call("skill_run", endless()).await
            })
        });
        let calls: Vec<_> = calls.collect();
        until(|| ran() == round * MAX_EACH).await;
        for call in calls {
            call.abort();
            assert!(call.await.is_err());
        }
        // The threads hear it a moment later.
        let start = Instant::now();
        let brief = json!({ "name": "attack", "script": "scripts/fill.sh" });
        while asked(&server, RUN, "/tools/skill_run", &brief).await.status != 200 {
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "there is no room"
            );
        }
        server
            .machine
            .ran
            .lock()
            .unwrap()
            .truncate(round * MAX_EACH);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_others_tools_end_with_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let servers = Servers::new(vec![ServerSpec {
        name: "mute".into(),
        transport: Transport::Stdio(ServerCommand {
            program: "/bin/sh".into(),
            arguments: vec!["-c".to_owned().into(), MUTE.to_owned().into()],
            environment: vec![("PATH".into(), "/usr/bin:/bin".to_owned().into())],
            folder: folder.path().to_owned(),
        }),
        only: None,
        limits: McpLimits::default(),
    }]);
    let server = Arc::new(TestServer::gateway(servers));
    let this = Arc::clone(&server);
    let call = tokio::spawn(async move {
        let client = Modern::new(&this).with_token(ADMIN);
        client.call("mute__say", json!({})).await
    });
    until(|| folder.path().join("called").exists()).await;
    server.server.close();
    let answer = ended(call).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
}

#[tokio::test]
async fn no_turn_begins_once_the_server_ends() {
    let server = TestServer::new();
    let open = async || {
        let opened = server.post("/api/v1/sessions", &json!({})).await;
        opened.json()["id"].as_str().unwrap().to_owned()
    };
    let before = open().await;
    server.server.close();
    let behind = open().await;
    for id in [before, behind] {
        let path = format!("/api/v1/sessions/{id}/messages");
        let answer = server.post(&path, &json!({ "text": "hello" })).await;
        assert_eq!(answer.status, 503, "{}", answer.text);
        assert!(
            answer.text.contains("the server is ending"),
            "{}",
            answer.text
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_script_may_take_longer_than_other_answers() {
    let server = running();
    let script = begun(&server, RUN, "/tools/skill_run", endless());
    let install = begun(
        &server,
        ADMIN,
        "/install",
        json!({ "reference": "./endless" }),
    );
    let this = Arc::clone(&server);
    let call = tokio::spawn(async move {
        let client = Modern::new(&this).with_token(RUN);
        client.call("skill_run", endless()).await
    });
    while server.machine.ran.lock().unwrap().len() < 3 {
        tokio::task::yield_now().await;
    }
    // Time does not pass of itself while threads are at work.
    tokio::time::advance(Duration::from_secs(90)).await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(!script.is_finished() && !install.is_finished() && !call.is_finished());
    server.server.close();
    let script = script.await.unwrap();
    assert_eq!(script.status, 200, "{}", script.text);
    let install = install.await.unwrap();
    assert!(install.text.contains("it was stopped"), "{}", install.text);
    let call = call.await.unwrap();
    assert!(text(&call).contains("exit_code"), "{call}");
}
