//! The question before a first run, as it is asked in a terminal.

use super::skill;
use crate::{TestContext, terminal};

/// Types when `skillyard run` asks; what was shown, and the code.
fn typed(context: &TestContext, keys: &str) -> (String, i32) {
    let script = ["run", "../home/.agents/skills/tools", "words.pl"];
    let arguments = [&script[..], &["--env", "TOKEN", "--", "ran"]].concat();
    terminal::typed(context, &arguments, &[("May it?", keys)])
}

#[test]
fn only_a_yes_is_a_yes() {
    let context = skill("");
    for keys in ["\r", "n\r", "no\r", "NO\r", "\x1b", "\x03"] {
        let (shown, code) = typed(&context, keys);
        assert!(code != 0 && !shown.contains("RAN"), "{keys:?}: {shown}");
    }
    // What is no answer is asked for again.
    let (shown, code) = typed(&context, "maybe\r\x03");
    assert!(code != 0 && !shown.contains("RAN"), "{shown}");
    for keys in ["y\r", "yes\r", "once\r", "always\r"] {
        let (shown, code) = typed(&context, keys);
        assert!(code == 0 && shown.contains("RAN"), "{keys:?}: {shown}");
    }
}

#[test]
fn variables_that_are_given_away_are_named() {
    let context = skill("");
    let (shown, _) = typed(&context, "n\r");
    assert!(shown.contains("variables  TOKEN"), "{shown}");
    assert!(!shown.contains("SECRET-VALUE"), "{shown}");
}

#[test]
fn what_cannot_be_shown_is_not_always_allowed() {
    let odd = skill("");
    odd.write("../home/.agents/skills/tools/scripts/a\nb", "x");
    let many = skill("");
    for at in 0..2_010 {
        many.write(&format!("../home/.agents/skills/tools/more/{at}"), "");
    }
    for (context, why) in [
        (odd, "contains a control character"),
        (many, "more than 2000 files"),
    ] {
        let (shown, code) = typed(&context, "always\r\x03");
        assert!(code != 0 && !shown.contains("RAN"), "{shown}");
        assert!(shown.contains("the answer is yes or no"), "{shown}");
        assert!(
            shown.contains("not always not all of it can be shown: ") && shown.contains(why),
            "{shown}"
        );
        let (shown, code) = typed(&context, "yes\r");
        assert!(code == 0 && shown.contains("RAN"), "{shown}");
        let file = context.folder.path().join("home/.skillyard/approvals.toml");
        assert!(!file.exists());
    }
}

#[test]
fn always_keeps_what_else_was_approved() {
    let context = skill("");
    let trust = ["trust", "tools", "--network", "api.example.com", "--yes"];
    assert_eq!(context.code(&trust), Some(0));
    let (shown, code) = typed(&context, "always\r");
    assert!(
        code == 0 && shown.contains("hosts api.example.com"),
        "{shown}"
    );
    let file = context.folder.path().join("home/.skillyard/approvals.toml");
    let approved = std::fs::read_to_string(file).unwrap();
    assert!(
        approved.contains("scripts = true") && approved.contains("api.example.com"),
        "{approved}"
    );
}
