//! The questions of `skillyard chat`, as they are asked in a terminal.

use crate::TestContext;
use crate::chat::conformance;
use crate::terminal::typed;

/// Has a script wanted and types when that is asked about; what was shown.
fn asked(context: &TestContext, keys: &str) -> String {
    let prompt = "/skills-system-validation run scripts/echo.sh";
    typed(context, &["chat", "-p", prompt], &[("Allow it?", keys)]).0
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
