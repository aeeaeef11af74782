//! `skillyard serve` as a whole: chats that the terminal shares, installations, logs, reloading.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::install_versions::{libraries, put};
use crate::scripted_model::{call, model};
use crate::{TestContext, output, text};

const ADMIN: &str = "admin-token-0123456789abcdef";
const CHAT: &str = "chat-token-0123456789abcdef";

/// A server that is ended when the test is.
pub(crate) struct Serving {
    pub(crate) child: Child,
    address: String,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Serving {
    pub(crate) fn start(context: &TestContext, flags: &[&str]) -> Self {
        Self::started(context.skillyard(), flags)
    }

    /// The same with a command that has its surroundings already.
    pub(crate) fn started(mut command: Command, flags: &[&str]) -> Self {
        command.args(["serve", "--port", "0", "--json"]).args(flags);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let url = told["url"].as_str().unwrap();
        let address = url.strip_prefix("http://").unwrap().to_owned();
        Self { child, address }
    }

    /// A connection on which nothing is said yet.
    pub(crate) fn connected(&self) -> TcpStream {
        TcpStream::connect(&self.address).unwrap()
    }

    /// Asks, and gives the status and the body.
    fn ask(&self, method: &str, path: &str, token: Option<&str>, body: &Value) -> (u16, String) {
        let token = token.map(|token| format!("authorization: Bearer {token}\r\n"));
        self.ask_with(method, path, &token.unwrap_or_default(), body)
    }

    /// The session at a path once nothing is answered in it.
    pub(crate) fn idle(&self, path: &str) -> Value {
        loop {
            let session = self.json("GET", path, &Value::Null);
            if session["busy"] == false {
                return session;
            }
        }
    }

    /// The same with lines of headers.
    pub(crate) fn ask_with(
        &self,
        method: &str,
        path: &str,
        headers: &str,
        body: &Value,
    ) -> (u16, String) {
        answered(self.asked(method, path, headers, body))
    }

    /// Asks, and does not wait for the answer.
    pub(crate) fn asked(&self, method: &str, path: &str, headers: &str, body: &Value) -> TcpStream {
        let mut stream = self.connected();
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{headers}\r\n{body}",
            self.address,
            body.len(),
        )
        .unwrap();
        stream
    }

    /// Asks by a name of the server's.
    fn ask_as(&self, host: &str, path: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let line = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        stream.write_all(line.as_bytes()).unwrap();
        answered(stream)
    }

    pub(crate) fn json(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, text) = self.ask(method, path, None, body);
        assert!(status < 300, "{method} {path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Says something and waits for the end of the turn.
    pub(crate) fn say(&self, id: &str, text: &str) -> Value {
        let path = format!("/api/v1/sessions/{id}");
        self.json(
            "POST",
            &format!("{path}/messages"),
            &json!({ "text": text }),
        );
        let start = Instant::now();
        loop {
            let session = self.json("GET", &path, &Value::Null);
            if session["busy"] == false {
                return session;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "{session}");
        }
    }
}

/// The head and the body of an answer.
fn heard(mut stream: TcpStream) -> (String, String) {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

/// The status and the body of an answer.
fn answered(stream: TcpStream) -> (u16, String) {
    let (head, body) = heard(stream);
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body)
}

fn count(session: &Value, kind: &str) -> usize {
    let events = session["events"].as_array().unwrap().iter();
    events.filter(|event| event["type"] == kind).count()
}

#[test]
fn a_chat_goes_on_in_the_terminal_and_back() {
    let context = TestContext::new();
    context.skill("../home/.agents/skills/pdf", "Fills PDF forms");
    let serving = Serving::start(&context, &[]);
    let opened = serving.json("POST", "/api/v1/sessions", &Value::Null);
    let id = opened["id"].as_str().unwrap();
    let session = serving.say(id, "/pdf the first form");
    assert_eq!(count(&session, "skill"), 1);
    assert_eq!(session["active_skills"][0]["name"], "pdf");
    let told = context.stdout(&["chat", "--resume", id, "-p", "/pdf the second", "--json"]);
    assert!(told.contains(id), "{told}");
    let path = format!("/api/v1/sessions/{id}");
    let session = serving.json("GET", &path, &Value::Null);
    assert_eq!(count(&session, "user"), 2);
    serving.say(id, "and a third");
    let replay = context.stdout(&["audit", "replay", id]);
    assert!(replay.starts_with("✓ the same to the byte"), "{replay}");
    let replayed = serving.json("GET", &format!("/api/v1/audit/replay/{id}"), &Value::Null);
    assert_eq!(replayed["same"], true, "{replayed}");
    let forked = serving.json("POST", &format!("{path}/fork"), &Value::Null);
    let fork = forked["id"].as_str().unwrap();
    serving.say(fork, "and on in a copy");
    let replayed = format!("/api/v1/audit/replay/{fork}");
    let replayed = serving.json("GET", &replayed, &Value::Null);
    assert_eq!(replayed["same"], true, "{replayed}");
    let usage = serving.json("GET", "/api/v1/skills/pdf/usage", &Value::Null);
    assert_eq!(usage["activations"], 1, "{usage}");
    let last = usage["last"].as_str().unwrap_or_default();
    assert!(last.parse::<jiff::Timestamp>().is_ok(), "{usage}");
    // What others write into the log afterwards is counted, too, and nothing twice.
    let before = usage["reads"].as_u64().unwrap();
    for _ in 0..3 {
        context.stdout(&["chat", "-p", "/pdf once more", "--json"]);
    }
    for _ in 0..2 {
        let usage = serving.json("GET", "/api/v1/skills/pdf/usage", &Value::Null);
        assert_eq!(usage["activations"], 4, "{usage}");
        assert_eq!(usage["reads"], before, "{usage}");
    }
}

#[test]
fn a_copy_goes_on_after_it_let_a_skill_go() {
    let context = TestContext::new();
    context.skill("../home/.agents/skills/pdf", "Fills PDF forms");
    let serving = Serving::start(&context, &[]);
    let opened = serving.json("POST", "/api/v1/sessions", &Value::Null);
    let id = opened["id"].as_str().unwrap();
    serving.say(id, "/pdf the first form");
    let forked = format!("/api/v1/sessions/{id}/fork");
    let forked = serving.json("POST", &forked, &Value::Null);
    let fork = forked["id"].as_str().unwrap();
    let path = format!("/api/v1/sessions/{fork}");
    let release = json!({ "skill": "pdf" });
    let released = serving.json("POST", &format!("{path}/release"), &release);
    assert_eq!(released["released"], true);
    let session = serving.json("GET", &path, &Value::Null);
    assert_eq!(session["active_skills"], json!([]));
    let session = serving.say(fork, "/pdf in a copy");
    assert_eq!(count(&session, "problem"), 0, "{session}");
    assert_eq!(count(&session, "user"), 2, "{session}");
    assert_eq!(session["active_skills"][0]["name"], "pdf");
    let replay = context.stdout(&["audit", "replay", fork]);
    assert!(replay.starts_with("✓ the same to the byte"), "{replay}");
}

/// A chat on the web that waits for somebody to allow a script: the session, and the question.
fn waiting(context: &TestContext, serving: &Serving) -> (String, String) {
    context.skill("../home/.agents/skills/pdf", "Fills PDF forms");
    context.write(
        "../home/.agents/skills/pdf/scripts/x.sh",
        "#!/bin/sh\necho RAN_ONCE\n",
    );
    context.done(&["config", "set", "trust.own.ask", "first-run"]);
    serving.json("POST", "/api/v1/reload", &Value::Null);
    let opened = serving.json("POST", "/api/v1/sessions", &Value::Null);
    let id = opened["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/sessions/{id}");
    let said = json!({ "text": "/pdf run scripts/x.sh" });
    serving.json("POST", &format!("{path}/messages"), &said);
    let question = loop {
        let session = serving.json("GET", &path, &Value::Null);
        let mut events = session["events"].as_array().unwrap().iter();
        if let Some(asked) = events.find(|event| event["type"] == "approval") {
            break asked["question"]["id"].as_str().unwrap().to_owned();
        }
        assert_eq!(session["busy"], true, "{session}");
    };
    (id, question)
}

#[test]
fn a_session_at_work_is_taken_over_by_nobody() {
    let context = TestContext::new();
    let serving = Serving::start(&context, &[]);
    let (id, question) = waiting(&context, &serving);
    let path = format!("/api/v1/sessions/{id}");
    let refused = output(
        context
            .skillyard()
            .args(["chat", "--resume", &id, "-p", "hi"]),
    );
    assert_eq!(refused.status.code(), Some(2));
    let told = text(&refused.stderr);
    assert!(told.contains("is in use elsewhere"), "{told}");
    assert!(told.contains("--fork"), "{told}");
    // Another server does not, either, and says so before the message is gone.
    let other = Serving::start(&context, &[]);
    let said = json!({ "text": "hi" });
    let (status, told) = other.ask("POST", &format!("{path}/messages"), None, &said);
    assert_eq!(status, 409, "{told}");
    assert!(told.contains("in use elsewhere"), "{told}");
    // What was at work goes on, and nothing says that it was interrupted.
    let yes = json!({ "consent": "once" });
    serving.json("POST", &format!("{path}/approvals/{question}"), &yes);
    let session = serving.idle(&path);
    assert!(session.to_string().contains("RAN_ONCE"), "{session}");
    context.done(&["chat", "--resume", &id, "-p", "/pdf in the terminal"]);
    let exported = context.stdout(&["chat", "--export", &id, "--json"]);
    assert!(!exported.contains("interrupted before"), "{exported}");
    context.done(&["audit", "replay", &id]);
    // The page shows what the terminal said.
    let session = serving.idle(&path);
    assert!(session.to_string().contains("in the terminal"), "{session}");
}

#[test]
fn a_session_whose_server_was_killed_goes_on_at_once() {
    let context = TestContext::new();
    let serving = Serving::start(&context, &[]);
    let (id, _) = waiting(&context, &serving);
    drop(serving);
    context.done(&["chat", "--resume", &id, "-p", "/pdf in the terminal"]);
    let exported = context.stdout(&["chat", "--export", &id, "--json"]);
    assert!(exported.contains("interrupted before"), "{exported}");
}

#[test]
fn an_installation_is_carried_out_as_planned_or_not_at_all() {
    let context = TestContext::new();
    context.skill("sources/report", "Makes reports");
    let serving = Serving::start(&context, &[]);
    let reference = context.root().join("sources/report");
    let order = json!({ "reference": reference, "scope": "user" });
    let planned = serving.json("POST", "/api/v1/install", &order);
    assert_eq!(planned["applied"], false);
    assert_eq!(planned["skills"][0]["name"], "report");
    assert_eq!(planned["skills"][0]["tier"], "medium");
    let installed = context
        .root()
        .join("../home/.agents/skills/report/SKILL.md");
    assert!(!installed.exists());
    let order = json!({ "reference": reference, "scope": "user", "plan": planned["plan"] });
    // Other bytes than were looked at are not installed.
    context.write("sources/report/more.md", "more");
    let (status, text) = serving.ask("POST", "/api/v1/install", None, &order);
    assert_eq!(status, 409, "{text}");
    assert!(!installed.exists());
    fs::remove_file(context.root().join("sources/report/more.md")).unwrap();
    let made = serving.json("POST", "/api/v1/install", &order);
    assert_eq!(made["applied"], true);
    assert!(installed.exists());
    let skill = serving.json("GET", "/api/v1/skills/report", &Value::Null);
    assert_eq!(skill["tier"], "medium");
    let (status, text) = serving.ask(
        "POST",
        "/api/v1/install",
        None,
        &json!({ "reference": "./nothing/there" }),
    );
    assert_eq!(status, 409, "{text}");
}

#[test]
fn the_plan_of_an_installation_names_what_goes() {
    let (context, _registry, shelf) = libraries();
    context.done(&["install", "loose", "--yes", "--scope", "user"]);
    put(&shelf, "loose@1.1.0", "");
    let serving = Serving::start(&context, &[]);
    let order = json!({ "reference": "loose@1.1.0", "scope": "user" });
    let planned = serving.json("POST", "/api/v1/install", &order);
    let changes = planned["skills"].as_array().unwrap().iter();
    let changes: Vec<[&Value; 2]> = changes
        .map(|each| [&each["name"], &each["change"]])
        .collect();
    assert_eq!(
        json!(changes),
        json!([["lib", "removed"], ["loose", "changed"]])
    );
}

#[test]
#[cfg(target_os = "linux")]
fn every_address_of_this_machine_alone_is_answered() {
    let context = TestContext::new();
    let serving = Serving::start(&context, &["--host", "127.0.0.2"]);
    assert!(serving.address.starts_with("127.0.0.2:"));
    let (status, text) = serving.ask("GET", "/api/v1/skills", None, &Value::Null);
    assert_eq!(status, 200, "{text}");
}

#[test]
fn a_damaged_agent_tells_which_file_and_not_where_it_is() {
    let context = TestContext::new();
    for name in ["broken", "sound"] {
        context.good(&["agent", "create", name, "--model", "offline"]);
    }
    let agents = "../home/.skillyard/agents";
    context.write(&format!("{agents}/broken/agent.toml"), "current = [\n");
    let serving = Serving::start(&context, &[]);
    let wish = |agent: &str| json!({ "agent": agent });
    let (status, text) = serving.ask("POST", "/api/v1/sessions", None, &wish("broken"));
    assert_eq!(status, 400, "{text}");
    assert!(
        text.contains("damaged: `agent.toml` cannot be understood: "),
        "{text}"
    );
    assert!(!text.contains(".skillyard"), "{text}");
    let (status, text) = serving.ask("POST", "/api/v1/sessions", None, &wish("sound"));
    assert_eq!(status, 201, "{text}");
    let (status, text) = serving.ask("GET", "/api/v1/agents/broken", None, &Value::Null);
    assert_eq!(status, 409, "{text}");
    let listed = serving.json("GET", "/api/v1/agents", &Value::Null);
    assert_eq!(listed["agents"][0]["name"], "sound");
    assert_eq!(listed["damaged"][0]["name"], "broken");
}

#[test]
fn a_token_that_is_taken_away_is_gone_after_a_reload() {
    let context = TestContext::new();
    context.write("tokens", format!("admin {ADMIN}\nchat {CHAT}\n"));
    let file = context.root().join("tokens");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let serving = Serving::start(&context, &["--token-file", "tokens"]);
    let ask = |token| {
        serving
            .ask("GET", "/api/v1/skills", Some(token), &Value::Null)
            .0
    };
    assert_eq!((ask(ADMIN), ask(CHAT)), (200, 200));
    fs::write(&file, format!("admin {ADMIN}\n")).unwrap();
    let process = serving.child.id().to_string();
    let told = context.command("kill").args(["-HUP", &process]).status();
    assert!(told.unwrap().success());
    let start = Instant::now();
    while ask(CHAT) != 401 {
        assert!(start.elapsed() < Duration::from_secs(20), "it still holds");
    }
    assert_eq!(ask(ADMIN), 200);
    // A file that says nothing leaves everything as it is.
    fs::write(&file, "nonsense").unwrap();
    let (status, _) = serving.ask("POST", "/api/v1/reload", Some(ADMIN), &Value::Null);
    assert_eq!(status, 500);
    assert_eq!(ask(ADMIN), 200);
}

/// Whoever has a token for chats has no files of this machine, and neither have the scripts.
#[test]
fn a_script_in_the_chat_of_a_token_has_no_folder_of_the_server() {
    let calls = |tool: &str, arguments: &Value| json!({ "content": "", "tool_calls": [call("a", tool, arguments)] });
    let run = json!({ "name": "look", "script": "scripts/look.sh" });
    // A model may name any tool, whether it was told of it or not.
    let (url, asked) = model(vec![
        calls("skill_load", &json!({ "name": "look" })),
        calls("skill_run", &run),
        calls("Read", &json!({ "path": "secret.txt" })),
        calls("Grep", &json!({ "pattern": "server" })),
        json!({ "content": "Done." }),
    ]);
    let context = TestContext::configured(&format!(
        "[agents]\nmodel = \"test/m\"\n\n[models.test]\nurl = \"{url}\"\ntool_mode = \"native\"\n"
    ));
    context.write("secret.txt", "of the server\n");
    context.write(
        "look/SKILL.md",
        "---\nname: look\ndescription: Looks. Use for looking.\n---\n\nLook.\n",
    );
    let folder = context.root().display().to_string();
    let script =
        format!("#!/bin/sh\necho ran; cat {folder}/secret.txt; echo x > {folder}/made.txt\n");
    context.write("look/scripts/look.sh", script);
    context.good(&["install", "./look", "--scope", "user", "--yes"]);
    context.good(&["trust", "look", "--scripts", "--yes"]);
    context.write("tokens", format!("admin {ADMIN}\nrun {CHAT}\n"));
    let file = context.root().join("tokens");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let serving = Serving::start(&context, &["--token-file", "tokens"]);
    let ask = |method: &str, path: &str, body: &Value| -> Value {
        let (status, text) = serving.ask(method, path, Some(CHAT), body);
        assert!(status < 300, "{method} {path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or_default()
    };
    let opened = ask("POST", "/api/v1/sessions", &json!({ "model": "test/m" }));
    let path = format!("/api/v1/sessions/{}", opened["id"].as_str().unwrap());
    ask(
        "POST",
        &format!("{path}/messages"),
        &json!({ "text": "go" }),
    );
    let start = Instant::now();
    while ask("GET", &path, &Value::Null)["busy"] != false {
        assert!(start.elapsed() < Duration::from_secs(30));
    }
    let last = asked.lock().unwrap()[4]["messages"].to_string();
    assert!(last.contains("ran"), "{last}");
    assert!(!last.contains("of the server"), "{last}");
    assert!(!context.root().join("made.txt").exists());
}

#[test]
fn the_audit_log_says_with_which_token_something_was_changed() {
    let context = TestContext::new();
    context.skill("clients/acme/report", "Makes reports");
    context.write("tokens", format!("admin {ADMIN}\nchat {CHAT}\n"));
    let file = context.root().join("tokens");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let flags = ["--token-file", "tokens", "--behind-proxy"];
    let serving = Serving::start(&context, &flags);
    let ask = |token, path: &str, body: &Value| {
        let (status, text) = serving.ask("POST", path, Some(token), body);
        assert_eq!(status, 200, "{path}: {text}");
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let mut order = json!({ "reference": "./clients/acme/report", "scope": "user" });
    let plan = ask(ADMIN, "/api/v1/install", &order);
    order["plan"] = plan["plan"].clone();
    ask(ADMIN, "/api/v1/install", &order);
    ask(ADMIN, "/api/v1/skills/report/disable", &Value::Null);
    let call = json!({ "skills": [], "tool": "Bash", "input": "ls" });
    ask(CHAT, "/api/v1/guard/check", &call);
    let log = context.json(&["audit", "log", "--json"]);
    let events = log["events"].as_array().unwrap();
    for (kind, role) in [
        ("skill.installed", "admin"),
        ("skill.disabled", "admin"),
        ("skill.tool_allowed", "chat"),
    ] {
        let event = events.iter().find(|event| event["event"] == kind);
        let detail = &event.unwrap_or_else(|| panic!("no {kind}: {log}"))["detail"];
        assert_eq!(detail["role"], role, "{kind}");
        assert_eq!(detail["token"].as_str().unwrap().len(), 16, "{kind}");
    }
}

#[test]
fn the_button_of_one_skill_switches_no_other() {
    let context = TestContext::new();
    for (folder, name) in [("any", "re*"), ("draft", "draft {x"), ("report", "report")] {
        context.write(
            &format!("../home/.agents/skills/{folder}/SKILL.md"),
            format!("---\nname: \"{name}\"\ndescription: Use when asked.\n---\n"),
        );
    }
    context.write("tokens", format!("admin {ADMIN}\n"));
    let file = context.root().join("tokens");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let serving = Serving::start(&context, &["--token-file", "tokens", "--behind-proxy"]);
    for name in ["re%2A", "draft%20%7Bx"] {
        let path = format!("/api/v1/skills/{name}/disable");
        let (status, text) = serving.ask("POST", &path, Some(ADMIN), &Value::Null);
        assert_eq!(status, 200, "{path}: {text}");
    }
    assert_eq!(context.status("re*"), "disabled: disabled by `re*` (user)");
    assert!(context.status("draft {x").starts_with("disabled"));
    assert_eq!(context.status("report"), "enabled");
    let path = "/api/v1/skills/re%2A/enable";
    let (status, text) = serving.ask("POST", path, Some(ADMIN), &Value::Null);
    assert_eq!(status, 200, "{text}");
    assert_eq!(context.status("re*"), "enabled");
    // What is switched off stays so where it cannot be recorded that it is on again.
    let log = context.root().join("../home/.skillyard/logs/audit.jsonl");
    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    let path = "/api/v1/skills/draft%20%7Bx/enable";
    let (status, text) = serving.ask("POST", path, Some(ADMIN), &Value::Null);
    assert_eq!(status, 500, "{text}");
    assert!(context.status("draft {x").starts_with("disabled"));
}

#[test]
fn where_a_skill_was_installed_from_is_for_admins() {
    let context = TestContext::new();
    context.skill("clients/acme/report", "Makes reports");
    context.good(&[
        "install",
        "./clients/acme/report",
        "--scope",
        "user",
        "--yes",
    ]);
    context.write("tokens", format!("admin {ADMIN}\nchat {CHAT}\n"));
    let file = context.root().join("tokens");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let serving = Serving::start(&context, &["--token-file", "tokens"]);
    let path = "/api/v1/skills/report";
    let places = [context.root(), context.home()];
    for (method, path, body) in [
        ("GET", path, Value::Null),
        ("GET", "/skills/report", Value::Null),
        ("POST", "/api/v1/skills/report/activate", json!({})),
    ] {
        let (status, text) = serving.ask(method, path, Some(CHAT), &body);
        assert_eq!(status, 200, "{text}");
        for place in &places {
            let place = place.display().to_string();
            assert!(!text.contains(&place), "{path} names {place}: {text}");
        }
        assert!(!text.contains("clients/acme"), "{path}: {text}");
    }
    let (_, text) = serving.ask("GET", path, Some(ADMIN), &Value::Null);
    assert!(text.contains("clients/acme/report"), "{text}");
}

#[test]
fn the_log_is_an_object_a_line_and_keeps_quiet_about_what_was_sent() {
    let context = TestContext::new();
    let mut serving = Serving::start(&context, &["--log-format", "json"]);
    let stderr = serving.child.stderr.take().unwrap();
    serving.ask("GET", "/api/v1/search?q=secret-words", None, &Value::Null);
    let mut line = String::new();
    BufReader::new(stderr).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(told["event"], "request");
    assert_eq!(told["path"], "/api/v1/search");
    assert_eq!(told["status"], 200);
    assert!(!line.contains("secret-words"), "{line}");
}

#[test]
fn what_a_model_said_before_the_server_ended_is_kept() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let model = format!("http://{}/v1", listener.local_addr().unwrap());
    let context = TestContext::configured(&format!(
        "[models.test]\nurl = \"{model}\"\ntool_mode = \"native\"\n"
    ));
    let mut serving = Serving::start(&context, &[]);
    let wish = json!({ "model": "test/m" });
    let opened = serving.json("POST", "/api/v1/sessions", &wish);
    let path = format!("/api/v1/sessions/{}", opened["id"].as_str().unwrap());
    let said = json!({ "text": "hi" });
    serving.json("POST", &format!("{path}/messages"), &said);
    // The model says half of its answer, and then nothing more.
    let (mut connection, _) = listener.accept().unwrap();
    crate::scripted_model::request(&connection);
    let chunk = json!({ "choices": [{ "index": 0, "delta": { "content": "Half an answer" } }] });
    write!(
        connection,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {chunk}\n\n"
    )
    .unwrap();
    let start = Instant::now();
    loop {
        let session = serving.json("GET", &path, &Value::Null);
        if count(&session, "text") > 0 {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "{session}");
    }
    let process = serving.child.id().to_string();
    let told = context.command("kill").args(["-TERM", &process]).status();
    assert!(told.unwrap().success());
    assert!(serving.child.wait().unwrap().success());
    let kept = context.stdout(&["chat", "--export", "last"]);
    assert!(
        kept.contains("Half an answer\n\n(stopped: the server ended)"),
        "{kept}"
    );
}

#[test]
fn the_registry_stands_below_an_address_of_its_own() {
    let context = TestContext::new();
    let serving = Serving::start(&context, &["--registry"]);
    let (status, text) = serving.ask("GET", "/registry/skills", None, &Value::Null);
    assert_eq!(status, 200, "{text}");
    let (status, page) = serving.ask("GET", "/registry/", None, &Value::Null);
    assert_eq!(status, 200);
    assert!(!page.contains("href=\"/style.css\""), "{page}");
    let plain = Serving::start(&context, &[]);
    assert_eq!(plain.ask("GET", "/registry/", None, &Value::Null).0, 404);
}

/// A skill that was published to the registry below a server.
fn publish(context: &TestContext, serving: &Serving) -> String {
    context.write(
        "report/SKILL.md",
        "---\nname: report\ndescription: Makes reports. Use for reports.\nlicense: MIT\nmetadata:\n  version: \"1.0.0\"\n---\n\nDo it.\n",
    );
    let url = format!("http://{}/registry", serving.address);
    context.good(&["config", "set", "registry.url", &url]);
    let token = context.token("ada");
    context.good(&["login", "--token", &token]);
    context.good(&["publish", "report", "--yes"]);
    token
}

#[test]
fn what_the_registry_below_says_leads_below() {
    let context = TestContext::new();
    let serving = Serving::start(&context, &["--registry"]);
    publish(&context, &serving);
    let get = |path: &str| serving.json("GET", path, &Value::Null);
    let index = get("/registry/.well-known/agent-skills/index.json");
    let url = index["skills"][0]["url"].as_str().unwrap();
    assert_eq!(url, "/registry/skills/report/1.0.0/archive.tar.gz");
    let document = get("/registry/openapi.json");
    assert_eq!(document["servers"][0]["url"], "/registry");
    // By the name that was asked for, whichever of its own names that is.
    let port = serving.address.rsplit(':').next().unwrap();
    for host in [serving.address.clone(), format!("localhost:{port}")] {
        let ask = |path: &str| {
            let (status, text) = serving.ask_as(&host, path);
            assert_eq!(status, 200, "{text}");
            serde_json::from_str::<Value>(&text).unwrap()
        };
        let listed = ask("/registry/skills");
        let expected = format!("http://{host}/registry/skills/report/1.0.0");
        let download = &listed["skills"][0]["download_url"];
        assert_eq!(*download, format!("{expected}/download"));
        let market = ask("/registry/.claude-plugin/marketplace.json");
        let source = &market["plugins"][0]["source"]["url"];
        assert_eq!(*source, format!("{expected}/archive.zip"));
    }
}

#[test]
fn the_registry_below_is_read_with_a_token_unless_it_is_public() {
    let context = TestContext::new();
    context.write("tokens", format!("admin {ADMIN}\nread {CHAT}\n"));
    let file = context.root().join("tokens");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let serving = Serving::start(&context, &["--registry", "--token-file", "tokens"]);
    let own = publish(&context, &serving);
    let wrong = format!("sky_{}", "x".repeat(40));
    let paths = [
        "/registry/skills",
        "/registry/skills/report/1.0.0/download",
        "/registry/.well-known/agent-skills/index.json",
        "/registry/openapi.json",
        "/registry/",
    ];
    for path in paths {
        let status = |token| serving.ask("GET", path, token, &Value::Null).0;
        assert_eq!(status(None), 401, "{path}");
        assert_eq!(status(Some(wrong.as_str())), 401, "{path}");
        assert_eq!(status(Some(own.as_str())), 200, "{path}");
        assert_eq!(status(Some(CHAT)), 200, "{path}");
    }
    // No cache in front of it gives to others what one of them got with a token.
    for token in [CHAT, own.as_str()] {
        let mut stream = TcpStream::connect(&serving.address).unwrap();
        let (path, host) = (paths[1], &serving.address);
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
        let head = heard(stream).0.to_lowercase();
        assert!(head.starts_with("http/1.1 200"), "{head}");
        assert!(head.contains("cache-control: private, "), "{head}");
    }
    // What the server lets in may read, and no more.
    let yank = serving.ask(
        "DELETE",
        "/registry/skills/report/1.0.0",
        Some(ADMIN),
        &json!({}),
    );
    assert_eq!(yank.0, 401, "{}", yank.1);
    let (status, text) =
        serving.ask_with("GET", "/registry/", "accept: text/html\r\n", &Value::Null);
    assert_eq!(status, 303, "{text}");
    let flags = ["--registry", "--public-registry", "--token-file", "tokens"];
    let public = Serving::start(&context, &flags);
    for path in paths {
        let (status, text) = public.ask("GET", path, None, &Value::Null);
        assert_eq!(status, 200, "{path}: {text}");
    }
    assert_eq!(public.ask("GET", "/skills", None, &Value::Null).0, 303);
}

#[test]
fn nothing_is_offered_where_the_configuration_says_so() {
    let context = TestContext::new();
    context.skill("../home/.agents/skills/pdf", "Fills PDF forms");
    context.stdout(&["config", "set", "server.skills", "false"]);
    let serving = Serving::start(&context, &[]);
    let found = serving.json("GET", "/api/skills", &Value::Null);
    assert_eq!(found["enabled"], false);
    assert_eq!(found["skills"], json!([]));
    let opened = serving.json("POST", "/api/v1/sessions", &Value::Null);
    let (_, text) = serving.ask(
        "GET",
        &format!("/api/v1/sessions/{}/export", opened["id"].as_str().unwrap()),
        None,
        &Value::Null,
    );
    assert!(!text.contains("Fills PDF forms"), "{text}");
}
