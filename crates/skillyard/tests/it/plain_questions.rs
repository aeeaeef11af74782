//! Questions where no styles are wanted, or the terminal has none, are lines of text.

use crate::TestContext;
use crate::project::project;
use crate::servers::repository::Repository;
use crate::terminal::typed_with;

/// What asks for plain lines: a variable, and flags.
const WAYS: [((&str, &str), &[&str]); 3] = [
    (("TERM", "dumb"), &[]),
    (("NO_COLOR", "1"), &[]),
    (("TERM", "xterm"), &["--color", "never"]),
];

/// Answers in each of the ways; the code is this one, and nothing but text was written.
fn check(context: &TestContext, arguments: &[&str], answers: &[(&str, &str)], code: i32) -> String {
    let mut last = String::new();
    for (variable, flags) in WAYS {
        let variables = [("TERM", "xterm"), variable];
        let arguments = [arguments, flags].concat();
        let (shown, ended) = typed_with(context, &variables, &arguments, answers);
        assert_eq!(ended, code, "{variable:?} {arguments:?}: {shown}");
        assert!(!shown.contains('\x1b'), "{variable:?}: {shown:?}");
        last = shown;
    }
    last
}

#[test]
fn are_answered_with_a_word() {
    let context = TestContext::new();
    context.skill("../home/.agents/skills/mine", "Use when asked.");
    let remove = ["remove", "mine", "--force", "--scope", "user"];
    let asked = "for good? (yes or no) [no]: ";
    for (keys, code, said) in [
        ("no\r", 1, "you said no"),
        ("\r", 1, "you said no"),
        ("\x03", 130, "stopped"),
        ("ye\x03", 130, "stopped"),
        ("\x04", 130, "stopped"),
        ("ye\x04", 130, "stopped"),
    ] {
        let shown = check(&context, &remove, &[(asked, keys)], code);
        assert!(shown.contains(said), "{keys:?}: {shown}");
    }
    assert!(context.in_home(".agents/skills/mine/SKILL.md").exists());
    // What is no answer is asked for again.
    let answers = [(asked, "maybe\r"), (asked, "n\r")];
    let shown = check(&context, &remove, &answers, 1);
    assert!(shown.contains("the answer is yes or no"), "{shown}");
    let dumb = [("TERM", "dumb")];
    let (shown, code) = typed_with(&context, &dumb, &remove, &[(asked, "yes\r")]);
    assert_eq!(code, 0, "{shown}");
    assert!(!context.in_home(".agents/skills/mine").exists());
}

#[test]
fn are_answered_with_numbers() {
    let context = project();
    let repository = Repository::new(&context, "remote.git");
    repository.skill("csv", "one").skill("pdf", "one");
    repository.skill("xml", "one").commit("one");
    let url = repository.url();
    let asked = "(their numbers, or `all`): ";
    let answers = [(asked, "4\r"), (asked, "1, 3\r"), ("Continue", "no\r")];
    let shown = check(&context, &["install", &url], &answers, 1);
    assert!(shown.contains("   2  pdf  "), "{shown}");
    assert!(
        shown.contains("`csv`, `xml`") || !shown.contains("`pdf`"),
        "{shown}"
    );
    context.done(&["chat", "-p", "hello"]);
    let answers = [("(its number): ", "\x03")];
    check(&context, &["chat", "--resume"], &answers, 130);
}

#[test]
fn are_answered_with_a_text() {
    let context = TestContext::new();
    let asked = "Use when a task involves PDF files.";
    let dumb = [("TERM", "dumb")];
    let answers = [(asked, "\r"), (asked, "Merges tables. Use when asked.\r")];
    let (shown, code) = typed_with(&context, &dumb, &["new", "tables"], &answers);
    assert_eq!(code, 0, "{shown}");
    assert!(!shown.contains('\x1b'), "{shown:?}");
    let text = context.read("tables/SKILL.md");
    assert!(text.contains("Merges tables. Use when asked."), "{text}");
}
