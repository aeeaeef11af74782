//! Questions and the signals that end programs: they leave a question as Ctrl-C does.

use crate::TestContext;
use crate::project::project;
use crate::servers::repository::skill;
use crate::terminal::typed_with;

const TERMINALS: [&str; 2] = ["xterm", "dumb"];

/// Sends a signal at a question, which leaves the terminal as it was.
fn left(context: &TestContext, arguments: &[&str], question: &str, signal: &str) {
    for terminal in TERMINALS {
        let variables = [("TERM", terminal)];
        let (shown, code) = typed_with(context, &variables, arguments, &[(question, signal)]);
        assert_eq!(code, 130, "{terminal} {signal}: {shown}");
        assert!(
            shown.contains("stopped, and nothing was changed"),
            "{shown}"
        );
        assert!(shown.contains("[ECHO]"), "{terminal} {signal}: {shown}");
    }
}

#[test]
fn a_word_is_not_waited_for() {
    let context = TestContext::new();
    context.skill("../home/.agents/skills/mine", "Use when asked.");
    let remove = ["remove", "mine", "--force", "--scope", "user"];
    for signal in ["SIGNAL:INT", "SIGNAL:TERM", "SIGNAL:HUP", "SIGNAL:QUIT"] {
        left(&context, &remove, "for good?", signal);
    }
    assert!(context.in_home(".agents/skills/mine/SKILL.md").exists());
}

#[test]
fn a_secret_is_not_waited_for() {
    let context = TestContext::new();
    let generate = ["key", "generate", "mine", "--passphrase"];
    left(&context, &generate, "New passphrase", "SIGNAL:TERM");
    assert!(!context.in_home(".skillyard/keys/mine.key").exists());
}

#[test]
fn a_text_and_a_choice_are_not_waited_for() {
    let context = project();
    left(&context, &["new", "mine"], "should an agent", "SIGNAL:TERM");
    assert!(!context.root().join("mine").exists());
    for name in ["csv", "pdf"] {
        context.write(&format!("lib/{name}/SKILL.md"), skill(name, "1.0.0"));
    }
    left(&context, &["install", "./lib"], "Which", "SIGNAL:INT");
    assert!(!context.root().join(".agents").exists());
}

#[test]
fn what_runs_after_a_question_hears_them_as_ever() {
    let context = project();
    context.write("lib/pdf/SKILL.md", skill("pdf", "1.0.0"));
    context.write("lib/pdf/scripts/wait.sh", "echo began; sleep 300\n");
    context.done(&["install", "./lib/pdf", "--scope", "user", "--yes"]);
    let answers = [("May it?", "once\r"), ("began", "SIGNAL:INT")];
    let run = ["run", "pdf", "wait.sh"];
    let (shown, code) = typed_with(&context, &[("TERM", "dumb")], &run, &answers);
    assert_eq!(code, 130, "{shown}");
    let log = context.stdout(&["audit", "log"]);
    assert!(log.contains("it was cancelled"), "{log}");
    left(&context, &run, "May it?", "SIGNAL:TERM");
    let log = context.stdout(&["audit", "log"]);
    assert!(log.contains("the user stopped it at the question"), "{log}");
}
