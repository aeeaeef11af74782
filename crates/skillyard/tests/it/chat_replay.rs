//! Sessions that are made again after their skills were updated or removed.

use serde_json::Value;

use crate::TestContext;
use crate::project::project;

/// A project that has installed a skill, and a session that used it.
fn session() -> (TestContext, String) {
    let context = project();
    let skill = |word: &str| {
        format!("---\nname: pdf\ndescription: Fills {word} forms. Use for forms.\n---\n\n{word}\n")
    };
    context
        .write("lib/pdf/SKILL.md", skill("FIRST"))
        .write("lib/pdf/references/x.md", "X\n");
    context.done(&["trust", "."]);
    context.done(&["install", "./lib/pdf"]);
    let prompt = "/pdf read references/x.md";
    let said = context.json(&["chat", "-p", prompt, "--json"]);
    assert!(said["answer"].as_str().unwrap().contains("FIRST"), "{said}");
    context.write("lib/pdf/SKILL.md", skill("SECOND"));
    let id = said["session"].as_str().unwrap().to_owned();
    (context, id)
}

fn replayed(context: &TestContext, id: &str) -> Value {
    let output = crate::output(context.skillyard().args(["audit", "replay", id, "--json"]));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn what_was_installed_comes_from_the_store() {
    let (context, id) = session();
    assert_eq!(replayed(&context, &id)["same"], true);
    context.done(&["update", "pdf"]);
    assert!(
        context
            .read(".agents/skills/pdf/SKILL.md")
            .contains("SECOND")
    );
    let updated = replayed(&context, &id);
    assert_eq!(updated["same"], true, "{updated}");
    context.done(&["remove", "pdf", "--yes"]);
    let removed = replayed(&context, &id);
    assert_eq!(removed["same"], true, "{removed}");
    // What the session needs is collected only when it is deleted.
    context.done(&["store", "gc"]);
    assert_eq!(replayed(&context, &id)["same"], true);
    let kept = context.json(&["store", "gc", "--json"])["kept"].clone();
    assert_eq!(kept, 1);
    context.done(&["chat", "--delete", &id]);
    assert_eq!(context.json(&["store", "gc", "--json"])["kept"], 0);
}

#[test]
fn a_skill_that_was_altered_then_is_altered_in_the_replay() {
    let (context, _) = session();
    context
        .write("../home/.agents/skills/own/SKILL.md", OWN)
        .write(".agents/skills/pdf/references/x.md", "not installed\n");
    let said = context.json(&["chat", "-p", "/own", "--json"]);
    let id = said["session"].as_str().unwrap();
    let refused = context.json(&["chat", "-p", "/pdf", "--resume", id, "--json"]);
    assert!(refused["error"].is_object(), "{refused}");
    context.json(&["chat", "-p", "/own", "--resume", id, "--json"]);
    let now = replayed(&context, id);
    assert_eq!(now["same"], true, "{now}");
    context.done(&["sync", "--force"]);
    let mended = replayed(&context, id);
    assert_eq!(mended["same"], true, "{mended}");
}

const OWN: &str = "---\nname: own\ndescription: Does it. Use when asked.\n---\nRun scripts/x.sh\n";

#[test]
fn a_session_with_a_script_is_made_again() {
    let context = project();
    context.write("../home/.agents/skills/own/scripts/x.sh", "echo hi\n");
    context.write("../home/.agents/skills/own/SKILL.md", OWN);
    let said = context.json(&["chat", "-p", "/own run scripts/x.sh", "--json"]);
    let again = replayed(&context, said["session"].as_str().unwrap());
    assert_eq!(again["same"], true, "{again}");
    assert_eq!(again["compared"]["recorded"], 1, "{again}");
}

#[test]
fn a_log_that_was_changed_is_no_proof() {
    let (context, id) = session();
    assert_eq!(replayed(&context, &id)["intact"], true);
    let log = "../home/.skillyard/logs/audit.jsonl";
    let whole = context.read(log);
    context.write(log, whole.replacen("skill.installed", "skill.removed", 1));
    let again = replayed(&context, &id);
    assert_eq!(again["same"], true, "{again}");
    assert_eq!(again["intact"], false, "{again}");
    assert_eq!(again["fault"]["kind"], "changed", "{again}");
    assert_eq!(context.code(&["audit", "replay", &id]), Some(1));
    let told = context.stdout(&["audit", "replay", &id]);
    let fault = "✗ the log that it was compared with does not verify: audit.jsonl:";
    assert!(told.contains(fault), "{told}");
}

#[test]
fn a_skill_that_cannot_be_had_is_named() {
    let (context, id) = session();
    context.done(&["remove", "pdf", "--yes"]);
    std::fs::remove_dir_all(context.in_home(".skillyard/store")).unwrap();
    let gone = replayed(&context, &id);
    let told = gone["divergence"].as_str().unwrap();
    assert!(told.contains("`pdf` cannot be had any more"), "{told}");
}
