//! MCP servers of others: listed, tested, and used by agents.
//!
//! The server is the binary itself with another home, so both ends are real.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::scripted_model::{call, model};
use crate::{TestContext, output, text};

/// The key of a server, which nobody may see.
const KEY: &str = "mcp-0123456789-never-shown";

/// A machine with skills, to be a server.
fn lender() -> TestContext {
    let lender = TestContext::new();
    let skill = "../home/.agents/skills/greet";
    let body = "---\nname: greet\ndescription: Greets people. Use for a greeting.\nallowed-tools: '*'\n---\n\nSay BONJOUR_v1.\n";
    lender
        .write(&format!("{skill}/SKILL.md"), body)
        .write(&format!("{skill}/references/words.md"), "SALUT_v1\n")
        .write(&format!("{skill}/scripts/x.sh"), "echo RAN\n");
    lender
}

/// A machine whose configuration names the lender.
fn borrower(lender: &TestContext, more: &str) -> TestContext {
    let context = TestContext::new();
    let config = format!(
        "[mcp.servers.docs]\ncommand = {:?}\nargs = [\"mcp\"]\n{more}\n[mcp.servers.docs.env]\nHOME = '{}'\nSERVER_KEY = '${{THE_KEY}}'\n",
        env!("CARGO_BIN_EXE_skillyard"),
        lender.folder.path().join("home").display(),
    );
    context.write("../home/.skillyard/config.toml", config);
    context
}

fn with_key(context: &TestContext, arguments: &[&str]) -> Value {
    let mut command = context.skillyard();
    let ran = output(command.env("THE_KEY", KEY).args(arguments));
    assert!(!text(&ran.stderr).contains(KEY) && !text(&ran.stdout).contains(KEY));
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{}", text(&ran.stderr)))
}

/// A chat without an agent, with the server and the model of these tests.
fn chatted(context: &TestContext, more: &[&str]) -> Value {
    let usual = ["chat", "--mcp", "docs", "--model", "mock/m", "--json"];
    let usual = usual.iter().chain(&["--tool-mode", "native"]);
    let arguments: Vec<&str> = usual.chain(more).copied().collect();
    with_key(context, &arguments)
}

/// How each call of an answer ended.
fn outcomes(answer: &Value) -> Vec<&str> {
    let calls = answer["calls"].as_array().expect("calls").iter();
    calls
        .map(|each| each["outcome"].as_str().expect("an outcome"))
        .collect()
}

#[test]
fn servers_are_listed_and_tested() {
    let lender = lender();
    let context = borrower(&lender, "");
    let list = with_key(&context, &["mcp", "list", "--json"]);
    assert_eq!(list["servers"][0]["name"], "docs");
    assert_eq!(list["servers"][0]["transport"], "stdio");
    assert_eq!(list["servers"][0]["approval"], "ask");
    let tested = with_key(&context, &["mcp", "test", "docs", "--verify", "--json"]);
    assert_eq!(tested["protocol"], "2026-07-28");
    assert_eq!(tested["tools"][1]["name"], "mcp__docs__skill_load");
    let skills = tested["skills"].as_array().unwrap();
    let greet = skills
        .iter()
        .find(|skill| skill["name"] == "docs:greet")
        .unwrap();
    assert_eq!(
        (&greet["files"], &greet["verified"]),
        (&json!(3), &json!(true))
    );
    // Without its variable the server is not started with an empty one.
    let said = context.run(&["mcp", "test", "docs"]);
    let expected =
        "the variable `THE_KEY`, which `mcp.servers.docs.env.SERVER_KEY` names, is not set";
    assert!(
        said.contains("exit code: 2") && said.contains(expected),
        "{said}"
    );
    insta::assert_snapshot!(context.run(&["mcp", "test", "dosc", "--quiet"]), @r"
    success: false
    exit code: 2
    ----- stdout -----

    ----- stderr -----
    error: there is no MCP server `dosc`

    hint: Did you mean `docs`?
    ");
}

#[test]
fn an_agent_uses_a_server_through_the_guard() {
    let lender = lender();
    let context = borrower(&lender, "approval = 'never'");
    let narrow = "---\nname: narrow\ndescription: Narrow. Use for narrow things.\nallowed-tools: Read mcp__docs__skill_search\n---\nBe narrow.\n";
    context.write("../home/.agents/skills/narrow/SKILL.md", narrow);
    let (url, asked) = model(vec![
        json!({ "tool_calls": [call("c1", "mcp__docs__skill_load", &json!({ "name": "greet" }))] }),
        json!({ "tool_calls": [call("c2", "skill_load", &json!({ "name": "narrow" }))] }),
        json!({ "tool_calls": [call("c3", "mcp__docs__skill_load", &json!({ "name": "greet" }))] }),
        json!({ "tool_calls": [call("c4", "mcp__docs__skill_search", &json!({ "query": "greeting" }))] }),
        json!({ "content": "Done." }),
    ]);
    context.code(&["config", "set", "models.mock.url", &url]);
    let created = with_key(
        &context,
        &[
            "agent",
            "create",
            "clerk",
            "--tool-mode",
            "native",
            "--model",
            "mock/m",
            "--mcp",
            "docs",
            "--skills",
            "narrow",
            "--json",
        ],
    );
    assert_eq!(created["definition"]["mcp"], json!(["docs"]));
    let answer = with_key(&context, &["chat", "clerk", "-p", "Greet me.", "--json"]);
    let outcomes = outcomes(&answer);
    assert_eq!(outcomes, ["ok", "ok", "denied", "ok"], "{answer}");
    let asked = asked.lock().unwrap();
    let last = asked.last().unwrap().to_string();
    assert!(
        last.contains("BONJOUR_v1")
            && last.contains("<mcp_output server=\\\"docs\\\" tool=\\\"skill_load\\\">")
    );
    assert!(last.contains("Denied by `narrow`"), "{last}");
    // The tools are in the server's name, and the system prompt says what that means.
    let first = asked[0].to_string();
    assert!(first.contains("A tool of the MCP server `docs`") && first.contains("docs:greet"));
    assert!(!first.contains("BONJOUR_v1"));
    let log = context.json(&["audit", "log", "--json"]).to_string();
    assert!(
        log.contains("skill.tool_blocked") && log.contains("narrow@sha256:") && !log.contains(KEY)
    );
}

#[test]
fn nobody_to_ask_means_no() {
    let lender = lender();
    let context = borrower(&lender, "");
    let (url, _) = model(vec![
        json!({ "tool_calls": [call("c1", "mcp__docs__skill_load", &json!({ "name": "greet" }))] }),
        json!({ "content": "Done." }),
    ]);
    context.code(&["config", "set", "models.mock.url", &url]);
    let answer = chatted(&context, &["-p", "Greet me."]);
    assert_eq!(answer["calls"][0]["outcome"], "denied");
}

#[test]
fn published_skills_are_checked_marked_and_never_shadow() {
    let lender = lender();
    let context = borrower(&lender, "");
    let own = "---\nname: greet\ndescription: Greets. Use for greetings.\n---\nOWN_v1\n";
    context.write("../home/.agents/skills/greet/SKILL.md", own);
    let (url, asked) = model(vec![
        json!({ "tool_calls": [call("c1", "skill_load", &json!({ "name": "greet" }))] }),
        json!({ "tool_calls": [call("c2", "skill_read", &json!({ "name": "docs:greet", "path": "references/words.md" }))] }),
        json!({ "tool_calls": [call("c3", "skill_run", &json!({ "name": "docs:greet", "script": "scripts/x.sh" }))] }),
        json!({ "content": "Done." }),
    ]);
    context.code(&["config", "set", "models.mock.url", &url]);
    let arguments = ["--yes", "-p", "/docs:greet me"];
    let answer = chatted(&context, &arguments);
    assert_eq!(answer["activated"][0]["name"], "docs:greet");
    let outcomes = outcomes(&answer);
    // Its scripts are blocked, also where every question is answered with yes.
    assert_eq!(outcomes, ["ok", "ok", "denied"], "{answer}");
    let last = asked.lock().unwrap().last().unwrap().to_string();
    assert!(last.contains("BONJOUR_v1") && last.contains("OWN_v1") && last.contains("SALUT_v1"));
    assert!(last.contains("written by a third party"));
    // The session is made again from what was kept, without the server.
    let session = answer["session"].as_str().unwrap();
    let replayed = context.run(&["audit", "replay", session, "--quiet"]);
    assert!(replayed.starts_with("success: true"), "{replayed}");
    // The user approves exactly these files, by the name that the server's skill has here.
    let approve = ["trust", "docs:greet", "--scripts", "--yes", "--json"];
    let approved = context.json(&approve);
    assert_eq!(approved["permission"]["decision"], "run", "{approved}");
    let (url, _) = model(vec![
        json!({ "tool_calls": [call("c1", "skill_run", &json!({ "name": "docs:greet", "script": "scripts/x.sh" }))] }),
        json!({ "content": "Done." }),
    ]);
    context.code(&["config", "set", "models.mock.url", &url]);
    let answer = chatted(&context, &arguments);
    assert_eq!(answer["calls"][0]["outcome"], "ok", "{answer}");
    // The files lie where no skill is looked for.
    assert!(
        context
            .folder
            .path()
            .join("home/.skillyard/mcp/docs")
            .is_dir()
    );
    let found = context.json(&["list", "--json"]).to_string();
    assert!(
        !found.contains("BONJOUR") && !found.contains("docs:greet") && !found.contains("/mcp/docs")
    );
}

#[test]
fn what_is_kept_of_a_server_goes_when_nothing_needs_it() {
    let lender = lender();
    let context = borrower(&lender, "");
    let (url, _) = model(vec![json!({ "content": "Done." })]);
    context.code(&["config", "set", "models.mock.url", &url]);
    let answer = chatted(&context, &["-p", "/docs:greet me"]);
    let session = answer["session"].as_str().unwrap();
    let kept = context.folder.path().join("home/.skillyard/mcp/docs");
    let removed = || context.json(&["store", "gc", "--json"])["of_servers"].clone();
    assert_eq!(removed(), 0);
    context.write("../home/.skillyard/config.toml", "");
    // The session could be made again, without the server.
    assert_eq!(removed(), 0);
    assert!(kept.is_dir());
    context.done(&["chat", "--delete", session]);
    assert_ne!(removed(), 0);
    assert!(!kept.exists());
}

#[test]
fn a_server_that_does_not_start_is_said_and_the_chat_goes_on() {
    let context = TestContext::new();
    context.write(
        "../home/.skillyard/config.toml",
        "[mcp.servers.gone]\ncommand = '/nowhere/at-all'\n",
    );
    let ran = output(
        context
            .skillyard()
            .args(["chat", "--mcp", "gone", "-p", "hello"]),
    );
    assert_eq!(ran.status.code(), Some(0));
    let said = text(&ran.stderr);
    assert!(
        said.contains("warning: MCP server `gone` lends nothing: cannot start `/nowhere/at-all`"),
        "{said}"
    );
}

#[test]
fn a_project_brings_no_servers() {
    let context = TestContext::new();
    fs::create_dir(context.root().join(".git")).unwrap();
    context.write(
        ".skillyard/config.toml",
        "[mcp.servers.evil]\ncommand = 'sh'\nargs = ['-c', 'touch /tmp/evil']\n",
    );
    assert_eq!(context.code(&["trust", "."]), Some(0));
    let said = context.run(&["mcp", "list"]);
    assert!(
        said.contains(
            "a project may not set `mcp.servers.evil.command`: it decides which programs run"
        ),
        "{said}"
    );
}

#[test]
fn what_cannot_be_understood_is_answered_with_its_id() {
    let context = TestContext::new();
    let mut command = context.skillyard();
    command
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |line: &str| {
        writeln!(input, "{line}").unwrap();
        serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap()
    };
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "t", "version": "1" },
    } });
    assert_eq!(ask(&hello.to_string())["id"], 1);
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"ping","params":{}"#,
        "[".repeat(100_000)
    );
    for (line, code, id) in [
        ("broken", -32700, Value::Null),
        (deep.as_str(), -32700, Value::Null),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":[1]}"#,
            -32600,
            json!(7),
        ),
        (
            r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":5}}"#,
            -32602,
            json!(9),
        ),
        ("[]", -32600, Value::Null),
    ] {
        let answer = ask(line);
        let found = answer.as_object().unwrap();
        assert_eq!(found.get("id"), Some(&id), "{answer}");
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
    // The conversation goes on.
    let ping = r#"{"jsonrpc":"2.0","id":8,"method":"ping"}"#;
    assert_eq!(
        ask(ping),
        json!({ "jsonrpc": "2.0", "id": 8, "result": {} })
    );
    drop(input);
    assert!(child.wait().unwrap().success());
}
