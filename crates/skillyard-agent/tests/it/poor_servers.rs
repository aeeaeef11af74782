//! Servers of models that can less than others, or break off.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use skillyard_agent::front_end::{ApprovalAnswer, EndReason, TurnEvent};
use skillyard_agent::provider::openai_chat::{LimitName, OpenAiChat};
use skillyard_agent::provider::{Completion, Delta, ModelRequest, Provider, ProviderError, Stop};
use skillyard_agent::replay::replay;
use skillyard_agent::settings::{AgentSettings, Strategy, ToolMode};

use crate::lab::{Front, Scripted, says};
use crate::loops::lab;
use crate::server::{KEY, Reply, Server};

#[test]
fn a_router_does_without_shapes_where_the_server_has_none() {
    let lab = lab();
    for (mode, refusals) in [(ToolMode::Native, 1), (ToolMode::Text, 0)] {
        let model = Scripted::new([vec![says(r#"{"skill":"pdf-forms"}"#)]]);
        let mut runtime = lab.runtime(Shapeless(model.clone()));
        let settings = AgentSettings {
            strategy: Strategy::Router,
            tool_mode: mode,
            ..AgentSettings::default()
        };
        let mut session = lab.session(&runtime, &settings);
        let mut front = Front::new(ApprovalAnswer::No);
        let task = "fill the tax form";
        runtime.turn(&mut session, task, &mut front).unwrap();
        let asked = model.requests.lock().unwrap().clone();
        let (refused, asked) = asked.split_at(refusals);
        assert!(refused.iter().all(|each| !each["shape"].is_null()));
        assert!(asked[0]["shape"].is_null(), "{mode:?}");
        assert!(asked[0].to_string().contains("Its form is"), "{mode:?}");
        assert!(asked[1].to_string().contains("MARK-PDF"), "{mode:?}");
    }
}

/// A model whose server knows no shapes of answers.
struct Shapeless(Scripted);

impl Provider for Shapeless {
    fn name(&self) -> &'static str {
        "shapeless"
    }

    fn complete(
        &self,
        request: &ModelRequest<'_>,
        on: &mut dyn FnMut(Delta<'_>),
        cancel: &AtomicBool,
    ) -> Result<Completion, ProviderError> {
        if request.shape.is_none() {
            return self.0.complete(request, on, cancel);
        }
        let asked = serde_json::to_value(request).unwrap();
        self.0.requests.lock().unwrap().push(asked);
        Err(ProviderError::Status {
            status: 400,
            message: "response_format is not supported".into(),
            retry_after: None,
        })
    }
}

/// A model that thinks until it has no room left, and whose server counts no tokens.
#[derive(Clone, Default)]
struct Thinker(Arc<AtomicBool>);

impl Provider for Thinker {
    fn name(&self) -> &'static str {
        "thinker"
    }

    fn complete(
        &self,
        request: &ModelRequest<'_>,
        on: &mut dyn FnMut(Delta<'_>),
        _cancel: &AtomicBool,
    ) -> Result<Completion, ProviderError> {
        if request.shape.is_some() {
            let stop = Stop::Length;
            return Ok(Completion {
                stop,
                ..Completion::default()
            });
        }
        let text = "word ".repeat(200);
        on(Delta::Text(&text));
        if self.0.load(Ordering::Relaxed) {
            return Err(ProviderError::Cancelled);
        }
        Ok(Completion {
            parts: vec![says(&text)],
            ..Completion::default()
        })
    }
}

#[test]
fn whoever_waits_for_a_busy_router_is_told() {
    let lab = lab();
    let chunk = |text: &str| {
        let chunk =
            json!({ "choices": [{ "delta": { "content": text }, "finish_reason": "stop" }] });
        Reply::stream(format!("data: {chunk}\n\n"))
    };
    let server = Server::start(vec![
        Reply::error(429, "retry-after: 0\r\n", "slow down"),
        chunk(r#"{"skill":"pdf-forms"}"#),
        chunk("Filled."),
    ]);
    let mut runtime = lab.runtime(OpenAiChat {
        name: "local".into(),
        endpoint: server.endpoint("", "authorization", KEY.into()),
        limit_name: LimitName::MaxTokens,
    });
    let settings = AgentSettings {
        strategy: Strategy::Router,
        ..AgentSettings::default()
    };
    let mut session = lab.session(&runtime, &settings);
    let mut front = Front::new(ApprovalAnswer::No);
    let task = "fill the tax form";
    runtime.turn(&mut session, task, &mut front).unwrap();
    let told = front.events.iter().filter_map(|event| match event {
        TurnEvent::Retry { reason, .. } => Some(reason.as_str()),
        TurnEvent::Text { delta } => Some(delta.as_str()),
        _ => None,
    });
    let told: Vec<&str> = told.collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("429"), "{told:?}");
    assert_eq!(told[1], "Filled.", "what the router says is not shown");
}

#[test]
fn json_that_the_user_asked_for_is_the_answer() {
    let lab = lab();
    let schema = r#"{"name":"get_weather","description":"Weather","parameters":{"type":"object"}}"#;
    let text = format!("Here it is:\n```json\n{schema}\n```\nUse it well.");
    for tool_mode in [ToolMode::Text, ToolMode::JsonSchema] {
        let model = Scripted::new([vec![says(&text)]]);
        let mut runtime = lab.runtime(model.clone());
        let settings = AgentSettings {
            tool_mode,
            ..AgentSettings::default()
        };
        let mut session = lab.session(&runtime, &settings);
        let mut front = Front::new(ApprovalAnswer::No);
        runtime.turn(&mut session, "a schema", &mut front).unwrap();
        let shown = front.events.iter().filter_map(|event| match event {
            TurnEvent::Text { delta } => Some(delta.as_str()),
            _ => None,
        });
        assert_eq!(shown.collect::<String>(), text, "{tool_mode:?}");
        assert_eq!(session.answer(), text);
        assert_eq!(model.requests.lock().unwrap().len(), 1);
    }
}

#[test]
fn where_a_router_is_cut_off_the_search_chooses() {
    let lab = lab();
    let mut runtime = lab.runtime(Thinker::default());
    let settings = AgentSettings {
        strategy: Strategy::Router,
        ..AgentSettings::default()
    };
    let mut session = lab.session(&runtime, &settings);
    let mut front = Front::new(ApprovalAnswer::No);
    let task = "fill the tax form";
    runtime.turn(&mut session, task, &mut front).unwrap();
    assert_eq!(session.state.activated[0].name, "pdf-forms");
    let text = "the router's answer was cut off, so the search chose skills".into();
    assert!(front.events.contains(&TurnEvent::Note { text }));
    let events = lab.recorded(&[&session.id]);
    replay(&session, &mut lab.shelf(), events).unwrap();
}

#[test]
fn a_limit_of_tokens_holds_where_nobody_counts() {
    let lab = lab();
    let stopped = Thinker::default();
    let mut runtime = lab.runtime(stopped.clone());
    let mut settings = AgentSettings::default();
    settings.limits.session_tokens = 6_000;
    let mut session = lab.session(&runtime, &settings);
    let mut front = Front::new(ApprovalAnswer::No);
    let mut ends = Vec::new();
    let mut used = 0;
    // Answers that are stopped cost what others do.
    for turn in 0..20 {
        stopped.0.store(turn % 2 == 1, Ordering::Relaxed);
        let end = runtime.turn(&mut session, "again", &mut front).unwrap();
        assert!(end.usage.estimated || end.reason == EndReason::TokenBudget);
        ends.push(end.reason);
        let usage = lab.store().load(&session.id).unwrap().state.usage;
        assert!(usage.output >= used + 200 || end.reason == EndReason::TokenBudget);
        used = usage.output;
    }
    assert_eq!(ends[..2], [EndReason::Answered, EndReason::Cancelled]);
    assert_eq!(ends[19], EndReason::TokenBudget);
    let is_note = |event: &&TurnEvent| matches!(event, TurnEvent::Note { .. });
    assert_eq!(
        front.events.iter().filter(is_note).count(),
        1,
        "it is told once"
    );
}

#[test]
fn half_an_answer_is_kept() {
    let lab = lab();
    let mut runtime = lab.runtime(Halves);
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::No);
    assert!(runtime.turn(&mut session, "hello", &mut front).is_err());
    assert_eq!(
        session.answer(),
        "Half of it\n\n(broken off: the model's server failed)"
    );
    let events = lab.recorded(&[&session.id]);
    assert_eq!(
        replay(&session, &mut lab.shelf(), events).unwrap().messages,
        2
    );
}

/// A model whose server breaks off in the middle.
struct Halves;

impl Provider for Halves {
    fn name(&self) -> &'static str {
        "halves"
    }

    fn complete(
        &self,
        _request: &ModelRequest<'_>,
        on: &mut dyn FnMut(Delta<'_>),
        _cancel: &AtomicBool,
    ) -> Result<Completion, ProviderError> {
        on(Delta::Text("Half of it"));
        Err(ProviderError::Cut {
            problem: "no end".into(),
        })
    }
}
