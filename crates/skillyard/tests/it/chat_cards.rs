//! What `skillyard chat` shows of what a model did, and what it refuses before anybody is asked.

use serde_json::{Value, json};

use crate::chat::conformance;
use crate::scripted_model::{call, model};
use crate::{TestContext, output, text};

/// What a turn showed on stdout and stderr, with a model that gives these answers.
fn shown(context: &TestContext, settings: &[&str], answers: Vec<Value>) -> (String, String) {
    let (url, _) = model(answers);
    let mut command = context.skillyard();
    command.args(["--config", &format!("models.test.url={url}")]);
    for setting in settings {
        command.args(["--config", setting]);
    }
    command.args(["chat", "--model", "test/m", "--yes", "-p", "go"]);
    let told = output(&mut command);
    assert!(told.status.success(), "{}", text(&told.stderr));
    (text(&told.stdout), text(&told.stderr))
}

/// What a turn showed in which the model makes a call.
fn called(context: &TestContext, tool: &str, arguments: &Value) -> String {
    let call = json!({ "content": "", "tool_calls": [call("a", tool, arguments)] });
    let answers = vec![call, json!({ "content": "Done." })];
    shown(context, &["models.test.tool_mode=native"], answers).1
}

#[test]
fn a_command_that_fails_is_not_said_to_be_done() {
    let context = TestContext::new();
    let told = called(&context, "Bash", &json!({ "command": "exit 3" }));
    assert!(told.contains("✗ failed"), "{told}");
    let log = context.json(&["audit", "log", "--event", "skill.tool_allowed", "--json"]);
    let event = log["events"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(
        (&event["outcome"], &event["detail"]["exit"]),
        (&json!("failed"), &json!("3"))
    );
    let told = called(&context, "Bash", &json!({ "command": "true" }));
    assert!(told.contains("✓"), "{told}");
}

#[test]
fn what_no_model_may_change_is_refused_before_anybody_is_asked() {
    let context = TestContext::new();
    context.mkdir("sub");
    // Hooks among the sources: one that is there, and one that is not built yet.
    context.write(".git/HEAD", "ref: refs/heads/main\n");
    context.write("scripts/pre-commit.sh", "true\n");
    context.mkdir(".git/hooks");
    context.link("../../scripts/pre-commit.sh", ".git/hooks/pre-commit");
    context.link("../../build/hook", ".git/hooks/pre-push");
    for path in [
        "scripts/pre-commit.sh",
        ".//scripts/pre-commit.sh",
        "build/hook",
        "CLAUDE.md",
        "./.git/hooks/pre-commit",
        "sub/.claude/settings.json",
        "sub/.mcp.json",
        "sub/.git",
        "new/deep/AGENTS.md",
        "crush.json",
        "sub/.crush.json",
        ".vscode/tasks.json",
        "mise.toml",
        "sub/.cargo/config.toml",
        "sub/all.code-workspace",
    ] {
        let told = called(&context, "Write", &json!({ "path": path, "content": "x" }));
        assert!(told.contains("decides what other programs do"), "{told}");
    }
    let asked = context.json(&["audit", "log", "--event", "approval.requested", "--json"]);
    assert!(asked["events"].as_array().unwrap().is_empty(), "{asked}");
    let told = called(
        &context,
        "Write",
        &json!({ "path": "sub/x.md", "content": "x" }),
    );
    assert!(told.contains("✓"), "{told}");
    assert_eq!(context.read("sub/x.md"), "x");
}

/// Git takes a folder with three entries for a repository, whose configuration names programs.
#[test]
fn no_model_makes_a_repository_of_a_folder() {
    let context = TestContext::new();
    let write = |path: &str| {
        let arguments = json!({ "path": path, "content": "ref: refs/heads/main\n" });
        called(&context, "Write", &arguments)
    };
    for [first, second, last] in [
        ["a/objects/x", "a/refs/x", "a/HEAD"],
        ["b/HEAD", "b/refs/deep/x", "b/objects/x"],
        ["c/HEAD", "c/objects/x", "c/refs/heads/x"],
        ["d/config", "d/HEAD", "d/commondir"],
        ["objects/x", "HEAD", "refs/x"],
    ] {
        for path in [first, second] {
            assert!(write(path).contains("✓"), "{path}");
        }
        let told = write(last);
        assert!(told.contains("decides what other programs do"), "{told}");
        assert!(!context.root().join(last).exists(), "{last}");
    }
    assert!(write("a/refs/y").contains("✓"));
}

#[test]
fn what_a_command_made_that_others_obey_is_told_to_the_person() {
    let context = TestContext::new();
    let command = "mkdir -p sub/objects sub/refs q; echo 'ref: refs/heads/main' > sub/HEAD; echo x > q/CLAUDE.md";
    let told = called(&context, "Bash", &json!({ "command": command }));
    let note =
        "`Bash` made `q/CLAUDE.md`, `sub`: look at it before you let git or an agent work there";
    assert!(told.contains(note), "{told}");
}

#[test]
fn what_may_not_be_read_is_found_by_no_search() {
    let context = TestContext::new();
    context.write("docs/d", "PASSWORD of d\n");
    context.write("secret/a", "PASSWORD of a\n");
    let settings = [
        "models.test.tool_mode=native",
        "tools.deny=[\"Read(secret/**)\"]",
    ];
    for arguments in [
        json!({ "pattern": "PASSWORD" }),
        json!({ "pattern": "PASSWORD", "glob": "secret/**" }),
    ] {
        let (url, requests) = model(vec![
            json!({ "content": "", "tool_calls": [call("a", "Grep", &arguments)] }),
            json!({ "content": "Done." }),
        ]);
        let mut command = context.skillyard();
        command.args(["--config", &format!("models.test.url={url}")]);
        for setting in settings {
            command.args(["--config", setting]);
        }
        let told = output(command.args(["chat", "--model", "test/m", "-p", "go"]));
        assert!(told.status.success(), "{}", text(&told.stderr));
        let last = requests.lock().unwrap().last().unwrap().to_string();
        assert!(!last.contains("PASSWORD of a"), "{last}");
        assert!(
            last.contains("[1 file may not be read and was left out]"),
            "{last}"
        );
    }
}

#[test]
fn calls_in_text_are_cards_and_no_words() {
    let context = TestContext::new();
    context.write("notes.md", "x\n");
    let call =
        "I look.\n<tool_call>{\"name\":\"Glob\",\"arguments\":{\"pattern\":\"*\"}}</tool_call>";
    let answers = vec![
        json!({ "content": call }),
        json!({ "content": "There is one." }),
    ];
    let (words, cards) = shown(&context, &["models.test.tool_mode=text"], answers);
    assert!(
        words.contains("I look.") && words.contains("There is one."),
        "{words}"
    );
    assert!(!words.contains("tool_call"), "{words}");
    assert!(cards.contains("Glob"), "{cards}");
}

#[test]
fn a_session_that_goes_on_elsewhere_says_where_it_works() {
    let context = conformance();
    context.done(&["chat", "-p", "/skills-system-validation"]);
    let resume = ["chat", "--resume", "last", "-p", "hello"];
    let note = "where it began";
    assert!(!context.done(&resume).contains(note));
    context.write("below/x", "");
    let below = context.root().join("below");
    let told = output(context.skillyard().args(resume).current_dir(&below));
    let told = text(&told.stderr);
    assert!(
        told.contains(note) && told.contains("--workspace ."),
        "{told}"
    );
    let here = output(
        context
            .skillyard()
            .args(resume)
            .args(["--workspace", "."])
            .current_dir(&below),
    );
    assert!(!text(&here.stderr).contains(note));
}

#[test]
fn offline_says_only_what_is_so() {
    let context = conformance();
    let said = |prompt: &str| {
        let answer = context.json(&["chat", "-p", prompt, "--json"]);
        answer["answer"].as_str().unwrap().to_owned()
    };
    for prompt in ["/", "/etc/passwd", "tell me a joke", "hello"] {
        let words = said(prompt);
        assert!(words.contains("No skill here fits"), "{prompt}: {words}");
    }
    assert!(said("validate the skills system").contains("BODY_v1"));
}
