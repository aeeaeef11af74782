//! What skills say they need besides commands.

use crate::{TestContext, output, text};

fn with_skill(metadata: &str) -> TestContext {
    let context = TestContext::new();
    let skill =
        format!("---\nname: far\ndescription: Far. Use it for far things.\n{metadata}---\nX\n");
    context.write("../home/.agents/skills/far/SKILL.md", skill);
    context
}

#[test]
fn what_is_missing_here_is_told_and_keeps_nobody_away() {
    let context = with_skill(
        "metadata: {openclaw: {os: [darwin, win32], requires: {bins: [sh], env: [FAR_TOKEN], config: [far.on]}}}\n",
    );
    let needs = context.json(&["show", "far", "--json"])["needs"].clone();
    assert_eq!(needs["commands"], serde_json::json!(["sh"]));
    assert_eq!(needs["systems"], serde_json::json!(["darwin", "win32"]));
    assert_eq!(needs["variables"], serde_json::json!(["FAR_TOKEN"]));
    assert_eq!(needs["settings"], serde_json::json!(["far.on"]));
    let system = "it is for darwin, win32, and this is linux";
    let variable = "the variable FAR_TOKEN is not set";
    assert_eq!(needs["unmet"], serde_json::json!([system, variable]));
    let list = context.json(&["list", "--json"]);
    let skills = list["skills"].as_array().unwrap();
    let far = skills.iter().find(|each| each["name"] == "far").unwrap();
    assert_eq!(far["status"], "enabled");
    assert_eq!(far["unmet"], needs["unmet"]);
    for (command, lines) in [
        (
            "list",
            [format!("needs: {system}"), format!("needs: {variable}")],
        ),
        (
            "doctor",
            [
                format!("- skill `far`: {system}"),
                format!("- skill `far`: {variable}"),
            ],
        ),
    ] {
        let told = context.run(&[command]);
        for line in lines {
            assert!(told.contains(&line), "{told}");
        }
    }
    assert!(context.run(&["list"]).contains("⚠ far"));
    // A variable that is set is not missing, and its value is nobody's business.
    let told = output(
        context
            .skillyard()
            .args(["show", "far"])
            .env("FAR_TOKEN", "tok-1"),
    );
    let told = text(&told.stdout);
    assert!(
        !told.contains(variable) && !told.contains("tok-1"),
        "{told}"
    );
}

#[test]
fn a_table_outside_of_metadata_is_read() {
    let context = with_skill("requires: {bins: [no-such-command], env: [FAR_TOKEN]}\n");
    let shown = context.json(&["show", "far", "--json"]);
    assert_eq!(shown["reason"], "missing commands: no-such-command");
    assert_eq!(
        shown["needs"]["variables"],
        serde_json::json!(["FAR_TOKEN"])
    );
}
