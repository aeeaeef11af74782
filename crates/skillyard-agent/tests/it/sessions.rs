//! Sessions on disk.

use std::os::unix::fs::PermissionsExt as _;

use jiff::Timestamp;
use serde_json::json;
use skillyard_agent::TurnError;
use skillyard_agent::front_end::ApprovalAnswer;
use skillyard_agent::message::{Message, UserPart};
use skillyard_agent::provider::offline::Offline;
use skillyard_agent::provider::openai_chat::{LimitName, OpenAiChat};
use skillyard_agent::replay::replay;
use skillyard_agent::session::{SessionError, plan};
use skillyard_agent::settings::{AgentSettings, Strategy};

use crate::lab::{Front, Lab, Scripted, calls};
use crate::server::{KEY, Server};

#[test]
fn a_session_goes_on_where_it_was() {
    let lab = Lab::new();
    lab.skill("a", "Does a. Use for a.", "", "BODY-A");
    let model = Scripted::new([vec![calls("c", "skill_load", &json!({ "name": "a" }))]]);
    let mut runtime = lab.runtime(model);
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::Once);
    runtime.turn(&mut session, "do a", &mut front).unwrap();
    let mut loaded = lab.store().load(&session.id[..8]).unwrap();
    assert_eq!(loaded, session);
    assert_eq!(lab.store().load("last").unwrap(), session);
    assert_eq!(loaded.state.activated[0].name, "a");
    // The catalog is not rendered again, and the body is not loaded again.
    let again = calls("d", "skill_load", &json!({ "name": "a" }));
    let model = Scripted::new([vec![again]]);
    let mut runtime = lab.runtime(model.clone());
    runtime.turn(&mut loaded, "again", &mut front).unwrap();
    let asked = model.requests.lock().unwrap()[1].to_string();
    assert_eq!(asked.matches("BODY-A").count(), 1);
    assert_eq!(asked.matches("<available_skills>").count(), 1);
    // A copy has the talk, and none of the permissions.
    let copy = loaded.fork(Timestamp::now()).unwrap();
    assert_eq!(copy.messages, loaded.messages);
    assert_ne!(copy.id, loaded.id);
    assert!(copy.state.grants.is_empty());
}

#[test]
fn a_first_message_that_never_enters_leaves_no_session() {
    let lab = Lab::new();
    lab.skill("a", "Does a. Use for a.", "", "BODY-A");
    let mut runtime = lab.runtime(Scripted::new([]));
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::No);
    lab.write("skills/a/SKILL.md", "no skill any more");
    let error = runtime.turn(&mut session, "/a do it", &mut front);
    assert!(matches!(error, Err(TurnError::Skill(_))), "{error:?}");
    assert!(lab.store().list(10).unwrap().is_empty());
    // The talk goes on, and begins once.
    lab.skill("a", "Does a. Use for a.", "", "BODY-A");
    runtime.turn(&mut session, "/a do it", &mut front).unwrap();
    assert_eq!(lab.store().list(10).unwrap()[0].messages, 2);
    let events = lab.recorded(&[&session.id]);
    replay(&session, &mut lab.shelf(), events).unwrap();
}

#[test]
fn what_is_said_to_a_router_that_fails_is_kept() {
    let lab = Lab::new();
    lab.skill("a", "Does a. Use for a.", "", "BODY-A");
    let mut runtime = lab.runtime(Scripted::new([]));
    let nobody = Server::start(Vec::new());
    runtime.router = Some(Box::new(OpenAiChat {
        name: "nobody".into(),
        endpoint: nobody.endpoint("/v1", "authorization", KEY.into()),
        limit_name: LimitName::MaxTokens,
    }));
    let settings = AgentSettings {
        strategy: Strategy::Router,
        ..AgentSettings::default()
    };
    let mut session = lab.session(&runtime, &settings);
    let mut front = Front::new(ApprovalAnswer::No);
    let error = runtime.turn(&mut session, "do a", &mut front);
    assert!(matches!(error, Err(TurnError::Provider(_))), "{error:?}");
    assert_eq!(lab.store().load(&session.id).unwrap(), session);
    assert_eq!(session.title(), "do a");
    runtime.router = Some(Box::new(Offline));
    runtime.turn(&mut session, "do a now", &mut front).unwrap();
    let events = lab.recorded(&[&session.id]);
    replay(&session, &mut lab.shelf(), events).unwrap();
}

#[test]
fn two_programs_cannot_both_go_on() {
    let lab = Lab::new();
    let mut runtime = lab.runtime(Scripted::new([]));
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::No);
    runtime.turn(&mut session, "one", &mut front).unwrap();
    let mut other = lab.store().load(&session.id).unwrap();
    runtime.turn(&mut session, "two", &mut front).unwrap();
    let error = runtime.turn(&mut other, "three", &mut front).unwrap_err();
    assert!(error.to_string().contains("in use elsewhere"), "{error}");
    assert_eq!(lab.store().load(&session.id).unwrap(), session);
}

#[test]
fn what_was_deleted_is_never_written_again() {
    let lab = Lab::new();
    let mut runtime = lab.runtime(Scripted::new([]));
    let mut front = Front::new(ApprovalAnswer::No);
    // One that was kept, with messages and without any.
    for said in [true, false] {
        let mut session = lab.session(&runtime, &AgentSettings::default());
        if said {
            runtime.turn(&mut session, "secret", &mut front).unwrap();
        } else {
            runtime.store.save(&mut session, Timestamp::now()).unwrap();
        }
        runtime.store.delete(&session.id).unwrap();
        let error = runtime.turn(&mut session, "secret", &mut front);
        let error = error.unwrap_err().to_string();
        assert!(error.contains("there is no session"), "{error}");
    }
    // One that was about to be kept.
    let mut session = lab.session(&runtime, &AgentSettings::default());
    runtime.store.forget(&session.id).unwrap();
    assert!(runtime.turn(&mut session, "secret", &mut front).is_err());
    assert!(runtime.store.list(10).unwrap().is_empty());
}

#[test]
fn the_store_is_for_its_owner_and_names_are_no_patterns() {
    let lab = Lab::new();
    let mut runtime = lab.runtime(Scripted::new([]));
    let mut session = lab.session(&runtime, &AgentSettings::default());
    runtime
        .turn(&mut session, "x", &mut Front::new(ApprovalAnswer::No))
        .unwrap();
    let file = std::fs::metadata(lab.folder.path().join("sessions.db")).unwrap();
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    let store = lab.store();
    for name in ["", "%", "s_", "' OR 1=1 --", "zzz"] {
        assert!(
            matches!(store.load(name), Err(SessionError::Unknown(_))),
            "{name}"
        );
    }
    assert_eq!(store.delete(&session.id).unwrap(), session.id);
    assert!(store.list(10).unwrap().is_empty());
}

#[test]
fn a_thousand_sessions_are_listed_in_order_and_resumed() {
    let lab = Lab::new();
    let runtime = lab.runtime(Scripted::new([]));
    let text = "word ".repeat(40);
    let mut last = String::new();
    for _ in 0..1000 {
        let mut session = lab.session(&runtime, &AgentSettings::default());
        session.messages = (0..50).map(|_| Message::user(&text)).collect();
        runtime.store.save(&mut session, Timestamp::now()).unwrap();
        last = session.id;
    }
    let store = &runtime.store;
    let all = store.list(2000).unwrap();
    assert_eq!(all.len(), 1000);
    assert_eq!(store.list(100).unwrap(), all[..100]);
    assert!(all.is_sorted_by(|one, next| one.updated >= next.updated));
    assert_eq!(store.load(&last).unwrap().messages.len(), 50);
    assert_eq!(store.load("last").unwrap().id, last);
}

#[test]
fn what_does_not_fit_is_left_out_but_active_skills_are_not() {
    let lab = Lab::new();
    lab.skill("a", "Does a. Use for a.", "", "BODY-A");
    lab.skill("b", "Does b. Use for b.", "", &"BODY-B ".repeat(2000));
    let model = Scripted::new([]);
    let mut runtime = lab.runtime(model);
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::No);
    runtime.turn(&mut session, "/b", &mut front).unwrap();
    runtime.turn(&mut session, "/a", &mut front).unwrap();
    for at in 0..40 {
        let text = format!("message {at} {}", "and more ".repeat(50));
        runtime.turn(&mut session, &text, &mut front).unwrap();
    }
    let plan = plan(&session, 3000);
    assert!(plan.omitted > 20);
    assert_eq!(
        (plan.attached.as_slice(), plan.dropped.as_slice()),
        (&["a".to_owned()][..], &["b".to_owned()][..])
    );
    let Message::User { parts } = &plan.messages[0] else {
        panic!("the plan begins with a user's message");
    };
    let text: String = parts.iter().map(UserPart::text).collect();
    assert!(text.contains("BODY-A") && !text.contains("BODY-B "));
    assert!(matches!(plan.messages[1], Message::User { .. }));
    assert_eq!(plan, skillyard_agent::session::plan(&session, 3000));
    let whole = skillyard_agent::session::plan(&session, 1_000_000);
    assert_eq!(whole.messages, session.messages);
}
