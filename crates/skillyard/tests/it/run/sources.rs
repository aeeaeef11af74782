//! Folders that skills are read from: no script writes there, whatever they are called.

use super::{any_script, ran};
use crate::TestContext;

/// Whether a script gets to its end in a workspace.
fn works(context: &TestContext, workspace: &str, script: &str) -> bool {
    let script = format!("set -e; {script}");
    let arguments = ["tools", "any.sh", "--workspace", workspace, "--", &script];
    ran(context, &arguments).1 == Some(0)
}

const MAKES: &str = "mkdir -p skills/evil; echo x > skills/evil/SKILL.md";

#[test]
fn a_visible_folder_of_an_agent_is_kept_where_it_is_one() {
    let context = any_script();
    // People write skills in such a folder, too.
    context.write_skill("skills/mine");
    assert!(works(&context, ".", MAKES));
    std::fs::remove_dir_all(context.root().join("skills")).unwrap();
    context.write_skill("lib/pdf");
    let install = ["install", "./lib/pdf", "--agent", "openclaw"];
    context.done(&[&install[..], &["--scope", "project", "--yes"]].concat());
    assert!(context.read("skills/pdf/SKILL.md").contains("pdf"));
    assert!(!works(&context, ".", MAKES));
    assert!(!works(&context, ".", "echo x >> skills/pdf/SKILL.md"));
    assert!(!works(&context, ".", "mv skills other"));
    assert!(works(&context, ".", "echo x > lib/other"));
}

#[test]
fn one_that_a_script_creates_is_reported() {
    let context = any_script();
    context.mkdir("../home/.openclaw");
    assert_eq!(made(&context, MAKES), serde_json::json!(["skills"]));
}

/// What `run` reports that a script made.
fn made(context: &TestContext, script: &str) -> serde_json::Value {
    let run = ["run", "tools", "any.sh", "--workspace", ".", "--json"];
    let told = context.json(&[&run[..], &["--", script]].concat());
    told["made"].clone()
}

#[test]
fn folders_of_the_configuration_are_kept() {
    let context = any_script();
    context.write_skill("lib/pdf").mkdir("deep");
    let folders = ["lib", "new", "deep/down"].map(|each| context.root().join(each));
    let folders = folders.map(|each| format!("{:?}", each.display().to_string()));
    let config = format!("[discovery]\ndirectories = [{}]\n", folders.join(", "));
    context.write("../home/.skillyard/config.toml", config);
    for script in [
        "mkdir lib/evil",
        "echo x >> lib/pdf/SKILL.md",
        "mv lib away",
    ] {
        assert!(!works(&context, ".", script), "{script}");
    }
    assert!(works(&context, ".", "echo x > deep/file; mkdir other"));
    // Those that do not exist can be created, which is reported.
    let new = made(&context, "mkdir -p new/evil deep/down/evil");
    assert_eq!(new, serde_json::json!(["deep/down", "new"]));
    assert!(!works(&context, ".", "mkdir new/other"));
    std::fs::remove_dir_all(context.root().join("deep")).unwrap();
    let new = made(&context, "mkdir -p deep/down/evil");
    assert_eq!(new, serde_json::json!(["deep/down"]));
}

#[test]
fn nobody_works_among_skills_or_settings() {
    let context = any_script();
    let skills = "../home/.agents/skills";
    context
        .mkdir("../home/.agents/skills/group")
        .mkdir("../home/.claude/hooks")
        .mkdir(".agents/skills")
        .mkdir("../home/.claude/worktrees/x/src");
    for (workspace, why) in [
        (skills, "skills are read from it"),
        ("../home/.agents/skills/group", "skills are read from it"),
        (".agents/skills", "skills are read from it"),
        ("../home/.claude", "it belongs to `.claude`"),
        ("../home/.claude/hooks", "it belongs to `.claude`"),
        (".agents", "it belongs to `.agents`"),
    ] {
        let arguments = ["tools", "any.sh", "--workspace", workspace, "--", "true"];
        let (printed, code) = ran(&context, &arguments);
        assert_eq!(code, Some(2), "{workspace}: {printed}");
        assert!(printed.contains(why), "{workspace}: {printed}");
    }
    let reads = ["tools", "any.sh", "--workspace", skills, "--read-only"];
    let (printed, code) = ran(&context, &[&reads[..], &["--", "ls"]].concat());
    assert_eq!(code, Some(0), "{printed}");
    // A skill's own folder is its author's to work in, and so is a working tree.
    assert!(works(
        &context,
        "../home/.agents/skills/tools",
        "echo x > f"
    ));
    assert!(works(
        &context,
        "../home/.claude/worktrees/x/src",
        "echo x > f"
    ));
}

#[test]
fn no_tool_of_a_chat_writes_there() {
    let context = any_script();
    context.write_skill("lib/pdf");
    let folder = context.root().join("lib");
    let config = format!(
        "[discovery]\ndirectories = [{:?}]\n",
        folder.display().to_string()
    );
    context.write("../home/.skillyard/config.toml", config);
    let write = serde_json::json!({ "path": "lib/pdf/SKILL.md", "content": "evil" });
    let call = crate::scripted_model::call("c1", "Write", &write);
    let (url, asked) = crate::scripted_model::model(vec![
        serde_json::json!({ "tool_calls": [call] }),
        serde_json::json!({ "content": "Done." }),
    ]);
    context.done(&["config", "set", "models.mock.url", &url]);
    let chat = ["chat", "--model", "mock/m", "--tool-mode", "native"];
    context.done(&[&chat[..], &["--yes", "-p", "Write."]].concat());
    let told = asked.lock().unwrap().last().unwrap().to_string();
    assert!(told.contains("so no model changes it"), "{told}");
    assert!(!context.read("lib/pdf/SKILL.md").contains("evil"));
}
