//! A skill that may not be used any more steers no chat in which it is active.

use serde_json::{Value, json};

use crate::TestContext;
use crate::scripted_model::{call, chat, model};

/// What the next turn of the session tells programs, and what the model was asked.
fn go_on(context: &TestContext) -> (Value, String) {
    let (url, asked) = model(vec![json!({ "content": "Yes." })]);
    context.done(&["config", "set", "models.mock.url", &url]);
    let answer = context.json(&["chat", "--resume", "last", "-p", "Go on.", "--json"]);
    let asked = asked.lock().unwrap().last().unwrap().to_string();
    (answer, asked)
}

#[test]
fn what_is_disabled_is_let_go_with_the_next_message() {
    let context = TestContext::new();
    context.write_skill("../home/.agents/skills/pdf");
    let load = call("c1", "skill_load", &json!({ "name": "pdf" }));
    let answers = vec![
        json!({ "tool_calls": [load] }),
        json!({ "content": "Loaded." }),
    ];
    let (answer, _) = chat(&context, answers, &[]);
    assert_eq!(
        answer["active_skills"].as_array().unwrap().len(),
        1,
        "{answer}"
    );
    context.done(&["disable", "pdf"]);
    let (answer, told) = go_on(&context);
    assert_eq!(answer["active_skills"], json!([]), "{answer}");
    assert!(
        told.contains("Skill `pdf` was withdrawn (disabled"),
        "{told}"
    );
    let released = context.json(&["audit", "log", "--event", "skill.released", "--json"]);
    let reason = released["events"][0]["reason"].to_string();
    assert!(reason.contains("disabled"), "{released}");
    // It is told once.
    let (_, told) = go_on(&context);
    assert_eq!(told.matches("was withdrawn").count(), 1, "{told}");
    context.done(&["enable", "pdf"]);
    let replayed = context.tell(&["audit", "replay", "last"]);
    assert!(replayed.starts_with("exit status: 0"), "{replayed}");
}
