//! How `skillyard serve` ends while something is under way.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::process::{ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::TestContext;
use crate::mcp_shutdown::until;
use crate::serve_chat::Serving;

/// What every request of the stateless protocol says of itself.
const STATELESS: &str = "accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: skill_run\r\n";

/// A machine with a script that takes longer than anybody waits.
fn machine() -> TestContext {
    let context = TestContext::new();
    context.skill("../home/.agents/skills/slow", "Waits");
    let script = "../home/.agents/skills/slow/scripts/wait.sh";
    context.write(script, "#!/bin/sh\nsleep 300\n");
    context
}

fn call() -> Value {
    let arguments = json!({ "name": "slow", "script": "wait.sh" });
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": "skill_run", "arguments": arguments, "_meta": meta });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

fn send(serving: &Serving, signal: Signal) {
    kill_process(Pid::from_child(&serving.child), signal).unwrap();
}

/// Waits for the end, though not as long as the script would take.
fn ended(serving: &mut Serving) -> ExitStatus {
    let mut status = None;
    until(
        || {
            status = serving.child.try_wait().unwrap();
            status.is_some()
        },
        "it goes on",
    );
    status.unwrap()
}

#[test]
fn scripts_over_mcp_end_with_it() {
    let context = machine();
    let mut serving = Serving::start(&context, &["--allow-run"]);
    thread::scope(|scope| {
        let address = &serving;
        let asked = scope.spawn(|| address.ask_with("POST", "/mcp", STATELESS, &call()));
        let log = || context.stdout(&["audit", "log", "--json"]);
        until(|| log().contains("skill.script_started"), "no script began");
        send(&serving, Signal::TERM);
        let (status, told) = asked.join().unwrap();
        assert_eq!(status, 200, "{told}");
        assert!(log().contains("skill.script_executed"), "{}", log());
    });
    assert!(ended(&mut serving).success());
}

#[test]
fn people_are_told_what_ends_and_how() {
    let context = TestContext::new();
    let mut command = context.skillyard();
    command.args(["serve", "--port", "0"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    let stdout = child.stdout.take().unwrap();
    let mut stdout = BufReader::new(stdout);
    stdout.read_line(&mut line).unwrap();
    // Whoever was told where it is can end it.
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let mut told = String::new();
    let mut stderr = child.stderr.take().unwrap();
    stderr.read_to_string(&mut told).unwrap();
    assert!(child.wait().unwrap().success(), "{told}");
    let ending = "turns and scripts are stopped, other answers have a few seconds to finish; a second Ctrl-C ends at once";
    assert!(told.contains(ending), "{told}");
}

#[test]
fn what_is_fetched_from_a_silent_server_is_not_waited_for() {
    for signals in [&[Signal::TERM][..], &[Signal::INT, Signal::INT]] {
        let context = machine();
        let mut serving = Serving::start(&context, &[]);
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let reference = format!("http://{}/x.tar.gz", silent.local_addr().unwrap());
        let order = json!({ "reference": reference });
        let _answer = serving.asked("POST", "/api/v1/install", "", &order);
        // It is asked for, and nothing comes.
        let (sender, asked) = mpsc::channel();
        thread::spawn(move || sender.send(silent.accept()));
        let _open = asked.recv_timeout(Duration::from_mins(1)).unwrap();
        let start = Instant::now();
        for signal in signals {
            send(&serving, *signal);
            // The same one twice in a moment may come from one hand.
            thread::sleep(Duration::from_millis(1_500));
        }
        let code = ended(&mut serving).code();
        let took = start.elapsed();
        assert_eq!(code, Some(if signals.len() == 1 { 0 } else { 130 }));
        assert!(took < Duration::from_secs(20), "{took:?}");
    }
}
