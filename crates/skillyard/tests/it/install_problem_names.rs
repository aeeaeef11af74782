//! Names that make trouble with other agents or on other disks: they are told of.

use crate::TestContext;
use crate::project::project;

fn described(context: &TestContext, folder: &str, name: &str) {
    let text = format!("---\nname: {name}\ndescription: Writes ads. Use when asked.\n---\nDo.\n");
    context.write(&format!("{folder}/SKILL.md"), text);
}

#[test]
fn a_space_in_a_name_is_told_with_a_name_that_has_none() {
    let context = project();
    described(&context, "lib/ad-copywriter", "Ad Copywriter");
    context.mkdir(".claude");
    let told = context.done(&["install", "./lib/ad-copywriter", "--yes"]);
    let warning =
        "warning: there is a space in `Ad Copywriter`: Claude Code has no command for that";
    assert!(told.contains(warning), "{told}");
    assert!(told.contains("--name ad-copywriter"), "{told}");
    let told = context.tell(&["doctor", "--agent", "claude-code"]);
    let warning = "Claude Code has no command for `Ad Copywriter`";
    assert!(told.contains(warning), "{told}");
    // What was installed so stays so.
    context.done(&["sync", "--check"]);
    context.done(&["update", "--yes"]);
    context.done(&["remove", "Ad Copywriter", "--yes"]);
    let arguments = [
        "install",
        "./lib/ad-copywriter",
        "--name",
        "ad-copywriter",
        "--yes",
    ];
    let told = context.done(&arguments);
    assert!(!told.contains("space"), "{told}");
    assert!(
        context
            .root()
            .join(".claude/skills/ad-copywriter/SKILL.md")
            .is_file()
    );
    let told = context.tell(&["doctor", "--agent", "claude-code"]);
    assert!(!told.contains("no command"), "{told}");
}

#[test]
fn a_name_that_windows_cannot_write_is_told() {
    let context = project();
    described(&context, "lib/review", "dyad:review");
    described(&context, "lib/con", "con");
    described(&context, "lib/plain", "plain");
    let told = context.done(&["install", "./lib/review", "--yes"]);
    let warning = "warning: no folder on Windows can be called `dyad:review`";
    assert!(told.contains(warning), "{told}");
    let hint = "`skillyard remove dyad:review`, and `skillyard install REF --name dyad-review`";
    assert!(told.contains(hint), "{told}");
    let told = context.done(&["install", "./lib/con", "--yes"]);
    assert!(told.contains("can be called `con`"), "{told}");
    assert!(told.contains("--name NAME"), "{told}");
    let told = context.done(&["install", "./lib/plain", "--yes"]);
    assert!(!told.contains("Windows"), "{told}");
}
