//! MCP servers that say nothing: nobody waits for them longer than for one, nor twice.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::serve_chat::Serving;
use crate::{TestContext, output, text};

/// A machine with so many mute servers, each given so many seconds, which tell when they run.
fn machine(servers: usize, seconds: u64) -> TestContext {
    let context = TestContext::new();
    let config = (0..servers).map(|number| {
        let mark = context.root().join(format!("started-{number}"));
        format!(
            "[mcp.servers.mute{number}]\ncommand = 'sh'\nargs = ['-c', 'touch {}; cat > /dev/null']\ntimeout = {seconds}\n",
            mark.display()
        )
    });
    let config: String = config.collect();
    context.write("../home/.skillyard/config.toml", config);
    context
}

#[test]
fn they_are_waited_for_all_at_once_and_once() {
    let context = machine(4, 4);
    let mut command = context.skillyard();
    command.args(["chat", "-p", "hello"]);
    for number in 0..4 {
        command.args(["--mcp", &format!("mute{number}")]);
    }
    let start = Instant::now();
    let ran = output(&mut command);
    let took = start.elapsed();
    assert_eq!(ran.status.code(), Some(0));
    assert!(took < Duration::from_secs(15), "{took:?}");
    let said = text(&ran.stderr);
    for number in 0..4 {
        let warning = format!(
            "warning: MCP server `mute{number}` lends nothing: the server did not answer within 4 s"
        );
        assert_eq!(said.matches(&warning).count(), 1, "{said}");
    }
    assert_eq!(said.matches("lends").count(), 4, "{said}");
}

#[test]
fn ctrl_c_is_heard_while_they_are_waited_for() {
    let context = machine(1, 20);
    let mut command = context.skillyard();
    command.args(["chat", "--mcp", "mute0", "-p", "hello"]);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !context.root().join("started-0").exists() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "it is not started"
        );
        std::thread::yield_now();
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let asked = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let took = asked.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn an_agent_with_them_can_be_used_over_http() {
    let context = machine(2, 2);
    let create = ["agent", "create", "clerk", "--mcp", "mute0,mute1"];
    assert_eq!(context.code(&create), Some(0));
    let serving = Serving::start(&context, &[]);
    let session = serving.json("POST", "/api/v1/sessions", &json!({ "agent": "clerk" }));
    let id = session["id"].as_str().unwrap().to_owned();
    // They were waited for just now, and are not again.
    let start = Instant::now();
    for _ in 0..2 {
        let session = serving.say(&id, "hello");
        let events = session["events"].as_array().unwrap();
        let notes = events.iter().filter(|event| event["type"] == "note");
        let notes: Vec<&str> = notes.filter_map(|each| each["text"].as_str()).collect();
        assert!(
            notes
                .iter()
                .any(|note| note.contains("`mute1` lends nothing")),
            "{notes:?}"
        );
    }
    let took = start.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn a_turn_that_waits_for_them_can_be_stopped() {
    let context = machine(1, 2);
    let create = ["agent", "create", "clerk", "--mcp", "mute0"];
    assert_eq!(context.code(&create), Some(0));
    let first = Serving::start(&context, &[]);
    let session = first.json("POST", "/api/v1/sessions", &json!({ "agent": "clerk" }));
    let id = session["id"].as_str().unwrap().to_owned();
    first.say(&id, "hello");
    drop(first);
    std::fs::remove_file(context.root().join("started-0")).unwrap();
    // Another server knows nothing of what was waited for, and would wait for long.
    let config = context.folder.path().join("home/.skillyard/config.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, text.replace("timeout = 2", "timeout = 20")).unwrap();
    let second = Serving::start(&context, &[]);
    let path = format!("/api/v1/sessions/{id}");
    second.json(
        "POST",
        &format!("{path}/messages"),
        &json!({ "text": "go on" }),
    );
    while !context.root().join("started-0").exists() {
        std::thread::yield_now();
    }
    let asked = Instant::now();
    second.json("POST", &format!("{path}/stop"), &Value::Null);
    second.idle(&path);
    let took = asked.elapsed();
    assert!(took < Duration::from_secs(5), "{took:?}");
}

/// One that ignores the end of its input, too, does not outlive whoever started it.
#[test]
fn they_end_with_the_program_that_waits_for_them() {
    let context = TestContext::new();
    let mark = context.root().join("number");
    let config = format!(
        "[mcp.servers.mute]\ncommand = 'sh'\nargs = ['-c', 'echo $$ > {0}.new; mv {0}.new {0}; exec sleep 600']\n",
        mark.display()
    );
    context.write("../home/.skillyard/config.toml", config);
    let mut command = context.skillyard();
    command.args(["mcp", "--gateway"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    while !mark.exists() {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "it is not started"
        );
        std::thread::yield_now();
    }
    let number = context.read("number");
    let process = std::path::Path::new("/proc").join(number.trim());
    assert!(process.exists());
    drop(child.stdin.take());
    child.wait().unwrap();
    while process.exists() {
        assert!(start.elapsed() < Duration::from_secs(50), "it still runs");
        std::thread::yield_now();
    }
}
