//! Models that take little at once: what does not fit is left out, and no session ends of it.

use std::sync::atomic::AtomicBool;

use serde_json::json;
use skillyard_agent::TurnError;
use skillyard_agent::front_end::{ApprovalAnswer, TurnEvent};
use skillyard_agent::provider::openai_chat::{LimitName, OpenAiChat};
use skillyard_agent::provider::{Completion, Delta, ModelRequest, Provider, ProviderError};
use skillyard_agent::replay::replay;
use skillyard_agent::session::Session;
use skillyard_agent::settings::{AgentSettings, LimitChanges, ToolMode};

use crate::lab::{Front, Lab, Scripted, calls, says};
use crate::server::{KEY, Reply, Server};

/// A model that refuses what has more bytes than five for each token of its context.
struct Small {
    context: usize,
    model: Scripted,
}

impl Provider for Small {
    fn name(&self) -> &'static str {
        "small"
    }

    fn complete(
        &self,
        request: &ModelRequest<'_>,
        on: &mut dyn FnMut(Delta<'_>),
        cancel: &AtomicBool,
    ) -> Result<Completion, ProviderError> {
        let asked = serde_json::to_string(request).unwrap().len() / 5;
        if asked + request.max_tokens as usize > self.context {
            let message = format!("maximum context length is {} tokens", self.context);
            return Err(ProviderError::Overfull { message });
        }
        self.model.complete(request, on, cancel)
    }
}

fn lab() -> Lab {
    let lab = Lab::new();
    lab.skill("a", "Does a. Use for a.", "", "BODY-A");
    lab
}

/// Says something long, so many times.
fn talk(lab: &Lab, session: &mut Session, model: Small, turns: usize) -> Vec<TurnEvent> {
    let mut runtime = lab.runtime(model);
    let mut front = Front::new(ApprovalAnswer::No);
    for at in 0..turns {
        let text = format!("turn {at} {}", "and more words ".repeat(100));
        runtime.turn(session, &text, &mut front).unwrap();
    }
    front.events
}

fn retries(events: &[TurnEvent]) -> usize {
    let is_retry = |event: &&TurnEvent| matches!(event, TurnEvent::Retry { .. });
    events.iter().filter(is_retry).count()
}

fn same(lab: &Lab, session: &Session) {
    let session = lab.store().load(&session.id).unwrap();
    replay(&session, &mut lab.shelf(), lab.recorded(&[&session.id])).unwrap();
}

#[test]
fn what_the_settings_say_is_kept_to() {
    let lab = lab();
    let model = Small {
        context: 8_000,
        model: Scripted::default(),
    };
    let mut settings = AgentSettings::default();
    let said = LimitChanges {
        context_tokens: Some(8_000),
        ..LimitChanges::default()
    };
    said.apply(&mut settings.limits);
    assert_eq!(settings.limits.catalog(), 160);
    let mut session = lab.session(&lab.runtime(Scripted::default()), &settings);
    let events = talk(&lab, &mut session, model, 60);
    assert_eq!(retries(&events), 0);
    same(&lab, &session);
}

#[test]
fn a_context_that_nobody_said_is_found_out_and_remembered() {
    let lab = lab();
    let small = |replies: Vec<_>| Small {
        context: 8_000,
        model: Scripted::new(replies),
    };
    let mut session = lab.session(&lab.runtime(Scripted::default()), &AgentSettings::default());
    let events = talk(&lab, &mut session, small(Vec::new()), 30);
    assert!(retries(&events) > 0);
    // It is remembered with the session.
    let mut session = lab.store().load(&session.id).unwrap();
    let events = talk(&lab, &mut session, small(Vec::new()), 1);
    assert_eq!(retries(&events), 0);
    // One result that is too long is cut.
    lab.write("work/long.txt", &"a long line of text\n".repeat(2_500));
    let read = calls("r", "Read", &json!({ "path": "long.txt" }));
    let mut runtime = lab.runtime(small(vec![vec![read], vec![says("It is long.")]]));
    let mut front = Front::new(ApprovalAnswer::No);
    runtime.turn(&mut session, "read", &mut front).unwrap();
    assert_eq!(session.answer(), "It is long.");
    // A message that is too long is refused, and the session goes on.
    let long = "far too long ".repeat(10_000);
    let refused = runtime.turn(&mut session, &long, &mut front).unwrap_err();
    let TurnError::Provider(ProviderError::Overfull { .. }) = refused else {
        panic!("{refused}");
    };
    runtime.turn(&mut session, "short", &mut front).unwrap();
    same(&lab, &session);
    // Another model may take more, and the user may know.
    session.change_model("test/large", ToolMode::Auto, None);
    assert_eq!(session.context(), 200_000);
    session.set_context(32_000);
    assert_eq!(session.context(), 32_000);
}

#[test]
fn what_a_command_writes_does_not_fill_the_context() {
    let lab = lab();
    let lines = 1..200_000;
    let lines: Vec<String> = lines.map(|number| number.to_string()).collect();
    let lines = lines.join("\n") + "\n";
    {
        let mut machine = lab.machine.lock().unwrap();
        machine.ran.code = 3;
        machine.ran.stdout = lines;
        machine.ran.stderr = "FATAL cause\n".into();
        machine.ran.denials = vec!["the limit `output` was reached".into()];
    }
    for context in [200_000, 8_000] {
        let call = calls("b", "Bash", &json!({ "command": "seq 1 200000" }));
        let model = Scripted::new([vec![call]]);
        let mut runtime = lab.runtime(model.clone());
        let mut settings = AgentSettings::default();
        settings.limits.context_tokens = context;
        let mut session = lab.session(&runtime, &settings);
        let mut front = Front::new(ApprovalAnswer::Once);
        runtime.turn(&mut session, "count", &mut front).unwrap();
        let requests = model.requests.lock().unwrap();
        let messages = requests[1]["messages"].as_array().unwrap();
        // Nothing else was left out.
        assert_eq!(messages.len(), 3, "{}", messages[0]);
        let read = messages[2]["results"][0]["content"].as_str().unwrap();
        assert!(
            read.len() < 61_000 && read.len() < context * 5,
            "{}",
            read.len()
        );
        assert!(read.starts_with("exit code 3\n<stdout>\n1\n2\n"), "{read}");
        let end = "\n199999\n</stdout>\n<stderr>\nFATAL cause\n</stderr>\n\
                   sandbox: the limit `output` was reached\n";
        assert!(read.ends_with(end), "{read}");
        assert!(read.contains(" bytes left out "), "{read}");
        same(&lab, &session);
    }
}

#[test]
fn servers_say_in_many_ways_that_a_request_is_too_long() {
    let lab = lab();
    let said = [
        r#"{"error":{"message":"This model's maximum context length is 8192 tokens."}}"#,
        r#"{"error":{"message":"Too much.","code":"context_length_exceeded"}}"#,
        r#"{"error":{"message":"prompt is too long: 208310 tokens > 200000 maximum"}}"#,
        r#"{"error":{"type":"exceed_context_size_error","message":"Too much."}}"#,
    ];
    for body in said {
        let replies = (0..20).map(|_| Reply::error(400, "", body));
        let server = Server::start(replies.collect());
        let mut runtime = lab.runtime(OpenAiChat {
            name: "local".into(),
            endpoint: server.endpoint("", "authorization", format!("Bearer {KEY}")),
            limit_name: LimitName::MaxTokens,
        });
        let mut session = lab.session(&runtime, &AgentSettings::default());
        let mut front = Front::new(ApprovalAnswer::No);
        let refused = runtime.turn(&mut session, "hi", &mut front).unwrap_err();
        assert_eq!(refused.kind(), "context", "{body}: {refused}");
        assert!(server.asked().len() < 10);
    }
}

#[test]
fn a_model_that_gives_short_answers_is_asked_for_them() {
    let lab = lab();
    let refused = |body: &str| {
        Reply::error(
            400,
            "",
            &json!({ "error": { "message": body } }).to_string(),
        )
    };
    let chunk =
        json!({ "choices": [{ "delta": { "content": "hello" }, "finish_reason": "stop" }] });
    let hello = || Reply::stream(format!("data: {chunk}\n\ndata: [DONE]\n\n"));
    let server = Server::start(vec![
        refused(
            "max_tokens is too large: 8192. This model supports at most 4096 completion tokens.",
        ),
        hello(),
        hello(),
        refused("max_tokens exceeds what the model gives"),
        refused("the model is not there"),
    ]);
    let mut runtime = lab.runtime(OpenAiChat {
        name: "local".into(),
        endpoint: server.endpoint("", "authorization", format!("Bearer {KEY}")),
        limit_name: LimitName::MaxTokens,
    });
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::No);
    runtime.turn(&mut session, "hi", &mut front).unwrap();
    assert_eq!(retries(&front.events), 1);
    // It is remembered with the session.
    let mut session = lab.store().load(&session.id).unwrap();
    runtime.turn(&mut session, "again", &mut front).unwrap();
    assert_eq!(retries(&front.events), 1);
    same(&lab, &session);
    // What was only supposed is not.
    runtime.turn(&mut session, "more", &mut front).unwrap_err();
    assert_eq!(session.state.answer, Some(4096));
    let asked = server.asked();
    let asked: Vec<_> = asked.iter().map(|each| &each.body["max_tokens"]).collect();
    assert_eq!(asked, [8192, 4096, 4096, 4096, 2048]);
    // Another model may give longer ones.
    session.change_model("test/large", ToolMode::Auto, None);
    assert_eq!(session.state.answer, None);
}
