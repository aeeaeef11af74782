//! `skillyard serve` and `skillyard mcp`.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Stdio};

use insta::assert_snapshot;
use serde_json::Value;

use crate::TestContext;

/// A server that is ended when the test is.
pub(crate) struct Serving(Child);

impl Serving {
    /// Starts `serve` on any free port, and says at which address it is.
    pub(crate) fn start(context: &TestContext, flags: &[&str]) -> (Self, String) {
        let mut command = context.skillyard();
        command.args(["serve", "--port", "0", "--json"]).args(flags);
        let mut serving = Self(command.stdout(Stdio::piped()).spawn().unwrap());
        let mut line = String::new();
        let stdout = serving.0.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let url = told["url"].as_str().unwrap().to_owned();
        (serving, url)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_public_address_needs_tokens() {
    let context = TestContext::new();
    assert_snapshot!(context.tell(&["serve", "--host", "0.0.0.0", "--port", "0"]), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: `0.0.0.0:0` can be reached from other machines, and there are no tokens

    hint: Write tokens into a file, one `ROLE TOKEN` a line, and add `--token-file FILE`
    ");
}

#[test]
fn tokens_are_private_and_long() {
    let context = TestContext::new();
    context.write("tokens", "admin short\n");
    let serve = ["serve", "--port", "0", "--token-file", "tokens"];
    assert_snapshot!(context.tell(&serve), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: others can read or write the tokens in `tokens` (mode 644)

    hint: Run `chmod 600 tokens`
    ");
    let file = context.root().join("tokens");
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    assert_snapshot!(context.tell(&serve), @r"
    exit status: 2
    ----- stdout -----

    ----- stderr -----
    error: cannot use the tokens in `tokens`
      Caused by: the token in line 1 has fewer than 24 characters

    hint: Write a role (`read`, `chat`, `run` or `admin`) and a token a line; `openssl rand -hex 32` makes one
    ");
}

#[test]
fn it_says_where_it_is_and_answers_there() {
    let context = TestContext::new();
    context.skill("../home/.agents/skills/pdf", "Fills PDF forms");
    let (_serving, url) = Serving::start(&context, &[]);
    let address = url.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "GET /api/v1/skills/pdf HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("Fills PDF forms"), "{answer}");
}

#[test]
fn an_agent_loads_a_skill_over_standard_input() {
    let context = TestContext::new();
    context.skill("../home/.agents/skills/pdf", "Fills PDF forms");
    let mut command = context.skillyard();
    command
        .arg("mcp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut serving = Serving(command.spawn().unwrap());
    let mut stdin = serving.0.stdin.take().unwrap();
    let mut lines = BufReader::new(serving.0.stdout.take().unwrap()).lines();
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    writeln!(stdin, "{hello}").unwrap();
    let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(answer["result"]["serverInfo"]["name"], "skillyard");
    writeln!(
        stdin,
        r#"{{"jsonrpc":"2.0","method":"notifications/initialized"}}"#
    )
    .unwrap();
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"skill_load","arguments":{"name":"pdf"}}}"#;
    writeln!(stdin, "{call}").unwrap();
    let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("<skill_content name=\"pdf\""), "{text}");
    drop(stdin);
    assert!(
        serving.0.wait().unwrap().success(),
        "it ends with its client"
    );
    let log = context.stdout(&["audit", "log", "--json"]);
    assert!(log.contains("skill.activated"), "{log}");
}

#[test]
fn clients_are_told_in_a_line() {
    let context = TestContext::new();
    // The program that is tested is not in the path, so only where it lies leads to it.
    let line = context.stdout(&["mcp", "--gateway", "--setup", "claude-code"]);
    let line = line.strip_prefix("claude mcp add --scope user skillyard -- ");
    let line = line.and_then(|line| line.strip_suffix(" mcp --gateway\n"));
    assert!(
        line.is_some_and(|program| Path::new(program).is_file()),
        "{line:?}"
    );
}
