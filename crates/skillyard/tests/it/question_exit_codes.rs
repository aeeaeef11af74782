//! What a question is answered with decides how the program ends: a no is 1, and Ctrl-C is 130.

use serde_json::Value;

use crate::TestContext;
use crate::project::project;
use crate::servers::repository::Repository;
use crate::terminal::typed;

/// What says no, and what says nothing.
const ANSWERS: [(&str, i32); 4] = [("no\r", 1), ("\r", 1), ("\x03", 130), ("\x1b", 130)];

/// Answers in each way, and looks at the code and at what is said.
fn check(context: &TestContext, arguments: &[&str], question: &str) {
    for (keys, code) in ANSWERS {
        let (shown, ended) = typed(context, arguments, &[(question, keys)]);
        assert_eq!(ended, code, "{arguments:?} {keys:?}: {shown}");
        let word = if code == 1 { "you said no" } else { "stopped" };
        assert!(shown.contains(word), "{arguments:?} {keys:?}: {shown}");
    }
}

/// The reasons of what was denied, in order.
fn denied(context: &TestContext) -> Vec<String> {
    let log = context.json(&["audit", "log", "--outcome", "denied", "--json"]);
    let events = log["events"].as_array().or(log.as_array()).unwrap().iter();
    let reason = |event: &Value| event["reason"].as_str().unwrap_or_default().to_owned();
    events.map(reason).collect()
}

#[test]
fn of_what_is_changed_for_good() {
    let context = TestContext::new();
    context.skill("../home/.agents/skills/mine", "Use when asked.");
    context.write(
        "../home/.agents/skills/mine/scripts/a.sh",
        "#!/bin/sh\necho RAN\n",
    );
    let remove = ["remove", "mine", "--force", "--scope", "user"];
    check(&context, &remove, "for good?");
    assert!(context.in_home(".agents/skills/mine/SKILL.md").exists());
    let trust = ["trust", "mine", "--scripts"];
    check(&context, &trust, "Approve this");
    context.done(&["agent", "create", "one"]);
    check(&context, &["agent", "delete", "one"], "all its versions?");
    assert_eq!(context.code(&["agent", "show", "one"]), Some(0));
}

#[test]
fn of_an_installation_which_is_recorded() {
    let context = project();
    let repository = Repository::new(&context, "remote.git");
    repository.skill("pdf", "one").commit("one");
    let install = ["install", &format!("{}#pdf", repository.url())];
    check(&context, &install, "Continue installation?");
    assert!(!context.root().join(".agents").exists());
    let unwanted = "the user does not want it installed";
    let stopped = "the user stopped it at the question";
    let mut reasons = denied(&context);
    reasons.sort();
    assert_eq!(reasons, [unwanted, unwanted, stopped, stopped]);
}

#[test]
fn of_a_publication() {
    let context = TestContext::new();
    let _server = context.with_registry();
    context.write_version("lib/pdf", "pdf", "1.0.0");
    check(&context, &["publish", "lib/pdf"], "can never be replaced");
}

#[test]
fn of_a_choice_of_sessions() {
    let context = TestContext::new();
    context.done(&["chat", "-p", "hello"]);
    let (shown, code) = typed(
        &context,
        &["chat", "--resume"],
        &[("Which session?", "\x03")],
    );
    assert_eq!(code, 130, "{shown}");
}

#[test]
fn of_a_first_run_which_is_recorded() {
    let context = crate::run::skill("");
    let run = ["run", "../home/.agents/skills/tools", "words.pl"];
    for (keys, code) in [("no\r", 1), ("\x03", 130)] {
        let (shown, ended) = typed(&context, &run, &[("May it?", keys)]);
        assert_eq!(ended, code, "{keys:?}: {shown}");
    }
    let mut reasons = denied(&context);
    reasons.sort();
    assert_eq!(
        reasons,
        [
            "the user does not want it run",
            "the user stopped it at the question"
        ]
    );
}
