//! The questions of `skillyard chat`, as they are asked in a terminal.

use std::fs;

use serde_json::json;

use crate::chat::conformance;
use crate::scripted_model::{call, model_that};
use crate::terminal::{typed, typed_with};
use crate::{TestContext, output, text};

const PROMPT: &str = "/skills-system-validation run scripts/echo.sh";
/// The last session goes on, and nobody can be asked.
const AGAIN: [&str; 5] = ["chat", "--resume", "last", "-p", PROMPT];

/// Has a script wanted and types when that is asked about; what was shown.
fn asked(context: &TestContext, keys: &str) -> String {
    typed(context, &["chat", "-p", PROMPT], &[("Allow it?", keys)]).0
}

#[test]
fn only_a_word_for_yes_is_a_yes() {
    let context = conformance();
    for keys in [
        "\r",
        "n\r",
        "NO\r",
        "no thanks\r\r",
        "nah\r\r",
        "ok\rno\r",
        "hjkl\r\r",
        "\x03",
    ] {
        let shown = asked(&context, keys);
        assert!(!shown.contains("SCRIPT_OK"), "{keys:?}: {shown}");
    }
    let granted = ["audit", "log", "--event", "approval.granted", "--json"];
    let log = context.json(&granted);
    // That the project is trusted was all that anybody granted.
    assert_eq!(log["events"].as_array().unwrap().len(), 1, "{log}");
    let shown = asked(&context, "ok\r\r");
    let offered = "the answer is once, session, always or no";
    assert!(shown.contains(offered), "{shown}");
    for (keys, scope) in [
        ("once\r", "once"),
        ("y\r", "once"),
        ("sess\r", "session"),
        ("always\r", "digest"),
    ] {
        let shown = asked(&context, keys);
        assert!(shown.contains("SCRIPT_OK"), "{keys:?}: {shown}");
        let log = context.json(&granted);
        let last = log["events"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(last["detail"]["scope"], scope, "{keys:?}");
    }
    // What is always allowed is not asked about any more.
    let shown = asked(&context, "never typed");
    assert!(shown.contains("SCRIPT_OK") && !shown.contains("Allow it?"));
}

#[test]
fn what_cannot_be_shown_is_not_always_allowed() {
    let context = conformance();
    context.write(".skills/skills-system-validation/scripts/a\nb", "x");
    let shown = asked(&context, "always\rsession\r");
    assert!(
        shown.contains("the answer is once, session or no"),
        "{shown}"
    );
    assert!(
        shown.contains("there is no `always`: not all of it can be shown: "),
        "{shown}"
    );
    assert!(shown.contains("SCRIPT_OK"), "{shown}");
    let approvals = fs::read_to_string(context.in_home(".skillyard/approvals.toml"));
    assert!(!approvals.unwrap().contains("[[skill]]"));
}

#[test]
fn what_was_allowed_in_a_session_can_be_taken_back() {
    for answer in ["session\r", "always\r"] {
        let context = conformance();
        let shown = asked(&context, answer);
        assert!(shown.contains("SCRIPT_OK"), "{answer:?}: {shown}");
        let again = context.tell(&AGAIN);
        assert!(again.contains("SCRIPT_OK"), "{answer:?}: {again}");
        let told = context.tell(&["trust", "revoke", "skills-system-validation"]);
        assert!(told.contains("allowed for sessions is asked"), "{told}");
        let again = context.tell(&AGAIN);
        assert!(!again.contains("SCRIPT_OK"), "{answer:?}: {again}");
        // What is allowed after that counts.
        let shown = typed(&context, &AGAIN, &[("Allow it?", "session\r")]).0;
        assert!(shown.contains("SCRIPT_OK"), "{answer:?}: {shown}");
        let again = context.tell(&AGAIN);
        assert!(again.contains("SCRIPT_OK"), "{answer:?}: {again}");
    }
}

#[test]
fn what_somebody_else_allowed_in_a_session_does_not_count() {
    let context = conformance();
    let shown = asked(&context, "session\r");
    assert!(shown.contains("SCRIPT_OK"), "{shown}");
    // Another user of the same sessions, who has allowed something of their own.
    let (own, other) = (context.in_home(".skillyard"), context.in_home("other"));
    fs::create_dir(&other).unwrap();
    let tell = |arguments: &[&str]| {
        let mut command = context.skillyard();
        let told = output(command.env("SKILLYARD_HOME", &other).args(arguments));
        text(&told.stdout) + &text(&told.stderr)
    };
    tell(&["trust", "."]);
    fs::write(other.join("grants.key"), "a".repeat(64)).unwrap();
    for entry in fs::read_dir(&own).unwrap() {
        let name = entry.unwrap().file_name();
        if name.to_string_lossy().starts_with("sessions.db") {
            fs::copy(own.join(&name), other.join(&name)).unwrap();
        }
    }
    let again = tell(&AGAIN);
    assert!(again.contains("nobody could be asked"), "{again}");
    assert!(!again.contains("SCRIPT_OK"), "{again}");
    assert!(context.tell(&AGAIN).contains("SCRIPT_OK"));
}

/// What a model is told of a command that was allowed for the session and is called again, with what
/// stands in the user's configuration by then.
fn denied_meanwhile(written: &'static str) -> String {
    let context = TestContext::new();
    let command = json!({ "command": "echo RAN >> ran; cat ran" });
    let answers = vec![
        json!({ "tool_calls": [call("a", "Bash", &command)] }),
        json!({ "tool_calls": [call("b", "Bash", &command)] }),
        json!({ "content": "Done." }),
    ];
    context.write("../home/.skillyard/config.toml", "");
    let file = context.in_home(".skillyard/config.toml");
    let (url, asked) = model_that(answers, move |left| {
        if left == 1 {
            fs::write(&file, written).unwrap();
        }
    });
    let url = format!("models.test.url={url}");
    let flags = ["--config", &url, "--config", "models.test.tool_mode=native"];
    let words = ["chat", "--model", "test/m", "-p", "go"];
    let arguments = [&flags[..], &words].concat();
    let (shown, code) = typed(&context, &arguments, &[("Allow it?", "session\r")]);
    assert_eq!(code, 0, "{shown}");
    context.write("../home/.skillyard/config.toml", "");
    let log = ["audit", "log", "--event", "approval.requested", "--json"];
    let log = context.json(&log);
    assert_eq!(log["events"].as_array().unwrap().len(), 1, "{log}");
    let asked = asked.lock().unwrap();
    let messages = asked.last().unwrap()["messages"].as_array().unwrap();
    let result = messages.iter().find(|each| each["tool_call_id"] == "b");
    let ran = context.read("ran").matches("RAN").count();
    format!("{ran} {}", result.unwrap()["content"])
}

#[test]
fn what_is_denied_meanwhile_is_not_allowed_for_the_session() {
    let told = denied_meanwhile("# nothing\n");
    assert!(told.starts_with("2 "), "{told}");
    let told = denied_meanwhile("[tools]\ndeny = [\"Bash\"]\n");
    assert!(told.starts_with("1 ") && told.contains("Denied"), "{told}");
    assert!(told.contains("policy"), "{told}");
    // Nobody knows what is denied in a file that cannot be read.
    let told = denied_meanwhile("[tools\n");
    assert!(
        told.starts_with("1 ") && told.contains("cannot be read"),
        "{told}"
    );
}

#[test]
fn a_question_and_the_log_have_the_whole_command_whatever_it_looks_like() {
    let context = TestContext::new();
    for (command, file) in [
        ("ls https://docs;touch${IFS}pwned0;:@example.com", "pwned0"),
        ("echo --token \"a$(touch pwned1)\"", "pwned1"),
        ("echo --token=b;touch${IFS}pwned2", "pwned2"),
    ] {
        let (url, _) = model_that(
            vec![
                json!({ "tool_calls": [call("a", "Bash", &json!({ "command": command }))] }),
                json!({ "content": "Done." }),
            ],
            |_| {},
        );
        let url = format!("models.test.url={url}");
        let flags = ["--config", &url, "--config", "models.test.tool_mode=native"];
        let words = ["chat", "--model", "test/m", "-p", "go"];
        let arguments = [&flags[..], &words].concat();
        let wide = [("TERM", "xterm"), ("COLUMNS", "140")];
        let (shown, _) = typed_with(&context, &wide, &arguments, &[("Allow it?", "once\r")]);
        let asked = format!("The model wants to run `{command}`");
        assert!(shown.contains(&asked), "{shown}");
        assert!(context.root().join(file).exists(), "{shown}");
        let log = context.json(&["audit", "log", "--event", "approval.granted", "--json"]);
        let last = log["events"]
            .as_array()
            .unwrap()
            .last()
            .unwrap()
            .to_string();
        assert!(last.contains(file), "{last}");
    }
}

#[test]
fn a_long_change_shows_its_end_and_all_of_it_on_request() {
    let context = TestContext::new();
    let lines: Vec<String> = (0..300).map(|at| format!("line {at}\n")).collect();
    let write = json!({ "path": "x.py", "content": lines.concat() });
    let answers = vec![
        json!({ "tool_calls": [call("a", "Write", &write)] }),
        json!({ "content": "Done." }),
    ];
    let (url, _) = model_that(answers, |_| {});
    let url = format!("models.test.url={url}");
    let flags = ["--config", &url, "--config", "models.test.tool_mode=native"];
    let words = ["chat", "--model", "test/m", "-p", "go"];
    let arguments = [&flags[..], &words].concat();
    // The question is drawn anew with every key, until the change was shown.
    let keys = [
        ("Allow it?", "view\r"),
        ("+line 150", ""),
        ("Allow it?", "no\r"),
    ];
    let (shown, _) = typed(&context, &arguments, &keys);
    let (asked, viewed) = shown.split_once("Allow it?").unwrap();
    assert!(
        asked.contains("+line 0") && asked.contains("+line 299"),
        "{shown}"
    );
    assert!(asked.contains("changed lines are left out here"), "{shown}");
    assert!(
        !asked.contains("+line 150") && viewed.contains("+line 150"),
        "{shown}"
    );
    assert!(!context.root().join("x.py").exists());
}
