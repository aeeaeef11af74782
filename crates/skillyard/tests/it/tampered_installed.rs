//! A byte of an installed skill is changed behind the user's back.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::machine::TRUSTING;
use crate::mcp_client::Raw;
use crate::project::project;
use crate::scripted_model::{call, model};
use crate::serve_chat::Serving;
use crate::{TestContext, output, text};

const BODY: &str = "---\nname: pdf\ndescription: Fills forms. Use for forms.\n---\n\nFill them.\n";
const FILE: &str = ".agents/skills/pdf/SKILL.md";

/// A trusted project with `pdf`, which was installed and has one other byte now.
fn altered() -> TestContext {
    let context = project();
    context.write("lib/pdf/SKILL.md", BODY);
    context.write("lib/pdf/scripts/run.sh", "#!/bin/sh\necho RAN\n");
    context.done(&["install", "./lib/pdf"]);
    assert_eq!(context.code(&["trust", "."]), Some(0));
    context.write(FILE, BODY.replace("Fill", "Kill"));
    context
}

impl TestContext {
    /// How the events of a kind ended.
    fn ended(&self, kind: &str) -> Vec<Value> {
        let log = self.json(&["audit", "log", "--event", kind, "--json"]);
        let events = log["events"].as_array().unwrap().iter();
        events.map(|event| event["outcome"].clone()).collect()
    }
}

#[test]
fn its_scripts_do_not_run_whatever_is_said() {
    let context = altered();
    for answer in ["--yes", "--allow-scripts"] {
        let told = context.refused(&["run", "pdf", "scripts/run.sh", answer]);
        assert!(told.contains("is locked"), "{told}");
    }
    let ended = context.ended("skill.script_executed");
    assert_eq!(ended, ["denied", "denied"]);
    // Who has looked at the changes may approve exactly them.
    context.done(&["trust", "pdf", "--scripts", "--yes"]);
    context.done(&["run", "pdf", "scripts/run.sh"]);
    context.write(FILE, BODY.replace("Fill", "Bill"));
    context.refused(&["run", "pdf", "scripts/run.sh", "--yes"]);
}

#[test]
fn what_is_no_file_is_a_change_too() {
    let context = project();
    context.write("lib/pdf/SKILL.md", BODY);
    context.done(&["install", "./lib/pdf"]);
    assert_eq!(context.code(&["trust", "."]), Some(0));
    let status = || {
        let list = context.json(&["list", "--json"]);
        list["skills"][0]["status"].clone()
    };
    assert_eq!(status(), "enabled");
    let folder = context.root().join(".agents/skills/pdf");
    let pipe = folder.join("pipe");
    assert!(
        output(context.command("mkfifo").arg(&pipe))
            .status
            .success()
    );
    assert_eq!(status(), "altered");
    for arguments in [&["doctor"][..], &["sync", "--check"]] {
        let told = output(context.skillyard().args(arguments));
        assert_eq!(told.status.code(), Some(1), "{arguments:?}");
        let told = text(&told.stdout) + &text(&told.stderr);
        assert!(told.contains("`pipe` is a pipe"), "{arguments:?}: {told}");
    }
    std::fs::remove_file(&pipe).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("s")).unwrap();
    assert_eq!(status(), "altered");
    context.done(&["sync", "--force"]);
    assert_eq!(status(), "enabled");
}

#[test]
fn a_user_does_not_activate_it() {
    let context = altered();
    let told = context.refused(&["chat", "-p", "/pdf go"]);
    assert!(
        told.contains("skill `pdf` is not as it is locked: its files are sha256:")
            && told.contains("hint: Put it right with `skillyard sync`"),
        "{told}"
    );
    assert_eq!(context.ended("skill.activated"), ["denied"]);
    context.done(&["sync", "--force"]);
    context.done(&["chat", "-p", "/pdf"]);
    assert_eq!(context.ended("skill.activated"), ["denied", "ok"]);
}

#[test]
fn a_model_does_not_activate_it() {
    let context = altered();
    let mut load = call("a", "skill_load", &json!({ "name": "pdf" }));
    load["index"] = json!(0);
    let (url, asked) = model(vec![
        json!({ "content": "", "tool_calls": [load] }),
        json!({ "content": "Not done." }),
    ]);
    let mut command = context.skillyard();
    command.args(["--config", &format!("models.test.url={url}")]);
    command.args(["--config", "models.test.tool_mode=native"]);
    command.args(["chat", "--model", "test/m", "-p", "fill a form"]);
    let told = output(&mut command);
    assert!(told.status.success(), "{}", text(&told.stderr));
    let asked = asked.lock().unwrap();
    assert!(!asked[0].to_string().contains("Kills forms"));
    let second = asked[1].to_string();
    assert!(second.contains("is not as it is locked"), "{second}");
    assert!(!second.contains("Kill them"), "{second}");
    assert_eq!(context.ended("skill.activated"), ["denied"]);
}

#[test]
fn what_it_says_of_itself_reaches_no_prompt() {
    let context = altered();
    let is_told = |arguments: &[&str]| context.run(arguments).contains("Kills forms");
    let everywhere = [
        &["prompt"][..],
        &["prompt", "--format", "json"],
        &["prompt", ".agents/skills"],
        &["match", "kill forms"],
    ];
    for arguments in everywhere {
        assert!(!is_told(arguments), "{arguments:?}");
    }
    let told = context.run(&["list"]);
    let line = "  ≠ pdf  (altered) its files are not those that are locked";
    assert!(told.contains(line), "{told}");
    assert!(told.contains("; 1 altered"), "{told}");
    let listed = context.json(&["list", "--json"]);
    assert_eq!(listed["skills"][0]["status"], "altered", "{listed}");
    let shown = context.json(&["show", "pdf", "--json"]);
    assert_eq!(shown["status"], "altered");
    let told = context.run(&["explain", "skill", "pdf"]);
    assert!(
        told.contains("≠ pdf") && told.contains("altered, so it reaches no prompt"),
        "{told}"
    );
    assert!(!told.contains("in the prompt with"), "{told}");
    // Who looked at the changes and approves them wants them used.
    context.done(&["trust", "pdf", "--scripts", "--yes"]);
    for arguments in everywhere {
        assert!(is_told(arguments), "{arguments:?}");
    }
    context.write(".agents/skills/pdf/scripts/run.sh", "#!/bin/sh\n");
    assert!(!is_told(&["prompt"]));
    context.done(&["sync", "--force"]);
    assert!(context.run(&["prompt"]).contains("Fills forms"));
    // What programs leave behind alters nothing.
    context.write(".agents/skills/pdf/scripts/__pycache__/run.pyc", "x");
    assert!(context.run(&["prompt"]).contains("Fills forms"));
    // What could be run does, whatever it is called.
    for added in ["scripts/run.pyc", "__MACOSX/run.sh"] {
        let added = format!(".agents/skills/pdf/{added}");
        context.write(&added, "x");
        assert!(!context.run(&["prompt"]).contains("Fills forms"), "{added}");
        std::fs::remove_file(context.root().join(&added)).unwrap();
        assert!(context.run(&["prompt"]).contains("Fills forms"), "{added}");
    }
    let cached = context
        .root()
        .join(".agents/skills/pdf/scripts/__pycache__/run.pyc");
    std::fs::set_permissions(&cached, Permissions::from_mode(0o755)).unwrap();
    assert!(!context.run(&["prompt"]).contains("Fills forms"));
    std::fs::remove_file(cached).unwrap();
    // Nor does anything alter what nobody installed.
    context.write(".agents/skills/own/SKILL.md", BODY.replace("pdf", "own"));
    context.write(
        ".agents/skills/own/SKILL.md",
        BODY.replace("pdf", "own").replace("Fill", "Kill"),
    );
    assert!(is_told(&["prompt"]));
}

#[test]
fn whoever_is_told_to_put_it_right_is_told_whose_it_is() {
    let context = project();
    context.write("lib/pdf/SKILL.md", BODY);
    context.done(&["install", "./lib/pdf", "--scope", "user"]);
    context.write(&format!("../home/{FILE}"), BODY.replace("Fill", "Kill"));
    for arguments in [
        &["explain", "skill", "pdf"][..],
        &["chat", "-p", "/pdf"],
        &["doctor"],
    ] {
        let told = context.run(arguments);
        assert!(
            told.contains("`skillyard sync --scope user`")
                || told.contains("`skillyard sync --force --scope user`"),
            "{told}"
        );
    }
    context.done(&["sync", "--force", "--scope", "user"]);
    context.done(&["chat", "-p", "/pdf"]);
}

#[test]
fn a_server_tells_no_model_of_it() {
    let context = altered();
    let serving = Serving::start(&context, &[]);
    let ask = |method: &str, path: &str, body: &Value| serving.ask_with(method, path, "", body);
    let (status, told) = ask("GET", "/api/v1/prompt", &Value::Null);
    assert_eq!(status, 200);
    assert!(!told.contains("Kills"), "{told}");
    let (_, told) = ask("GET", "/api/v1/skills/pdf", &Value::Null);
    let skill: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(skill["status"], "altered", "{told}");
    let (_, told) = ask("GET", "/skills?status=altered", &Value::Null);
    assert!(told.contains("pill altered"), "{told}");
    let mut client = Raw::start(&context, &[], &json!({}));
    let search = json!({ "name": "skill_search", "arguments": { "query": "kill forms" } });
    for (method, params) in [
        ("tools/list", &json!({})),
        ("prompts/list", &json!({})),
        ("resources/list", &json!({})),
        ("tools/call", &search),
    ] {
        let told = client.ask(method, params, &Value::Null).to_string();
        assert!(told.contains("skill-authoring"), "{method}: {told}");
        assert!(!told.contains("Kills"), "{method}: {told}");
    }
}

#[test]
fn a_reader_is_warned() {
    let context = altered();
    for arguments in [&["read", "pdf"][..], &["read", "pdf", "scripts/run.sh"]] {
        let told = context.run(arguments);
        assert!(
            told.contains("warning: the skill is not as it is locked: its files are sha256:"),
            "{told}"
        );
    }
    let value = context.json(&["read", "pdf", "--json"]);
    assert!(value["body"].as_str().unwrap().contains("Kill them."));
    assert_ne!(value["altered"]["digest"], value["altered"]["installed"]);
    let file = context.json(&["read", "pdf", "scripts/run.sh", "--json"]);
    assert_eq!(file["altered"], value["altered"]);
    context.done(&["sync", "--force"]);
    assert!(!context.run(&["read", "pdf"]).contains("altered"));
    assert_eq!(
        context.json(&["read", "pdf", "--json"])["altered"],
        Value::Null
    );
}

#[test]
fn a_server_gives_none_of_its_files() {
    let context = altered();
    let serving = Serving::start(&context, &[]);
    for path in ["pdf/body", "pdf/files/scripts/run.sh"] {
        let path = format!("/api/v1/skills/{path}");
        let (status, told) = serving.ask_with("GET", &path, "", &Value::Null);
        assert_eq!(status, 403, "{told}");
        let problem: Value = serde_json::from_str(&told).unwrap();
        assert_eq!(problem["skill"], "pdf");
        let remedy = problem["remedy"].as_str().unwrap();
        assert!(remedy.contains("skillyard sync`"), "{remedy}");
    }
    assert_eq!(context.ended("skill.resource_read"), ["denied", "denied"]);
    // What cannot be hashed cannot be what was installed.
    let deep = format!(".agents/skills/pdf/{}more", "d/".repeat(70));
    context.write(&deep, "x");
    let path = "/api/v1/skills/pdf/activate";
    let (status, told) = serving.ask_with("POST", path, "", &json!({}));
    assert_eq!(status, 403, "{told}");
    assert!(told.contains("cannot be hashed"), "{told}");
}

/// What was decided is remembered by a server as long as nothing changes, and no longer.
#[test]
fn a_server_notices_what_is_decided_meanwhile() {
    let context = altered();
    let serving = Serving::start(&context, &[]);
    let ask = || {
        let path = "/api/v1/skills/pdf/files/scripts/run.sh";
        serving.ask_with("GET", path, "", &Value::Null)
    };
    for _ in 0..2 {
        assert_eq!(ask().0, 403);
    }
    context.done(&["trust", "pdf", "--scripts", "--yes"]);
    for _ in 0..2 {
        assert_eq!(ask().0, 200);
    }
    // Nobody gets around it by spoiling what says so.
    let file = "../home/.skillyard/approvals.toml";
    let approvals = context.read(file);
    context.write(file, "[[skills]");
    let (status, told) = ask();
    assert_eq!(status, 403, "{told}");
    assert!(told.contains("`skillyard doctor` says"), "{told}");
    context.write(file, approvals);
    assert_eq!(ask().0, 200);
    context.write(FILE, BODY);
    assert_eq!(ask().0, 200);
    context.done(&["trust", "revoke", "pdf"]);
    assert_eq!(ask().0, 200);
    context.write(FILE, BODY.replace("Fill", "Bill"));
    assert_eq!(ask().0, 403);
}

/// Bytes that Python loads without a look at the source that they should be of.
fn plant_cache(context: &TestContext, source: &str) {
    let plant = "import importlib.util, py_compile, sys\n\
                 py_compile.compile(sys.argv[1], cfile=importlib.util.cache_from_source(sys.argv[2]), \
                 invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)";
    context.write("evil.py", "print('CACHE')\n");
    let mut python = context.command("/usr/bin/python3");
    python.args(["-c", plant, "evil.py", source]);
    assert!(python.status().unwrap().success());
    std::fs::remove_file(context.root().join("evil.py")).unwrap();
}

#[test]
fn what_lies_in_a_cache_of_python_is_never_loaded() {
    let context = project();
    context.write("lib/pdf/SKILL.md", BODY);
    context.write("lib/pdf/scripts/run.py", "import helper\n");
    context.write("lib/pdf/scripts/helper.py", "print('SOURCE')\n");
    context.done(&["install", "./lib/pdf"]);
    assert_eq!(context.code(&["trust", "."]), Some(0));
    let source = ".agents/skills/pdf/scripts/helper.py";
    plant_cache(&context, source);
    let mut python = context.command("/usr/bin/python3");
    let python = output(python.arg(".agents/skills/pdf/scripts/run.py"));
    assert_eq!(text(&python.stdout), "CACHE\n", "the attack works");
    // A run has a copy without it.
    let ran = context.stdout(&["run", "pdf", "scripts/run.py", "--yes"]);
    assert!(ran.contains("SOURCE") && !ran.contains("CACHE"), "{ran}");
    // A command of a chat sees the workspace, and the skill in it.
    let result = python_in_a_chat(&context, ".agents/skills/pdf/scripts/run.py");
    assert!(
        result.contains("SOURCE") && !result.contains("CACHE"),
        "{result}"
    );
}

#[test]
fn caches_of_python_are_not_loaded_however_deep_they_lie() {
    // Deeper than the files of an installed skill, and deeper than those of any skill.
    for depth in [20, 70] {
        let context = TestContext::configured(TRUSTING);
        context.mkdir(".git").write(".skills/pdf/SKILL.md", BODY);
        let folder = format!(".skills/pdf/{}", "d/".repeat(depth));
        context.write(&format!("{folder}run.py"), "import helper\n");
        context.write(&format!("{folder}helper.py"), "print('SOURCE')\n");
        plant_cache(&context, &format!("{folder}helper.py"));
        let result = python_in_a_chat(&context, &format!("{folder}run.py"));
        assert!(
            result.contains("SOURCE") && !result.contains("CACHE"),
            "{depth}: {result}"
        );
    }
}

/// What a model of a chat is told when it starts a program of Python.
fn python_in_a_chat(context: &TestContext, program: &str) -> String {
    let command = json!({ "command": format!("/usr/bin/python3 {program}") });
    let (url, asked) = model(vec![
        json!({ "tool_calls": [call("a", "Bash", &command)] }),
        json!({ "content": "Done." }),
    ]);
    let url = format!("models.test.url={url}");
    context.done(&[
        "--config",
        &url,
        "--config",
        "models.test.tool_mode=native",
        "chat",
        "--model",
        "test/m",
        "--yes",
        "-p",
        "do it",
    ]);
    asked.lock().unwrap()[1]["messages"].to_string()
}

#[test]
fn nothing_is_called_installed_that_was_never_here() {
    let other = altered();
    let here = project();
    here.write("skills.lock", other.read("skills.lock"));
    here.write("skills.toml", other.read("skills.toml"));
    here.write(FILE, BODY);
    here.done(&["trust", "."]);
    let listed = here.stdout(&["list"]);
    let line = "  ≠ pdf  (altered) its files are not those that are locked";
    assert!(listed.contains(line), "{listed}");
    for command in [
        &["read", "pdf"][..],
        &["show", "pdf"],
        &["explain", "skill", "pdf"],
        &["chat", "-p", "/pdf go"],
        &["doctor"],
    ] {
        let told = here.run(command);
        assert!(told.contains("locked"), "{command:?}: {told}");
        for untrue in ["was altered", "that were installed", "it was installed"] {
            assert!(!told.contains(untrue), "{command:?}: {told}");
        }
    }
}
