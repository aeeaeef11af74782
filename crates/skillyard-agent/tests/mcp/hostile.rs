//! Hostile and broken servers.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Map, json};
use skillyard_agent::mcp_client::{McpError, Servers};

use crate::stage::{GO, at, call, launch, script};

/// Answers the handshake of the older protocol; what follows is up to the script.
const HELLO: &str = r#"
read discover; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}'
read initialize; echo '{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}'
read initialized
read list; echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"t"}]}}'
read call
"#;

fn said(behind: &str) -> Result<String, McpError> {
    let servers = Servers::new(vec![script(&format!("{HELLO}\n{behind}"))]);
    call(&servers, "t", "").map(|called| called.result.text)
}

#[test]
fn the_older_protocol_is_spoken_where_the_newer_is_unknown() {
    let answer =
        r#"echo '{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"fine"}]}}'"#;
    assert_eq!(said(answer).unwrap(), "fine");
    // Some servers end when the first message is not the one they wait for.
    let ends = r#"read first; case "$first" in *initialize*) ;; *) exit 1;; esac
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}'
read initialized; sleep 9"#;
    let servers = Servers::new(vec![script(ends)]);
    assert_eq!(servers.state("s", &GO).unwrap().info.revision, "2025-11-25");
}

#[test]
fn a_server_that_is_slow_to_start_is_asked_again_in_the_newer_way() {
    // It keeps to the first thing that it reads, as servers of the official SDK for Python do.
    let found = r#"{"supportedVersions":["2026-07-28"],"capabilities":{}}"#;
    let slow = format!(
        r#"read discover; read cancelled
echo '{{"jsonrpc":"2.0","id":1,"result":{found}}}'
read initialize
echo '{{"jsonrpc":"2.0","id":2,"error":{{"code":-32022,"message":"the handshake is not accepted"}}}}'
read discover; case "$discover" in *server/discover*) ;; *) exit 1;; esac
echo '{{"jsonrpc":"2.0","id":3,"result":{found}}}'; sleep 9"#
    );
    let mut spec = script(&slow);
    spec.limits.handshake = Duration::from_secs(2);
    let servers = Servers::new(vec![spec]);
    let state = servers.state("s", &GO).unwrap();
    assert_eq!(state.info.revision, "2026-07-28");
}

#[test]
fn what_arguments_are_checked_with_is_told_as_the_server_said_it() {
    let pattern = format!("^(?:{}b)$", "a|".repeat(400));
    let long = "word ".repeat(200);
    let tool = json!({ "name": "t", "inputSchema": { "type": "object", "properties": {
        "at": { "type": "string", "pattern": pattern, "description": long },
        "by": { "enum": ["\n", "\t", ","] },
    } } });
    let list = json!({ "jsonrpc": "2.0", "id": 3, "result": { "tools": [tool] } });
    let (head, _) = HELLO.split_once("read list").unwrap();
    let spec = launch(
        "/bin/sh",
        &[
            "-c",
            &format!("{head}\nread list; printf '%s\\n' \"$LIST\"; sleep 9"),
        ],
        &[("PATH", "/usr/bin:/bin"), ("LIST", &list.to_string())],
    );
    let tools = Servers::new(vec![spec]).tools("s", &GO).unwrap();
    let told = &tools.tools[0].parameters["properties"];
    assert_eq!(told["at"]["pattern"], pattern);
    assert_eq!(told["by"]["enum"], json!(["\n", "\t", ","]));
    assert_eq!(told["at"]["description"].as_str().map(str::len), Some(300));
}

#[test]
fn a_schema_that_providers_refuse_is_put_right_or_left_out() {
    let schemas = [
        ("now", json!({ "type": "object" })),
        ("list", json!({ "type": "array" })),
        (
            "either",
            json!({ "anyOf": [{ "properties": { "a": {} } }, { "properties": { "b": {} } }] }),
        ),
    ];
    let tools = schemas.map(|(name, schema)| json!({ "name": name, "inputSchema": schema }));
    let list = json!({ "jsonrpc": "2.0", "id": 3, "result": { "tools": tools } });
    let (head, _) = HELLO.split_once("read list").unwrap();
    let servers = Servers::new(vec![script(&format!(
        "{head}\nread list; echo '{list}'; sleep 9"
    ))]);
    let tools = servers.tools("s", &GO).unwrap();
    let parameters: Vec<_> = tools.tools.iter().map(|tool| &tool.parameters).collect();
    let both = json!({ "type": "object", "properties": { "a": {}, "b": {} } });
    assert_eq!(
        parameters,
        [&json!({ "type": "object", "properties": {} }), &both]
    );
    assert_eq!(
        tools.rejected,
        ["the schema of `list` is not one of an object"]
    );
}

#[test]
fn a_server_that_says_nothing_is_given_up_in_the_time_of_one_hello() {
    let mut spec = script("while read -r line; do :; done");
    spec.limits.handshake = Duration::from_secs(1);
    let servers = Servers::new(vec![spec]);
    let start = Instant::now();
    let error = servers.state("s", &GO).unwrap_err().to_string();
    assert!(error.contains("did not answer within 1 s"), "{error}");
    let took = start.elapsed();
    assert!(took < Duration::from_millis(1_900), "{took:?}");
}

#[test]
fn invalid_lines_are_skipped_up_to_a_limit() {
    let noisy = r#"echo 'starting up...'; echo '{"jsonrpc":"2.0","method":"notifications/message"}'
echo '{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"fine"}]}}'"#;
    assert_eq!(said(noisy).unwrap(), "fine");
    // Log messages do not count.
    let logging = r#"yes '{"jsonrpc":"2.0","method":"notifications/message"}' | head -20000
echo '{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"fine"}]}}'"#;
    assert_eq!(said(logging).unwrap(), "fine");
    assert!(matches!(said("yes"), Err(McpError::Malformed { .. })));
}

#[test]
fn a_line_without_end_is_not_kept() {
    let mut spec = script(&format!("{HELLO}\ncat /dev/zero"));
    spec.limits.message = 1 << 20;
    let servers = Servers::new(vec![spec]);
    assert!(matches!(
        call(&servers, "t", ""),
        Err(McpError::TooLarge { limit: 1_048_576 })
    ));
}

#[test]
fn a_large_result_is_cut() {
    let large = r#"printf '{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"'
head -c 300000 /dev/zero | tr '\0' x; echo '"}]}}'"#;
    let text = said(large).unwrap();
    assert!(
        text.len() < 70_000 && text.ends_with("of 300000 bytes]"),
        "{}",
        text.len()
    );
}

#[test]
fn a_hanging_server_costs_one_call() {
    let mut spec = script(&format!("{HELLO}\nsleep 60"));
    spec.limits.call = Duration::from_millis(300);
    let servers = Servers::new(vec![spec]);
    let start = Instant::now();
    assert!(matches!(
        call(&servers, "t", ""),
        Err(McpError::Timeout { .. })
    ));
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[test]
fn a_user_who_stops_does_not_wait() {
    let servers = Servers::new(vec![script(&format!("{HELLO}\nsleep 60"))]);
    assert!(servers.tools("s", &GO).is_ok());
    let cancel = Arc::new(AtomicBool::new(false));
    let later = Arc::clone(&cancel);
    let start = Instant::now();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| servers.call("mcp__s__t", &Map::new(), Map::new(), &cancel));
        later.store(true, Ordering::Relaxed);
        assert!(matches!(waiting.join().unwrap(), Err(McpError::Cancelled)));
    });
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[test]
fn the_end_of_a_server_is_told_with_its_last_words() {
    let error = said("echo 'out of cheese' >&2; exit 1").unwrap_err();
    assert_eq!(error.to_string(), "the server ended: out of cheese");
}

#[test]
fn what_a_server_says_of_a_failure_loses_secrets() {
    let failures = [
        r#"echo '{"jsonrpc":"2.0","id":4,"error":{"code":-1,"message":"PADDING tok-secret is not valid"}}'"#,
        r#"echo '{"jsonrpc":"2.0","id":4,"result":{"isError":true,"content":[{"type":"text","text":"tok-secret is not valid"}]}}'"#,
        "echo 'tok-secret is not valid' >&2; exit 1",
    ];
    for failure in failures {
        // The secret stands where a long message is cut.
        let failure = failure.replace("PADDING", &"x".repeat(294));
        let specs = vec![script(&format!("{HELLO}\n{failure}"))];
        let servers = Servers::redacting(specs, |text| text.replace("tok-secret", "…"));
        let told = match call(&servers, "t", "") {
            Ok(called) => format!("{} {}", called.result.text, called.result.raw),
            Err(error) => format!("{error} {error:?}"),
        };
        assert!(told.contains('…') && !told.contains("tok-"), "{told}");
    }
    // What it gives is what was asked for.
    let given = r#"echo '{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"/srv/tok-secret/a"}]}}'"#;
    let specs = vec![script(&format!("{HELLO}\n{given}"))];
    let servers = Servers::redacting(specs, |text| text.replace("tok-secret", "…"));
    let called = call(&servers, "t", "").unwrap();
    assert_eq!(called.result.text, "/srv/tok-secret/a");
}

#[test]
fn what_does_not_start_is_left_alone_for_a_while() {
    let servers = Servers::new(vec![launch("/nowhere/at-all", &[], &[])]);
    assert!(matches!(
        servers.tools("s", &GO),
        Err(McpError::Start { .. })
    ));
    assert!(matches!(
        servers.tools("s", &GO),
        Err(McpError::Backoff { .. })
    ));
}

#[test]
fn what_servers_ask_for_is_refused() {
    let asks = r#"echo '{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{}}'
read reply; printf '{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"%s"}]}}\n' "$(echo "$reply" | tr -d '"')""#;
    assert!(
        said(asks)
            .unwrap()
            .contains("nothing is offered to servers")
    );
}

#[test]
fn a_program_sees_no_variable_that_it_was_not_given() {
    let text = said(
        r#"printf '{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"%s"}]}}\n' "$(env | cut -d= -f1 | sort | tr '\n' ' ')""#,
    );
    // The shell adds the last two or three itself.
    let text = text.unwrap();
    let mut names = text
        .split_whitespace()
        .filter(|name| !["OLDPWD", "PWD", "SHLVL", "_"].contains(name));
    assert_eq!((names.next(), names.next()), (Some("PATH"), None), "{text}");
}

#[test]
fn nothing_that_a_server_started_outlives_it() {
    let mark = format!("/tmp/skillyard-mcp-{}", std::process::id());
    let text = format!("{HELLO}\n(sleep 2; echo still here > {mark}) & sleep 60");
    let mut spec = script(&text);
    spec.limits.call = Duration::from_millis(200);
    let servers = Servers::new(vec![spec]);
    assert!(call(&servers, "t", "").is_err());
    drop(servers);
    std::thread::sleep(Duration::from_millis(2_300));
    assert!(!std::path::Path::new(&mark).exists());
}

/// A server of the newer protocol that answers each question for its tools with what `page` prints,
/// where `$n` is the number of the question.
fn listing(page: &str) -> skillyard_agent::mcp_client::ServerSpec {
    let hello = r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#;
    script(&format!(
        r#"read d; echo '{{"jsonrpc":"2.0","id":1,"result":{hello}}}'
n=2; while read line; do {page}; n=$((n+1)); done"#
    ))
}

#[test]
fn a_list_without_end_is_read_to_a_limit_that_is_told() {
    let endless = r#"echo '{"jsonrpc":"2.0","id":'$n',"result":{"tools":[{"name":"t'$n'"}],"nextCursor":"'$n'"}}'"#;
    let tools = Servers::new(vec![listing(endless)])
        .tools("s", &GO)
        .unwrap();
    assert_eq!(tools.tools.len(), 64);
    assert_eq!(
        tools.rejected,
        ["only the first 64 pages of its tools are read"]
    );
    let circle = r#"echo '{"jsonrpc":"2.0","id":'$n',"result":{"tools":[{"name":"t'$n'"}],"nextCursor":"'$((n%3))'"}}'"#;
    let tools = Servers::new(vec![listing(circle)]).tools("s", &GO).unwrap();
    assert_eq!(tools.tools.len(), 4);
    let reason = "its list of tools leads back to a page that was read";
    assert_eq!(tools.rejected, [reason]);
}

#[test]
fn a_list_whose_next_page_has_no_name_has_ended() {
    let ended = r#"echo '{"jsonrpc":"2.0","id":'$n',"result":{"tools":[{"name":"t'$n'"}],"nextCursor":""}}'"#;
    let tools = Servers::new(vec![listing(ended)]).tools("s", &GO).unwrap();
    assert_eq!(tools.tools.len(), 1);
    assert!(tools.rejected.is_empty(), "{:?}", tools.rejected);
}

#[test]
fn what_was_chosen_is_found_far_behind_in_a_list() {
    let many = r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[' $n; seq 2000 | sed 's/.*/{"name":"t&"},/' | tr -d '\n'; echo '7]}}'"#;
    let mut spec = listing(many);
    spec.only = Some(vec!["t600".into(), "t1999".into()]);
    let tools = Servers::new(vec![spec.clone()]).tools("s", &GO).unwrap();
    let names = tools.tools.iter().map(|tool| tool.own_name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["t600", "t1999"]);
    // Only that the last entry is none is told, not how many nobody chose.
    assert_eq!(tools.rejected, ["a tool is not an object"]);
    spec.only = None;
    let tools = Servers::new(vec![spec]).tools("s", &GO).unwrap();
    assert_eq!(tools.tools.len(), 128);
}

#[test]
fn a_list_of_very_many_is_read_to_a_limit_that_is_told() {
    // None of them can be used, so that no other limit ends the list.
    let many = r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[' $n; yes 7, | head -5000 | tr -d '\n'; echo '7]}}'"#;
    let tools = Servers::new(vec![listing(many)]).tools("s", &GO).unwrap();
    assert_eq!(tools.rejected.len(), 513);
    let last = tools.rejected.last().unwrap();
    assert_eq!(last, "only the first 512 tools are looked at");
}

#[test]
fn a_list_of_very_large_entries_is_read_to_a_limit_that_is_told() {
    let large = r#"printf '{"jsonrpc":"2.0","id":%s,"result":{"nextCursor":"%s","tools":[{"name":"t","description":"' $n $n; head -c 300000 /dev/zero | tr '\0' x; echo '"}]}}'"#;
    let mut spec = listing(large);
    spec.limits.list = 1_000_000;
    let tools = Servers::new(vec![spec]).tools("s", &GO).unwrap();
    assert!(tools.tools.is_empty());
    let entry = "the entry of `t` has more than 131072 bytes";
    let rest = "only the first 1000000 bytes of its tools are read";
    assert_eq!(tools.rejected, [entry, entry, entry, rest]);
}

#[test]
fn all_pages_of_a_list_have_the_time_of_one_hello() {
    let slow = r#"[ $n -gt 3 ] && sleep 60; echo '{"jsonrpc":"2.0","id":'$n',"result":{"tools":[{"name":"t'$n'"}],"nextCursor":"'$n'"}}'"#;
    let mut spec = listing(slow);
    spec.limits.handshake = Duration::from_secs(2);
    let tools = Servers::new(vec![spec]).tools("s", &GO).unwrap();
    assert_eq!(tools.tools.len(), 2);
    assert_eq!(tools.rejected, ["it did not list all tools within 2 s"]);
}

/// A server over HTTP that gives the same bytes to everybody.
fn always(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    url
}

#[test]
fn answers_that_are_none_are_told_over_http() {
    for (answer, expected) in [
        (
            "HTTP/1.1 500 X\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
            "the server answered with HTTP status 500",
        ),
        (
            "HTTP/1.1 302 X\r\nlocation: http://169.254.169.254/\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
            "the server answered with HTTP status 302",
        ),
        (
            "HTTP/1.1 307 X\r\nlocation: /mcp/?x=1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
            "the server answered with HTTP status 307: it is at `URL/mcp/`",
        ),
        (
            "HTTP/1.1 401 X\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
            "the server answered with HTTP status 401: it wants a token, or another one",
        ),
        (
            "HTTP/1.1 200 X\r\nconnection: close\r\ncontent-length: 5\r\n\r\nhello",
            "the server does not speak MCP: a message is not JSON",
        ),
        (
            "HTTP/1.1 200 X\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"x\"",
            "the server ended",
        ),
    ] {
        let url = always(answer);
        let servers = Servers::new(vec![at(&url, &[])]);
        let expected = expected.replace("URL", url.trim_end_matches('/'));
        assert_eq!(servers.tools("s", &GO).unwrap_err().to_string(), expected);
    }
    let servers = Servers::new(vec![at(
        "http://127.0.0.1:1/?key=hidden",
        &[("x-key", "hidden")],
    )]);
    let error = servers.tools("s", &GO).unwrap_err();
    assert!(
        !format!("{error} {error:?}").contains("hidden"),
        "{error:?}"
    );
}
