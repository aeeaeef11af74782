//! MCP servers that ignore the end of their input end with Skillyard when it ends normally or by SIGTERM.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::json;

use crate::TestContext;
use crate::mcp_client::Raw;

/// A server that reads on behind the end of its input and hears no signal, and a program of its own;
/// both begin when it is asked something for the first time.
const STUBBORN: &str = "trap '' TERM HUP INT; read -r first; sh -c 'echo $$ > child; while :; do sleep 1; done' & echo $$ > server; cat; while :; do sleep 1; done";

fn machine() -> TestContext {
    let context = TestContext::new();
    let config = format!(
        "[mcp.servers.stubborn]\ncommand = 'sh'\nargs = ['-c', {:?}]\ntimeout = 60\n",
        format!("cd {}; {STUBBORN}", context.root().display())
    );
    context.write("../home/.skillyard/config.toml", config);
    context
}

/// Waits for something, though not for ever.
pub(crate) fn until(mut what: impl FnMut() -> bool, told: &str) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < Duration::from_secs(30), "{told}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn number(file: &Path) -> Option<Pid> {
    let text = std::fs::read_to_string(file).ok()?;
    Pid::from_raw(text.trim().parse().ok()?)
}

/// The server and its program, once both run.
fn started(context: &TestContext) -> [Pid; 2] {
    let files = ["server", "child"].map(|name| context.root().join(name));
    until(
        || files.iter().all(|file| number(file).is_some()),
        "it is not started",
    );
    files.map(|file| number(&file).unwrap())
}

fn are_gone(processes: [Pid; 2]) {
    until(
        || processes.iter().all(|process| is_dead(*process)),
        "a server outlived the process that started it",
    );
}

/// Whether nothing is left of it but its number.
pub(crate) fn is_dead(process: Pid) -> bool {
    let file = format!("/proc/{}/stat", process.as_raw_nonzero());
    test_kill_process(process).is_err()
        || std::fs::read_to_string(file).is_ok_and(|text| text.contains(") Z "))
}

#[test]
fn a_gateway_that_is_terminated_ends_its_servers() {
    let context = machine();
    let mut raw = Raw::start(&context, &["--gateway"], &json!({}));
    let processes = started(&context);
    kill_process(Pid::from_child(&raw.child), Signal::TERM).unwrap();
    raw.child.wait().unwrap();
    are_gone(processes);
}
