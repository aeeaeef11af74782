//! `skill_run` over HTTP: the user of the client is asked, in the way of each generation.

use serde_json::{Value, json};

use crate::client::{Legacy, Modern, text};
use crate::context::{ADMIN, CHAT, RUN, TestServer};

const SCRIPT: &str = "scripts/fill.sh";

fn input() -> Value {
    json!({ "name": "attack", "script": SCRIPT, "args": ["a b"] })
}

fn params(arguments: &Value) -> Value {
    json!({ "name": "skill_run", "arguments": arguments })
}

fn ran(server: &TestServer) -> usize {
    server.machine.ran.lock().unwrap().len()
}

fn kinds(server: &TestServer) -> Vec<&'static str> {
    let events = server.machine.events.lock().unwrap();
    events.iter().map(|event| event.kind.as_str()).collect()
}

/// Calls over the older protocol and answers the question that comes on the same stream.
async fn asked_and_answered(server: &TestServer, answer: Value) -> Value {
    asked_and_told(server, json!({ "result": answer })).await
}

/// The same, with all that the client sends back.
async fn asked_and_told(server: &TestServer, mut reply: Value) -> Value {
    let can = json!({ "elicitation": {} });
    let opened = Legacy::try_open(server, "2025-11-25", RUN, &can).await;
    let (client, _) = opened.ok().unwrap();
    let call =
        json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params(&input()) });
    let mut messages = client.follow("POST", &call).await;
    let question = messages.next().await;
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let words = question["params"]["message"].as_str().unwrap();
    assert!(
        words.contains("`attack` wants to run `scripts/fill.sh \"a b\"`"),
        "{words}"
    );
    assert_eq!(ran(server), 0, "nothing runs before the answer");
    reply["jsonrpc"] = json!("2.0");
    reply["id"] = question["id"].clone();
    assert_eq!(client.send(&reply).await.status, 202);
    let result = messages.next().await;
    assert_eq!(result["id"], 7, "{result}");
    result
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_client_asks_its_user_on_the_stream_of_the_call() {
    let server = TestServer::running();
    let yes = json!({ "action": "accept", "content": { "allow": true } });
    let result = asked_and_answered(&server, yes).await;
    assert_eq!(result["result"]["structuredContent"]["stdout"], "ran a b");
    assert_eq!(ran(&server), 1);
    assert_eq!(
        kinds(&server),
        [
            "approval.requested",
            "approval.granted",
            "skill.script_executed"
        ]
    );
}

/// What the log says of the last answer.
fn last_reason(server: &TestServer) -> String {
    let events = server.machine.events.lock().unwrap();
    let last = events.last().unwrap();
    assert_eq!(last.kind.as_str(), "approval.denied");
    last.reason.clone().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_not_yes_is_no_for_an_older_client_and_only_a_no_is_called_so() {
    let no = "the user said no";
    let unclear = "the client's answer is neither yes nor no";
    for (answer, reason) in [
        (json!({ "result": { "action": "decline" } }), no),
        (
            json!({ "result": { "action": "accept", "content": { "allow": false } } }),
            no,
        ),
        (
            json!({ "result": { "action": "cancel" } }),
            "the user closed the question without an answer",
        ),
        (json!({ "result": { "action": "accept" } }), unclear),
        (json!({ "result": { "nonsense": true } }), unclear),
        (
            json!({ "error": { "code": -32601, "message": "no such method" } }),
            "the client did not ask the user (error -32601)",
        ),
    ] {
        let server = TestServer::running();
        let result = asked_and_told(&server, answer.clone()).await;
        let told = match reason {
            "the user said no" => format!("Denied: the user does not let `{SCRIPT}` run"),
            reason => format!("Denied: {reason}, so `{SCRIPT}` does not run"),
        };
        assert_eq!(text(&result), told, "{answer}");
        assert_eq!(last_reason(&server), reason, "{answer}");
        assert_eq!(ran(&server), 0, "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_to_a_call_that_was_taken_back_runs_nothing() {
    let server = TestServer::running();
    let can = json!({ "elicitation": {} });
    let opened = Legacy::try_open(&server, "2025-11-25", RUN, &can).await;
    let client = opened.ok().unwrap().0;
    let call =
        json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params(&input()) });
    let mut messages = client.follow("POST", &call).await;
    let question = messages.next().await;
    let back = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } });
    client.send(&back).await;
    let yes = json!({ "action": "accept", "content": { "allow": true } });
    client
        .send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": yes }))
        .await;
    let waiting = std::time::Instant::now();
    while !kinds(&server).contains(&"approval.denied") {
        assert!(waiting.elapsed().as_secs() < 20, "{:?}", kinds(&server));
        tokio::task::yield_now().await;
    }
    assert_eq!(
        last_reason(&server),
        "the client took the call back before anybody answered"
    );
    assert_eq!(ran(&server), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_opens_addresses_only_cannot_ask() {
    let server = TestServer::running();
    for (can, asks) in [
        (json!({ "elicitation": { "url": {} } }), false),
        (json!({ "elicitation": { "form": {}, "url": {} } }), true),
    ] {
        let opened = Legacy::try_open(&server, "2025-11-25", RUN, &can).await;
        let client = opened.ok().unwrap().0;
        let call = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params(&input()) });
        let first = client.follow("POST", &call).await.next().await;
        assert_eq!(first["method"] == "elicitation/create", asks, "{first}");
        assert_eq!(
            text(&first).contains("this client cannot ask the user"),
            !asks
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_answers_for_another_session() {
    let server = TestServer::running();
    let can = json!({ "elicitation": {} });
    let open = async || {
        let opened = Legacy::try_open(&server, "2025-11-25", RUN, &can).await;
        opened.ok().unwrap().0
    };
    let (client, other) = (open().await, open().await);
    let call =
        json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params(&input()) });
    let mut messages = client.follow("POST", &call).await;
    let question = messages.next().await;
    let yes = json!({ "action": "accept", "content": { "allow": true } });
    let reply = json!({ "jsonrpc": "2.0", "id": question["id"], "result": yes });
    other.send(&reply).await;
    assert_eq!(ran(&server), 0);
    let no = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "decline" } });
    client.send(&no).await;
    assert!(text(&messages.next().await).starts_with("Denied"));
    assert_eq!(ran(&server), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_client_gets_the_question_as_a_result_and_calls_again() {
    let server = TestServer::running();
    let client = Modern::new(&server).with_token(RUN).asking();
    let asked = client.call("skill_run", input()).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    assert_eq!(ran(&server), 0);
    let question = &asked["result"]["inputRequests"]["consent"];
    assert_eq!(question["method"], "elicitation/create", "{asked}");
    let state = asked["result"]["requestState"].clone();
    let again = |arguments: &Value, state: &Value, answer: &Value| {
        let mut params = params(arguments);
        params["requestState"] = state.clone();
        params["inputResponses"] = json!({ "consent": answer });
        params
    };
    let yes = json!({ "action": "accept", "content": { "allow": true } });
    // A yes to this is none to something else, and a question that nobody asked has no answer.
    let other = json!({ "name": "attack", "script": "scripts/endless.sh" });
    let guessed = json!("0".repeat(64));
    for params in [again(&other, &state, &yes), again(&input(), &guessed, &yes)] {
        let answer = client.ask("tools/call", params).await;
        assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    }
    assert_eq!(ran(&server), 0);
    let asked = client.call("skill_run", input()).await;
    let state = asked["result"]["requestState"].clone();
    let params = again(&input(), &state, &yes);
    let done = client.ask("tools/call", params.clone()).await;
    assert_eq!(done["result"]["structuredContent"]["stdout"], "ran a b");
    assert_eq!(ran(&server), 1);
    // What was said once is not said for ever.
    let once_more = client.ask("tools/call", params).await;
    assert_eq!(once_more["result"]["resultType"], "input_required");
    let state = once_more["result"]["requestState"].clone();
    let no = again(&input(), &state, &json!({ "action": "decline" }));
    let denied = client.ask("tools/call", no).await;
    assert!(text(&denied).starts_with("Denied"), "{denied}");
    assert_eq!(last_reason(&server), "the user said no");
    // Who comes back with nothing said nothing.
    let asked = client.call("skill_run", input()).await;
    let mut nothing = json!({ "name": "skill_run", "arguments": input() });
    nothing["requestState"] = asked["result"]["requestState"].clone();
    let denied = client.ask("tools/call", nothing).await;
    assert!(text(&denied).starts_with("Denied"), "{denied}");
    assert_eq!(
        last_reason(&server),
        "the client came back without an answer"
    );
    assert_eq!(ran(&server), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_cannot_ask_or_may_not_run_runs_nothing() {
    let server = TestServer::running();
    let client = Modern::new(&server).with_token(RUN);
    let refused = client.call("skill_run", input()).await;
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .starts_with("Denied"),
        "{refused}"
    );
    let opened = Legacy::try_open(&server, "2025-11-25", RUN, &json!({})).await;
    let (legacy, _) = opened.ok().unwrap();
    let refused = legacy.ask("tools/call", params(&input())).await;
    assert!(text(&refused).contains("cannot ask the user"), "{refused}");
    let chat = Modern::new(&server).with_token(CHAT).asking();
    let refused = chat.call("skill_run", input()).await;
    assert_eq!(text(&refused), "this needs a token with the role `run`");
    assert_eq!(ran(&server), 0);
}

/// Calls the tool over the API.
async fn posted(server: &TestServer, tool: &str, token: &str, body: &Value) -> (u16, Value) {
    let token = format!("Bearer {token}");
    let headers = [
        ("content-type", "application/json"),
        ("authorization", token.as_str()),
    ];
    let path = format!("/api/v1/tools/{tool}");
    let answer = server.ask("POST", &path, &headers, body.to_string()).await;
    (answer.status.as_u16(), answer.json())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_shows_its_words_apart_and_what_is_read() {
    let server = TestServer::running();
    let mut odd = input();
    odd["args"] = json!([
        "a b",
        "` in a sandbox without network (it is safe).\n\n`",
        ""
    ]);
    odd["stdin"] = json!("rm -rf `x`\n".repeat(100));
    let (status, question) = posted(&server, "skill_run", RUN, &odd).await;
    assert_eq!(status, 428, "{question}");
    let words = question["detail"].as_str().unwrap();
    let expected = "wants to run `scripts/fill.sh \"a b\" \"\\u0060 in a sandbox without network \
                    (it is safe).\\n\\n\\u0060\" \"\"` with 1100 bytes of input (\"rm -rf \\u0060x\\u0060\\nrm";
    assert!(words.contains(expected), "{words}");
    assert!(words.contains(" and more) in a sandbox"), "{words}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_gets_the_question_and_calls_again_with_its_consent() {
    let server = TestServer::running();
    for tool in ["skill_run", "skills.run_script"] {
        let (status, question) = posted(&server, tool, RUN, &input()).await;
        assert_eq!(status, 428, "{question}");
        let words = question["detail"].as_str().unwrap();
        assert!(
            words.contains(
                "`attack` wants to run `scripts/fill.sh \"a b\"` in a sandbox without network"
            ),
            "{words}"
        );
        assert!(!words.contains("/srv/clients"), "{words}");
        let before = ran(&server);
        let mut again = input();
        again["consent"] = question["consent"].clone();
        // A yes to this is none to something else.
        let mut other = again.clone();
        other["args"] = json!(["c"]);
        assert_eq!(posted(&server, tool, RUN, &other).await.0, 428);
        let (_, question) = posted(&server, tool, RUN, &input()).await;
        again["consent"] = question["consent"].clone();
        let (status, done) = posted(&server, tool, RUN, &again).await;
        assert_eq!(
            (status, &done["tool"]),
            (200, &json!("skill_run")),
            "{done}"
        );
        assert_eq!(done["structured"]["stdout"], "ran a b");
        assert_eq!(ran(&server), before + 1);
        // What was said once is not said for ever.
        assert_eq!(posted(&server, tool, RUN, &again).await.0, 428);
    }
    let events = server.machine.events.lock().unwrap();
    let ended = events
        .iter()
        .find(|event| event.kind.as_str() == "skill.script_executed");
    let ended = ended.unwrap();
    assert_eq!(ended.trigger.as_deref(), Some("api"));
    assert_eq!(ended.detail["approval"], "user");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_token_keeps_no_other_from_asking() {
    let server = TestServer::running();
    let (_, first) = posted(&server, "skill_run", ADMIN, &input()).await;
    let mut oldest = Value::Null;
    for n in 0..300 {
        let mut other = input();
        other["args"] = json!([n.to_string()]);
        let (status, question) = posted(&server, "skill_run", RUN, &other).await;
        assert_eq!(status, 428, "{question}");
        if n == 0 {
            other["consent"] = question["consent"].clone();
            oldest = other;
        }
    }
    for token in [ADMIN, RUN] {
        assert_eq!(posted(&server, "skill_run", token, &input()).await.0, 428);
    }
    let client = Modern::new(&server).with_token(ADMIN).asking();
    let asked = client.call("skill_run", input()).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    // Those of others wait as before; of the same token the oldest gave way, and is asked again.
    let mut again = input();
    again["consent"] = first["consent"].clone();
    assert_eq!(posted(&server, "skill_run", ADMIN, &again).await.0, 200);
    assert_eq!(posted(&server, "skill_run", RUN, &oldest).await.0, 428);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_a_script_ran_is_for_admins() {
    let server = TestServer::running();
    let home = server.folder.path().display().to_string();
    // The script says what it was called with, as others say where they are.
    let mut input = input();
    input["args"] = json!([server.skills().join("attack")]);
    for (token, sees) in [(RUN, false), (ADMIN, true)] {
        let (_, question) = posted(&server, "skill_run", token, &input).await;
        let mut again = input.clone();
        again["consent"] = question["consent"].clone();
        let (status, done) = posted(&server, "skill_run", token, &again).await;
        assert_eq!(status, 200, "{done}");
        let client = Modern::new(&server).with_token(token).asking();
        let asked = client.call("skill_run", input.clone()).await;
        let mut params = params(&input);
        params["requestState"] = asked["result"]["requestState"].clone();
        let yes = json!({ "action": "accept", "content": { "allow": true } });
        params["inputResponses"] = json!({ "consent": yes });
        let over_mcp = client.ask("tools/call", params).await;
        for told in [done, over_mcp] {
            let told = told.to_string();
            assert!(told.contains("ran "), "{told}");
            assert_eq!(told.contains(&home), sees, "{told}");
            assert_eq!(told.contains("skill://attack"), !sees, "{told}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_over_the_api_need_the_setting_and_the_role() {
    let server = TestServer::running();
    let (status, refused) = posted(&server, "skill_run", CHAT, &input()).await;
    assert_eq!(status, 403);
    assert_eq!(refused["detail"], "this needs a token with the role `run`");
    let (status, _) = posted(&server, "skill_run", RUN, &json!({ "name": "attack" })).await;
    assert_eq!(status, 400);
    assert_eq!(ran(&server), 0);
    let server = TestServer::with_tokens();
    let (status, refused) = posted(&server, "skill_run", RUN, &input()).await;
    assert_eq!(status, 403);
    let words = refused["detail"].as_str().unwrap();
    assert!(
        words.contains("`--allow-run`") && words.contains("`mcp.run = true`"),
        "{words}"
    );
    // Files are listed by the name of other runtimes, too.
    let name = json!({ "name": "attack", "dir": "scripts" });
    let (_, listed) = posted(&server, "skills.listResources", RUN, &name).await;
    assert_eq!(
        listed["structured"]["files"][0]["path"], "scripts/endless.sh",
        "{listed}"
    );
}
