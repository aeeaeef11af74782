//! Sessions that are made again after their skills were updated or removed.

use serde_json::{Value, json};

use crate::TestContext;
use crate::project::project;
use crate::scripted_model::{call, model};

fn skill(word: &str) -> String {
    format!("---\nname: pdf\ndescription: Fills {word} forms. Use for forms.\n---\n\n{word}\n")
}

/// A project that has installed a skill, and a session that used it.
fn session() -> (TestContext, String) {
    let context = project();
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
fn each_edition_of_one_session_is_made_again_as_it_was() {
    let (context, id) = session();
    let ask = ["chat", "-p", "/pdf read references/x.md", "--resume", &id];
    let ask = [&ask[..], &["--json"]].concat();
    for word in ["SECOND", "THIRD", "FIRST"] {
        context
            .write("lib/pdf/SKILL.md", skill(word))
            .write("lib/pdf/references/x.md", format!("X of {word}\n"));
        context.done(&["update", "pdf"]);
        let said = context.json(&ask);
        assert!(said["answer"].as_str().unwrap().contains(word), "{said}");
        let again = replayed(&context, &id);
        assert_eq!(again["same"], true, "{word}: {again}");
    }
    // None of them is collected, whichever was loaded last.
    context.done(&["remove", "pdf", "--yes"]);
    assert_eq!(context.json(&["store", "gc", "--json"])["kept"], 4);
    let removed = replayed(&context, &id);
    assert_eq!(removed["same"], true, "{removed}");
    // One that cannot be had any more is named, and not made from another one.
    let log = ["audit", "log", "--event", "skill.activated", "--json"];
    let second = context.json(&log)["events"][1]["digest"].clone();
    let second = second.as_str().unwrap();
    let hex = second.split(':').next_back().unwrap();
    let store = context.in_home(".skillyard/store");
    let output = crate::output(
        context
            .command("find")
            .arg(&store)
            .args(["-name", &format!("{hex}*")]),
    );
    for path in crate::text(&output.stdout).lines() {
        std::fs::remove_file(path).unwrap();
    }
    let lost = replayed(&context, &id);
    let told = lost["divergence"].as_str().unwrap();
    let wanted = format!("skill `pdf` was {second}, and is ");
    assert!(told.contains(&wanted), "{told}");
}

#[test]
fn what_a_model_saw_of_each_edition_is_made_again() {
    let (context, _) = session();
    let load = call("l", "skill_load", &json!({ "name": "pdf" }));
    let file = json!({ "name": "pdf", "path": "references/x.md" });
    let read = call("r", "skill_read", &file);
    let find = call("f", "skill_search", &json!({ "query": "forms" }));
    let done = json!({ "content": "Done." });
    // In between it is updated: what is found is new, and what was loaded is not given any more.
    let first = [&find, &load, &read, &done];
    let second = [&find, &read, &load, &read, &done];
    let answers = first.into_iter().chain(second);
    let answers = answers.map(|said| match said.get("content") {
        Some(_) => said.clone(),
        None => json!({ "tool_calls": [said] }),
    });
    let (url, asked) = model(answers.collect());
    let url = format!("models.test.url={url}");
    let flags = ["--config", &url, "--config", "models.test.tool_mode=native"];
    let chat = [&flags[..], &["chat", "-p", "go", "--json"]].concat();
    let said = context.json(&[&chat[..], &["--model", "test/m"]].concat());
    let id = said["session"].as_str().unwrap();
    context.write("lib/pdf/references/x.md", "Y\n");
    context.done(&["update", "pdf"]);
    context.json(&[&chat[..], &["--resume", id]].concat());
    let last = asked.lock().unwrap().last().unwrap().to_string();
    assert!(last.contains("Fills FIRST") && last.contains("Fills SECOND"));
    assert!(last.contains("has changed since it was loaded"), "{last}");
    context.done(&["remove", "pdf", "--yes"]);
    let again = replayed(&context, id);
    assert_eq!(again["same"], true, "{again}");
    assert_eq!(again["compared"]["rendered"], 7, "{again}");
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
    assert!(told.contains("`pdf` cannot be loaded any more"), "{told}");
}

#[test]
fn what_was_searched_or_refused_is_what_it_was() {
    let (context, _) = session();
    let own = "../home/.agents/skills/own/SKILL.md";
    context.write(own, OWN);
    let find = call("f", "skill_search", &json!({ "query": "forms scripts" }));
    let load = call("l", "skill_load", &json!({ "name": "later" }));
    let answers = vec![
        json!({ "tool_calls": [find] }),
        json!({ "tool_calls": [load] }),
        json!({ "content": "Done." }),
    ];
    let (url, asked) = model(answers);
    let url = format!("models.test.url={url}");
    let flags = ["--config", &url, "--config", "models.test.tool_mode=native"];
    let chat = ["chat", "-p", "go", "--json", "--model", "test/m"];
    let said = context.json(&[&flags[..], &chat].concat());
    let id = said["session"].as_str().unwrap();
    let last = asked.lock().unwrap().last().unwrap().to_string();
    assert!(last.contains("there is no skill `later`"), "{last}");
    assert_eq!(replayed(&context, id)["same"], true);
    // What a search finds is due to all texts of that day, and a skill may come later.
    context.write(own, format!("{OWN}Scripts, scripts, forms and scripts.\n"));
    context.write(
        "../home/.agents/skills/later/SKILL.md",
        OWN.replace("own", "later"),
    );
    let again = replayed(&context, id);
    assert_eq!(again["same"], true, "{again}");
    // What the session says of it must be what the log says.
    let log = "../home/.skillyard/logs/audit.jsonl";
    let whole = context.read(log);
    let searched = whole
        .lines()
        .find(|line| line.contains("skill_search"))
        .unwrap();
    let changed = searched.replace("\"output\":\"sha256:", "\"output\":\"sha256:0");
    context.write(log, whole.replace(searched, &changed));
    assert_eq!(replayed(&context, id)["same"], false);
}
