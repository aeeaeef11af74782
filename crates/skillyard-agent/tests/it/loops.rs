//! Strategies, tool modes and what the user names.

use serde_json::json;
use skillyard_agent::TurnError;
use skillyard_agent::front_end::{ApprovalAnswer, EndReason, TurnEvent};
use skillyard_agent::message::Trigger;
use skillyard_agent::provider::offline::Offline;
use skillyard_agent::replay::replay;
use skillyard_agent::settings::{AgentSettings, Strategy, ToolMode};

use crate::lab::{Front, Lab, Scripted, calls, says};

pub(crate) fn lab() -> Lab {
    let lab = Lab::new();
    lab.skill(
        "pdf-forms",
        "Fills PDF forms. Use when a task involves PDF files.",
        "",
        "Fill $0 with care. MARK-PDF",
    );
    lab.skill(
        "image-resize",
        "Resizes images and photos.",
        "",
        "Resize it. MARK-IMAGE",
    );
    lab.skill(
        "quiet",
        "Only for users.",
        "disable-model-invocation: true\n",
        "MARK-QUIET",
    );
    lab
}

fn activations(front: &Front) -> Vec<(String, Trigger)> {
    let all = front.events.iter().filter_map(|event| match event {
        TurnEvent::SkillActivated { name, trigger, .. } => Some((name.clone(), *trigger)),
        _ => None,
    });
    all.collect()
}

#[test]
fn a_bare_name_needs_no_model() {
    let lab = lab();
    let model = Scripted::new([]);
    let mut runtime = lab.runtime(model.clone());
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::No);
    let end = runtime.turn(&mut session, " /pdf-forms  /quiet ", &mut front);
    assert_eq!(end.unwrap().reason, EndReason::Activated);
    assert!(model.requests.lock().unwrap().is_empty());
    assert_eq!(
        session.answer(),
        "Activated `pdf-forms`, `quiet`. What is to be done?"
    );
    // Named again with the same bytes there is a receipt, and not the body a second time.
    runtime
        .turn(&mut session, "$quiet now go", &mut front)
        .unwrap();
    let asked = model.requests.lock().unwrap()[0].to_string();
    assert_eq!(asked.matches("MARK-QUIET").count(), 1);
    assert!(asked.contains("is loaded already"));
    assert!(
        asked.contains("$quiet now go"),
        "the message is not emptied"
    );
}

#[test]
fn of_two_skills_none_enters_when_one_cannot() {
    let lab = Lab::new();
    lab.skill("a", "Does a. Use for a.", "", "BODY-A");
    lab.skill("b", "Does b. Use for b.", "", "BODY-B");
    let model = Scripted::new([]);
    let mut runtime = lab.runtime(model.clone());
    let mut session = lab.session(&runtime, &AgentSettings::default());
    std::fs::remove_dir_all(lab.folder.path().join("skills/b")).unwrap();
    let mut front = Front::new(ApprovalAnswer::No);
    assert!(runtime.turn(&mut session, "/a /b go", &mut front).is_err());
    assert!(session.state.activated.is_empty());
    runtime.turn(&mut session, "/a go", &mut front).unwrap();
    let asked = model.requests.lock().unwrap()[0].to_string();
    assert!(asked.contains("BODY-A"), "{asked}");
    lab.skill("b", "Does b. Use for b.", "", "BODY-B");
    let events = lab.recorded(&[&session.id]);
    skillyard_agent::replay::replay(&session, &mut lab.shelf(), events).unwrap();
}

#[test]
fn arguments_are_put_in_once() {
    let lab = lab();
    let model = Scripted::new([]);
    let mut runtime = lab.runtime(model.clone());
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let prompt = "/pdf-forms '$ARGUMENTS' then more";
    runtime
        .turn(&mut session, prompt, &mut Front::new(ApprovalAnswer::No))
        .unwrap();
    let asked = model.requests.lock().unwrap()[0].to_string();
    assert!(asked.contains("Fill $ARGUMENTS with care."), "{asked}");
}

#[test]
fn names_that_are_wrong_are_told_and_paths_are_text() {
    let lab = lab();
    let model = Scripted::new([]);
    let mut runtime = lab.runtime(model.clone());
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::No);
    let error = runtime
        .turn(&mut session, "/pdf-form x", &mut front)
        .unwrap_err();
    assert!(matches!(error, TurnError::Skill(_)));
    assert!(error.to_string().contains("did you mean `pdf-forms`?"));
    assert!(session.messages.is_empty());
    for text in ["/etc/passwd is what?", "$HOME costs $5", "1/2 of it"] {
        runtime.turn(&mut session, text, &mut front).unwrap();
    }
    assert!(activations(&front).is_empty());
    runtime
        .turn(&mut session, "please use $image-resize, thanks", &mut front)
        .unwrap();
    assert_eq!(
        activations(&front),
        [("image-resize".into(), Trigger::User)]
    );
}

#[test]
fn a_skill_for_users_is_hidden_from_models() {
    let lab = lab();
    let model = Scripted::new([vec![calls("c", "skill_load", &json!({ "name": "quiet" }))]]);
    let mut runtime = lab.runtime(model.clone());
    let mut session = lab.session(&runtime, &AgentSettings::default());
    runtime
        .turn(&mut session, "hi", &mut Front::new(ApprovalAnswer::No))
        .unwrap();
    let requests = model.requests.lock().unwrap();
    assert!(!requests[0].to_string().contains("quiet"));
    assert!(!requests[1].to_string().contains("MARK-QUIET"));
}

#[test]
fn a_router_chooses_before_the_model_is_asked() {
    let lab = lab();
    for (choice, marks) in [
        (r#"{"skill":"pdf-forms"}"#, (true, false)),
        ("```json\n{\"skill\": \"pdf-forms\"}\n```", (true, false)),
        (r#"{"skill":"none"}"#, (false, false)),
        (r#"{"skill":"quiet"}"#, (false, false)),
        // No choice is not the choice of none: the search chooses.
        ("no JSON", (true, false)),
    ] {
        let model = Scripted::new([vec![says(choice)], vec![says("Done.")]]);
        let mut runtime = lab.runtime(model.clone());
        let settings = AgentSettings {
            strategy: Strategy::Router,
            ..AgentSettings::default()
        };
        let mut session = lab.session(&runtime, &settings);
        runtime
            .turn(
                &mut session,
                "fill the tax form",
                &mut Front::new(ApprovalAnswer::No),
            )
            .unwrap();
        let requests = model.requests.lock().unwrap();
        assert_eq!(
            requests[0]["shape"]["properties"]["skill"]["enum"],
            json!(["image-resize", "pdf-forms", "none"])
        );
        let main = requests[1].to_string();
        assert_eq!(
            (main.contains("MARK-PDF"), main.contains("MARK-IMAGE")),
            marks,
            "{choice}"
        );
        assert_eq!(session.answer(), "Done.");
    }
}

#[test]
fn another_model_may_choose_for_the_router() {
    let lab = lab();
    let (small, large) = (
        Scripted::new([vec![says(r#"{"skill":["pdf-forms","image-resize"]}"#)]]),
        Scripted::new([vec![says("Done.")]]),
    );
    let mut runtime = lab.runtime(large.clone());
    runtime.router = Some(Box::new(small.clone()));
    let mut settings = AgentSettings {
        model: "test/large".into(),
        strategy: Strategy::Router,
        router_model: Some("test/small".into()),
        ..AgentSettings::default()
    };
    settings.limits.routed_skills = 2;
    let mut session = lab.session(&runtime, &settings);
    let mut front = Front::new(ApprovalAnswer::No);
    let task = "fill the tax form, with a small image";
    runtime.turn(&mut session, task, &mut front).unwrap();
    let asked = small.requests.lock().unwrap().clone();
    assert_eq!((asked.len(), &asked[0]["model"]), (1, &json!("small")));
    let asked = large.requests.lock().unwrap().clone();
    let main = asked[0].to_string();
    assert_eq!((asked.len(), &asked[0]["model"]), (1, &json!("large")));
    assert!(main.contains("MARK-PDF") && main.contains("MARK-IMAGE"));
    // A search does without any model.
    runtime.router = Some(Box::new(Offline));
    let mut session = lab.session(&runtime, &settings);
    runtime
        .turn(&mut session, "fill the tax form", &mut front)
        .unwrap();
    assert_eq!(session.state.activated[0].name, "pdf-forms");
}

#[test]
fn a_router_keeps_to_what_a_skill_may_take_of_a_session() {
    let lab = lab();
    let choice = r#"{"skill":"pdf-forms"}"#;
    let model = Scripted::new([vec![says(choice)], vec![says("Done.")]]);
    let mut runtime = lab.runtime(model.clone());
    let mut settings = AgentSettings {
        strategy: Strategy::Router,
        ..AgentSettings::default()
    };
    settings.limits.skill_tokens = 5;
    let mut session = lab.session(&runtime, &settings);
    let mut front = Front::new(ApprovalAnswer::No);
    let task = "fill the tax form";
    runtime.turn(&mut session, task, &mut front).unwrap();
    let asked = model.requests.lock().unwrap()[1].to_string();
    assert!(!asked.contains("MARK-PDF"), "{asked}");
    assert!(asked.contains("5, the limit for one skill"), "{asked}");
    assert!(session.state.activated.is_empty());
    let events = lab.recorded(&[&session.id]);
    assert_eq!(
        replay(&session, &mut lab.shelf(), events).unwrap().messages,
        2
    );
    // What the user names is theirs to choose.
    let named = "/pdf-forms fill it";
    runtime.turn(&mut session, named, &mut front).unwrap();
    assert_eq!(session.state.activated[0].name, "pdf-forms");
}

#[test]
fn a_hybrid_names_candidates_and_the_model_decides() {
    let lab = lab();
    let model = Scripted::new([]);
    let mut runtime = lab.runtime(model.clone());
    let settings = AgentSettings {
        strategy: Strategy::Hybrid,
        ..AgentSettings::default()
    };
    let mut session = lab.session(&runtime, &settings);
    runtime
        .turn(
            &mut session,
            "fill a PDF form",
            &mut Front::new(ApprovalAnswer::No),
        )
        .unwrap();
    let requests = model.requests.lock().unwrap();
    let main = requests.last().unwrap().to_string();
    assert!(
        main.contains("Skills that may fit, the likeliest first: pdf-forms"),
        "{main}"
    );
    assert!(!main.contains("MARK-PDF"));
}

#[test]
fn models_without_tools_use_them_all_the_same() {
    let lab = lab();
    let action = r#"{"action":"skill_load","arguments":{"name":"pdf-forms"}}"#;
    let block = "I load it.\n<tool_call>{\"name\":\"skill_load\",\"arguments\":{\"name\":\"pdf-forms\"}}</tool_call>";
    for (mode, load, answer) in [
        (
            ToolMode::JsonSchema,
            action,
            r#"{"action":"answer","text":"Filled."}"#,
        ),
        (ToolMode::Text, block, "Filled."),
    ] {
        let model = Scripted::new([vec![says(load)], vec![says(answer)]]);
        let mut runtime = lab.runtime(model.clone());
        let settings = AgentSettings {
            tool_mode: mode,
            ..AgentSettings::default()
        };
        let mut session = lab.session(&runtime, &settings);
        let mut front = Front::new(ApprovalAnswer::No);
        runtime
            .turn(&mut session, "fill the form", &mut front)
            .unwrap();
        assert_eq!(activations(&front), [("pdf-forms".into(), Trigger::Model)]);
        assert_eq!(session.answer(), "Filled.");
        let requests = model.requests.lock().unwrap();
        assert_eq!(requests[0]["tools"], json!([]));
        assert_eq!(
            requests[0]["shape"].is_object(),
            mode == ToolMode::JsonSchema
        );
        assert!(!requests[0].to_string().contains("MARK-PDF"));
        assert!(requests[1].to_string().contains("Result of skill_load"));
        assert!(requests[1].to_string().contains("MARK-PDF"));
    }
}

#[test]
fn parallel_calls_get_all_their_results_in_one_message() {
    let lab = lab();
    let load = |id: &str, name: &str| calls(id, "skill_load", &json!({ "name": name }));
    let model = Scripted::new([vec![load("a", "pdf-forms"), load("b", "image-resize")]]);
    let mut runtime = lab.runtime(model.clone());
    let mut session = lab.session(&runtime, &AgentSettings::default());
    runtime
        .turn(&mut session, "both", &mut Front::new(ApprovalAnswer::No))
        .unwrap();
    let requests = model.requests.lock().unwrap();
    let results = &requests[1]["messages"][2]["results"];
    assert_eq!(
        (&results[0]["id"], &results[1]["id"]),
        (&json!("a"), &json!("b"))
    );
}

#[test]
fn offline_finds_loads_and_shows() {
    let lab = lab();
    lab.write("skills/pdf-forms/references/guide.md", "GUIDE-WORD\n");
    let mut runtime = lab.runtime(Offline);
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::No);
    runtime
        .turn(&mut session, "fill in a PDF form", &mut front)
        .unwrap();
    assert_eq!(activations(&front), [("pdf-forms".into(), Trigger::Model)]);
    assert!(session.answer().contains("MARK-PDF"));
    let answer = session.answer();
    assert!(
        answer.starts_with("(offline: no model was asked"),
        "{answer}"
    );
    runtime
        .turn(
            &mut session,
            "/pdf-forms read references/guide.md",
            &mut front,
        )
        .unwrap();
    assert!(session.answer().contains("GUIDE-WORD"));
    // Asked for a second time, without its name, it is as good as the first.
    for _ in 0..2 {
        let task = "fill in a PDF form: read references/guide.md";
        runtime.turn(&mut session, task, &mut front).unwrap();
        assert!(session.answer().contains("GUIDE-WORD"));
    }
    runtime
        .turn(&mut session, "zebra quantum", &mut front)
        .unwrap();
    assert!(session.answer().contains("No skill here fits"));
}
