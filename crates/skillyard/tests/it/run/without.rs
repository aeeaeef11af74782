//! `--backend none`: what is said of it, and who may not do without a sandbox.

use serde_json::Value;

use super::any_script;
use crate::{TestContext, output, text};

/// Runs a script without a sandbox, under an organisation's file; what was printed and said, and
/// the exit code.
fn without(context: &TestContext, org: &str, more: &[&str]) -> (String, String, Option<i32>) {
    context.write("../home/org.toml", org);
    let usual = ["run", "tools", "any.sh", "--backend", "none"];
    let mut command = context.skillyard();
    command.args(usual).args(more).args(["--", "echo ran"]);
    let ran = output(command.env("SKILLYARD_ORG_CONFIG", context.in_home("org.toml")));
    (text(&ran.stdout), text(&ran.stderr), ran.status.code())
}

#[test]
fn what_the_organisation_locked_is_not_passed_over() {
    let context = any_script();
    for (org, key) in [
        ("locked = ['sandbox']\n", "sandbox.timeout"),
        ("locked = ['sandbox.memory']\n", "sandbox.memory"),
        (
            "locked = ['trust']\n[trust.own]\nscripts = 'sandboxed-offline'\n",
            "trust.own.scripts",
        ),
        ("locked = ['trust.own']\n", "trust.own.scripts"),
    ] {
        for more in [&[][..], &["--yes"], &["--explain"]] {
            let (printed, said, code) = without(&context, org, more);
            assert_eq!((&*printed, code), ("", Some(2)), "{org}: {said}");
            let expected = format!("error: `{key}` is locked by `");
            assert!(said.contains(&expected), "{org}: {said}");
            assert!(said.contains("and `--backend none` would loosen it"));
        }
    }
    // What is locked of others says nothing about the user's own skills.
    for org in ["", "locked = ['trust.git', 'scripts']\n"] {
        let (printed, said, code) = without(&context, org, &[]);
        assert_eq!((&*printed, code), ("ran\n", Some(0)), "{org}: {said}");
    }
}

#[test]
fn what_nobody_would_see_to_is_refused() {
    let context = any_script();
    let (network, programs) = (
        "it leaves the whole network open",
        "it lets every program be started",
    );
    for (org, more, reason) in [
        ("", &["--net", "a.example"][..], network),
        ("", &["--command", "ls"], programs),
        ("[sandbox]\ncommands = ['ls']\n", &[], programs),
    ] {
        let (printed, said, code) = without(&context, org, more);
        assert_eq!((&*printed, code), ("", Some(2)), "{more:?}: {said}");
        assert!(said.contains(reason), "{more:?}: {said}");
    }
    let (printed, said, _) = without(&context, "", &["--net", "full"]);
    assert_eq!(printed, "ran\n", "{said}");
}

#[test]
fn what_was_held_is_what_is_told() {
    let context = any_script();
    let (printed, said, _) = without(&context, "", &["--workspace", "."]);
    assert_eq!(printed, "ran\n", "{said}");
    let log = context.json(&["audit", "log", "--event", "skill.script_executed", "--json"]);
    let detail = &log["events"][0]["detail"];
    assert_eq!(detail["backend"], "none");
    assert_eq!(detail["network"], "full", "{detail}");
    assert_eq!(detail["commands"], "any");
    assert_eq!(detail["workspace"], "any");
    let (told, _, _) = without(&context, "", &["--workspace", ".", "--explain"]);
    let expected = "reaches      the whole network; reads and writes whatever you can\n";
    assert!(told.contains(expected), "{told}");
    assert!(!told.contains("but never"), "{told}");
    let (told, _, _) = without(&context, "", &["--workspace", ".", "--explain", "--json"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["network"]["mode"], "full");
    assert_eq!(told["protected"], serde_json::json!([]));
}
