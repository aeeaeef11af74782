//! A skill that may not be used any more steers no chat in which it is active.

use serde_json::json;

use crate::TestContext;
use crate::scripted_model::{call, chat};

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
    let go_on = ["--resume", "last"];
    let (answer, asked) = chat(&context, vec![json!({ "content": "Yes." })], &go_on);
    assert_eq!(answer["active_skills"], json!([]), "{answer}");
    let told = asked.lock().unwrap().last().unwrap().to_string();
    assert!(
        told.contains("Skill `pdf` was withdrawn (disabled"),
        "{told}"
    );
    let released = context.json(&["audit", "log", "--event", "skill.released", "--json"]);
    let reason = released["events"][0]["reason"].to_string();
    assert!(reason.contains("disabled"), "{released}");
    context.done(&["audit", "replay", "last"]);
    // It is told once.
    let (_, asked) = chat(&context, vec![json!({ "content": "Yes." })], &go_on);
    let told = asked.lock().unwrap().last().unwrap().to_string();
    assert_eq!(told.matches("was withdrawn").count(), 1, "{told}");
}
