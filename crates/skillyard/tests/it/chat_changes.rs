//! Changes to files in a chat: whoever is asked is told what will be other.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::scripted_model::{call, model};
use crate::serve_chat::Serving;
use crate::{TestContext, output, text};

/// The question that a call of a tool leads to, and what the program was told afterwards.
fn asked(context: &TestContext, tool: &str, arguments: &Value) -> Value {
    let call = call("a", tool, arguments);
    let (url, _) = model(vec![
        json!({ "content": "", "tool_calls": [call] }),
        json!({ "content": "Done." }),
    ]);
    let mut command = context.skillyard();
    command.args(["--config", &format!("models.test.url={url}")]);
    command.args(["--config", "models.test.tool_mode=native"]);
    command.args(["chat", "--model", "test/m", "-p", "go"]);
    command.args(["--output-format", "stream-json"]);
    let told = output(&mut command);
    assert!(told.status.success(), "{}", text(&told.stderr));
    let lines = text(&told.stdout);
    let mut lines = lines
        .lines()
        .map(|line| -> Value { serde_json::from_str(line).unwrap() });
    let asked = lines.find(|line| line["type"] == "approval_request");
    asked.unwrap()["request"]["action"].clone()
}

#[test]
fn a_change_is_shown_as_a_difference() {
    let context = TestContext::new();
    context.write("notes.md", "one\ntwo\nthree\n");
    let edit = json!({ "path": "notes.md", "old": "two", "new": "2\u{1b}[2J\u{3164}" });
    let action = asked(&context, "Edit", &edit);
    assert_eq!(action["path"], "notes.md");
    assert_eq!(
        action["difference"],
        "@@ -1,3 +1,3 @@\n one\n-two\n+2\\u{1b}[2J\\u{3164}\n three\n"
    );
    let write = json!({ "path": "notes.md", "content": "one\nthree\n" });
    let action = asked(&context, "Write", &write);
    assert_eq!(
        action["difference"],
        "@@ -1,3 +1,2 @@\n one\n-two\n three\n"
    );
    // The end of what is long is shown, too.
    let lines = format!("{}the end\n", "x\n".repeat(1_500));
    let write = json!({ "path": "sub/new.md", "content": lines });
    let told = asked(&context, "Write", &write)["difference"].to_string();
    assert!(
        told.contains("502 changed lines are left out here"),
        "{told}"
    );
    assert!(told.contains("+the end"), "{told}");
    assert_eq!(context.read("notes.md"), "one\ntwo\nthree\n");
}

#[test]
fn what_cannot_be_compared_has_none() {
    let context = TestContext::new();
    context
        .write("notes.md", "one\n")
        .write("dot.bin", [0, 1, 2]);
    for (path, old) in [("notes.md", "two"), ("dot.bin", "x")] {
        let edit = json!({ "path": path, "old": old, "new": "y" });
        let action = asked(&context, "Edit", &edit);
        assert_eq!(action["difference"], Value::Null, "{path}");
    }
}

/// What came of calls of tools that the user allows all, and how each was written down.
fn made(context: &TestContext, calls: &[(&str, Value)]) -> (String, Value) {
    let calls = calls.iter().enumerate().map(|(at, (tool, arguments))| {
        let mut call = call(&at.to_string(), tool, arguments);
        call["index"] = json!(at);
        call
    });
    let (url, _) = model(vec![
        json!({ "content": "", "tool_calls": calls.collect::<Vec<_>>() }),
        json!({ "content": "Done." }),
    ]);
    let mut command = context.skillyard();
    command.args(["--config", &format!("models.test.url={url}")]);
    command.args(["--config", "models.test.tool_mode=native"]);
    command.args(["chat", "--model", "test/m", "-p", "go", "--yes"]);
    command.args(["--output-format", "stream-json"]);
    let told = output(&mut command);
    assert!(told.status.success(), "{}", text(&told.stderr));
    let log = context.json(&["audit", "log", "--event", "skill.tool_allowed", "--json"]);
    (text(&told.stdout), log["events"].clone())
}

#[test]
fn nothing_is_written_through_a_link() {
    let context = TestContext::new();
    context.write("src/Makefile", "all:\n").write("sub/x", "");
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(to, context.root().join(name)).unwrap();
    };
    link("src/Makefile", "notes.txt");
    link("sub/CLAUDE.md", "todo.md");
    link("src", "alias");
    let write = |path: &str| ("Write", json!({ "path": path, "content": "x" }));
    let edit = json!({ "path": "notes.txt", "old": "all", "new": "x" });
    let calls = [
        write("notes.txt"),
        write("todo.md"),
        write("alias/Makefile"),
        ("Edit", edit),
    ];
    let (told, _) = made(&context, &calls);
    assert_eq!(
        told.matches("is a link, which is not followed").count(),
        4,
        "{told}"
    );
    assert_eq!(context.read("src/Makefile"), "all:\n");
    assert!(!context.root().join("sub/CLAUDE.md").exists());
}

#[test]
fn a_pipe_is_not_written_to() {
    let context = TestContext::new();
    context.write("folder/x", "");
    // As a script leaves one in the workspace.
    let pipe = json!({ "command": "mkfifo pipe" });
    let write = |path: &str| json!({ "path": path, "content": "x" });
    let calls = [
        ("Bash", pipe),
        ("Write", write("pipe")),
        ("Write", write("folder")),
    ];
    let (told, _) = made(&context, &calls);
    let refused = told.matches("it is there, and it is no file").count();
    assert_eq!(refused, 2, "{told}");
}

#[test]
fn a_file_is_replaced_with_its_mode_or_not_at_all() {
    let context = TestContext::new();
    context.write("run.sh", "one\n");
    let file = context.root().join("run.sh");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let before = fs::metadata(&file).unwrap();
    let edit = json!({ "path": "run.sh", "old": "one", "new": "two" });
    let write = json!({ "path": "sub/new.txt", "content": "x" });
    let (told, events) = made(&context, &[("Edit", edit), ("Write", write)]);
    assert_eq!(context.read("run.sh"), "two\n", "{told}");
    let after = fs::metadata(&file).unwrap();
    assert_eq!(after.mode(), before.mode());
    assert_eq!(after.uid(), before.uid());
    // Another file, which was whole before it took this place.
    assert_ne!(after.ino(), before.ino());
    let mut paths: Vec<&str> = events
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|event| event["detail"]["path"].as_str())
        .collect();
    paths.sort_unstable();
    assert_eq!(paths, ["run.sh", "sub/new.txt"]);
}

#[test]
fn what_a_command_makes_that_agents_obey_is_told() {
    let context = TestContext::new();
    let command = "mkdir -p sub && echo evil > sub/CLAUDE.md && seq 1000";
    let (told, events) = made(&context, &[("Bash", json!({ "command": command }))]);
    let results = told
        .lines()
        .map(|line| -> Value { serde_json::from_str(line).unwrap() });
    let results: Vec<Value> = results
        .filter(|line| line["type"] == "tool_result")
        .collect();
    let preview = results[0]["preview"].as_str().unwrap();
    assert!(
        preview.contains("sandbox: it made `sub/CLAUDE.md`: look at it before"),
        "{preview}"
    );
    assert_eq!(events[0]["detail"]["made"], "`sub/CLAUDE.md`");
}

/// A chat on the web in which a call of a tool waits for an answer.
struct Waiting {
    serving: Serving,
    path: String,
    question: Value,
}

impl Waiting {
    fn on(context: &TestContext, tool: &str, arguments: &Value) -> Self {
        let call = call("a", tool, arguments);
        let (url, _) = model(vec![
            json!({ "content": "", "tool_calls": [call] }),
            json!({ "content": "Done." }),
        ]);
        let url = format!("models.test.url={url}");
        let mode = "models.test.tool_mode=native";
        let serving = Serving::start(context, &["--config", &url, "--config", mode]);
        let opened = serving.json("POST", "/api/v1/sessions", &json!({ "model": "test/m" }));
        let path = format!("/api/v1/sessions/{}", opened["id"].as_str().unwrap());
        let said = json!({ "text": "go" });
        serving.json("POST", &format!("{path}/messages"), &said);
        let start = Instant::now();
        let question = loop {
            let session = serving.json("GET", &path, &Value::Null);
            let mut events = session["events"].as_array().unwrap().iter();
            if let Some(event) = events.find(|event| event["type"] == "approval") {
                break event["question"].clone();
            }
            assert!(start.elapsed() < Duration::from_secs(30), "{session}");
        };
        Self {
            serving,
            path,
            question,
        }
    }

    /// Says yes; how the call ended, and what it gave.
    fn allowed(&self) -> (String, String) {
        let question = self.question["id"].as_str().unwrap();
        let path = format!("{}/approvals/{question}", self.path);
        self.serving
            .json("POST", &path, &json!({ "consent": "once" }));
        let session = self.serving.idle(&self.path);
        let mut events = session["events"].as_array().unwrap().iter();
        let ended = events.find(|event| event["type"] == "tool_result").unwrap();
        let told = |key: &str| ended[key].as_str().unwrap().to_owned();
        (told("outcome"), told("output"))
    }
}

#[test]
fn the_browser_is_told_too() {
    let context = TestContext::new();
    context.write("notes.md", "one\n");
    let write = json!({ "path": "notes.md", "content": "<b>two</b>\n" });
    let question = Waiting::on(&context, "Write", &write).question;
    assert_eq!(question["command"], "Write notes.md");
    assert_eq!(question["difference"], "@@ -1 +1 @@\n-one\n+<b>two</b>\n");
}

#[test]
fn the_browser_is_told_what_runs_and_nothing_that_only_looks_like_it() {
    let context = TestContext::new();
    // Reads as `echo ok # cleanup: ; rm -rf src`, which would be a comment.
    let command = "echo ok \u{202e}\u{2066}; rm -rf src \u{2069} \u{2066}# cleanup:\u{2069}\u{202c}\necho\u{200b}";
    let waiting = Waiting::on(&context, "Bash", &json!({ "command": command }));
    assert_eq!(
        waiting.question["command"],
        "echo ok \\u{202e}\\u{2066}; rm -rf src \\u{2069} \\u{2066}# cleanup:\\u{2069}\\u{202c}\necho\\u{200b}"
    );
    let session = waiting.serving.json("GET", &waiting.path, &Value::Null);
    let told = session.to_string();
    assert!(told.contains("tool_call"), "{told}");
    assert!(!told.contains(['\u{202e}', '\u{2066}']), "{told}");
    context.write("notes.md", "one\n");
    let write = json!({ "path": "notes.md", "content": "\u{202e}two\u{1b}\n" });
    let question = Waiting::on(&context, "Write", &write).question;
    assert_eq!(
        question["difference"],
        "@@ -1 +1 @@\n-one\n+\\u{202e}two\\u{1b}\n"
    );
}

#[test]
fn what_was_saved_while_the_question_waited_is_not_overwritten() {
    let context = TestContext::new();
    let write = json!({ "path": "doc.txt", "content": "one\nTWO\n" });
    let edit = json!({ "path": "doc.txt", "old": "two", "new": "TWO" });
    let saved = "one\ntwo\nthree: an hour of my own work\n";
    for (tool, arguments) in [("Write", &write), ("Edit", &edit)] {
        context.write("doc.txt", "one\ntwo\n");
        let waiting = Waiting::on(&context, tool, arguments);
        context.write("doc.txt", saved);
        let (outcome, told) = waiting.allowed();
        assert_eq!(context.read("doc.txt"), saved, "{tool}: {told}");
        assert_eq!(outcome, "failed", "{tool}");
        assert!(
            told.contains("was changed while the user was asked"),
            "{told}"
        );
    }
    // Nor is a file that was not there yet.
    let write = json!({ "path": "new.txt", "content": "x\n" });
    let waiting = Waiting::on(&context, "Write", &write);
    context.write("new.txt", saved);
    assert_eq!(waiting.allowed().0, "failed");
    assert_eq!(context.read("new.txt"), saved);
    let waiting = Waiting::on(&context, "Write", &write);
    assert_eq!(waiting.allowed().0, "ok");
    assert_eq!(context.read("new.txt"), "x\n");
}
