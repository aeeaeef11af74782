//! Servers and models that misbehave.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::slice::from_ref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use skillyard_agent::TurnError;
use skillyard_agent::front_end::{
    ApprovalAnswer, ApprovalRequest, EndReason, FrontEnd, Stopper, TurnEvent,
};
use skillyard_agent::message::{CallOutcome, Message};
use skillyard_agent::provider::anthropic::Anthropic;
use skillyard_agent::provider::http::Endpoint;
use skillyard_agent::provider::openai_chat::{LimitName, OpenAiChat};
use skillyard_agent::provider::openai_responses::OpenAiResponses;
use skillyard_agent::provider::{Completion, Delta, ModelRequest, Provider, ProviderError};
use skillyard_agent::replay::replay;
use skillyard_agent::settings::AgentSettings;

use crate::lab::{Front, Lab, Scripted, calls, says};
use crate::server::{KEY, Reply, Server};

fn hello() -> Reply {
    let chunk =
        json!({ "choices": [{ "delta": { "content": "hello" }, "finish_reason": "stop" }] });
    Reply::stream(format!("data: {chunk}\n\ndata: [DONE]\n\n"))
}

/// A turn against a server with these answers: its outcome, its events, how often it was asked.
fn turn(replies: Vec<Reply>) -> (Result<String, TurnError>, Vec<TurnEvent>, usize) {
    let server = Server::start(replies);
    let lab = Lab::new();
    lab.skill("a", "Does a. Use for a.", "", "Do a.");
    let mut runtime = lab.runtime(OpenAiChat {
        name: "local".into(),
        endpoint: server.endpoint("", "authorization", format!("Bearer {KEY}")),
        limit_name: LimitName::MaxTokens,
    });
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::No);
    let end = runtime.turn(&mut session, "hi", &mut front);
    let answer = end.map(|_| session.answer());
    (answer, front.events, server.asked().len())
}

#[test]
fn a_busy_server_is_asked_again_when_it_wants_to() {
    for (status, headers) in [(429, "retry-after: 0\r\n"), (500, ""), (529, ""), (503, "")] {
        let busy = || Reply::error(status, headers, r#"{"error":{"message":"busy"}}"#);
        let (answer, events, asked) = turn(vec![busy(), busy(), hello()]);
        assert_eq!(answer.unwrap(), "hello");
        assert_eq!(asked, 3);
        let retries = events
            .iter()
            .filter(|event| matches!(event, TurnEvent::Retry { .. }));
        assert_eq!(retries.count(), 2);
    }
}

#[test]
fn a_server_that_stays_busy_is_left_alone() {
    let busy = || Reply::error(429, "", "slow down");
    let (answer, _, asked) = turn(vec![busy(), busy(), busy(), hello()]);
    assert!(matches!(
        answer,
        Err(TurnError::Provider(ProviderError::Status {
            status: 429,
            ..
        }))
    ));
    assert_eq!(asked, 3);
}

#[test]
fn a_refusal_is_not_repeated_and_never_shows_the_key() {
    let body = format!(r#"{{"error":{{"message":"bad key {KEY} \u001b[2J given"}}}}"#);
    let (answer, _, asked) = turn(vec![Reply::error(401, "", &body), hello()]);
    let error = answer.unwrap_err().to_string();
    assert_eq!(asked, 1);
    assert!(!error.contains(KEY), "{error}");
    assert!(error.contains("401"), "{error}");
}

#[test]
fn an_error_inside_a_stream_never_shows_the_key() {
    // Whole, and where the text is cut.
    for before in ["Received API Key =".to_owned(), "x".repeat(490)] {
        let error = json!({ "error": { "type": "auth", "message": format!("{before} {KEY}") } });
        let (answer, ..) = turn(vec![Reply::stream(format!("data: {error}\n\n"))]);
        let error = answer.unwrap_err().to_string();
        assert!(error.contains(" …reda"), "{error}");
        assert!(!error.contains(&KEY[..6]), "{error}");
    }
}

#[test]
fn a_character_that_is_cut_in_two_does_not_end_an_answer() {
    let chunk = |text: &str, end: &str| {
        let delta = format!(r#"{{"content":"{text}"}}"#);
        format!("data: {{\"choices\":[{{\"delta\":{delta},\"finish_reason\":{end}}}]}}\n\n")
    };
    let first = chunk(r"a\ud83d", "null");
    let second = chunk(r"\ude00 b", r#""stop""#);
    let (answer, ..) = turn(vec![Reply::stream(format!(
        "{first}{second}data: [DONE]\n\n"
    ))]);
    assert_eq!(answer.unwrap(), "a\u{fffd}\u{fffd} b");
}

#[test]
fn half_a_stream_is_an_error_and_not_an_answer() {
    let chunk = json!({ "choices": [{ "delta": { "content": "hel" }, "finish_reason": null }] });
    let half = Reply::stream(format!("data: {chunk}\n\n"));
    let (answer, _, asked) = turn(vec![half, hello()]);
    assert!(matches!(
        answer,
        Err(TurnError::Provider(ProviderError::Cut { .. }))
    ));
    assert_eq!(asked, 1, "what has begun is not asked again");
    let broken = Reply::stream("data: {\"choices\": [\n\n".into());
    let (answer, ..) = turn(vec![broken]);
    assert!(matches!(
        answer,
        Err(TurnError::Provider(ProviderError::Malformed { .. }))
    ));
    for failed in [
        json!({ "error": { "message": "overloaded" } }),
        json!({ "error": "overloaded", "error_type": "overloaded" }),
    ] {
        let (answer, ..) = turn(vec![Reply::stream(format!("data: {failed}\n\n"))]);
        let Err(TurnError::Provider(error @ ProviderError::Failed { .. })) = answer else {
            panic!("{answer:?}");
        };
        assert!(error.to_string().ends_with(": overloaded"), "{error}");
    }
}

/// A turn against a server of this protocol with these streams: its outcome, how often it was asked.
fn streamed(
    provider: impl FnOnce(Endpoint) -> Box<dyn Provider>,
    streams: &[&[Value]],
) -> (Result<String, TurnError>, usize) {
    let replies = streams.iter().map(|events| {
        let lines = events.iter().map(|event| format!("data: {event}\n\n"));
        Reply::stream(lines.collect())
    });
    let server = Server::start(replies.collect());
    let lab = Lab::new();
    lab.skill("a", "Does a. Use for a.", "", "Do a.");
    let mut runtime = lab.runtime(Scripted::default());
    runtime.provider = provider(server.endpoint("", "authorization", KEY.into()));
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let end = runtime.turn(&mut session, "hi", &mut Front::new(ApprovalAnswer::No));
    (end.map(|_| session.answer()), server.asked().len())
}

fn claude(endpoint: Endpoint) -> Box<dyn Provider> {
    let server = "claude".into();
    Box::new(Anthropic { server, endpoint })
}

fn responses(endpoint: Endpoint) -> Box<dyn Provider> {
    let name = "openai".into();
    Box::new(OpenAiResponses { name, endpoint })
}

#[test]
fn an_error_at_the_beginning_of_a_stream_is_tried_again() {
    let start = json!({ "type": "message_start", "message": {} });
    let busy = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let text = json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "fine" } });
    let stop = json!({ "type": "message_stop" });
    let answer = [start.clone(), text.clone(), stop];
    let late = [start, busy.clone()];
    let (said, asked) = streamed(claude, &[from_ref(&busy), &late, &answer]);
    assert_eq!((said.unwrap().as_str(), asked), ("fine", 3));
    // What has begun is not asked for again, nor what will not pass.
    let (said, asked) = streamed(claude, &[&[text, busy], &answer]);
    assert_eq!((said.unwrap_err().kind(), asked), ("failed", 1));
    let wrong =
        json!({ "type": "error", "error": { "type": "invalid_request_error", "message": "no" } });
    let (said, asked) = streamed(claude, &[&[wrong], &answer]);
    assert_eq!((said.unwrap_err().kind(), asked), ("failed", 1));

    let created = json!({ "type": "response.created", "response": {} });
    let limit = json!({ "type": "response.failed", "response": { "error": { "code": "rate_limit_exceeded", "message": "Rate limit reached. Please try again in 5ms." } } });
    let delta = json!({ "type": "response.output_text.delta", "delta": "fine" });
    let done = json!({ "type": "response.completed", "response": {} });
    let answer = [delta, done];
    let (said, asked) = streamed(responses, &[&[created, limit], &answer]);
    assert_eq!((said.unwrap().as_str(), asked), ("fine", 2));

    let busy = json!({ "error": { "code": 502, "message": "Provider disconnected" } });
    let (said, _, asked) = turn(vec![Reply::stream(format!("data: {busy}\n\n")), hello()]);
    assert_eq!((said.unwrap().as_str(), asked), ("hello", 2));
}

#[test]
fn words_that_come_as_a_whole_are_heard() {
    let item = json!({ "type": "message", "id": "m", "role": "assistant", "content": [{ "type": "output_text", "text": "whole words" }] });
    let added = json!({ "type": "response.output_item.added", "item": { "type": "message", "id": "m", "content": [] } });
    let delta =
        json!({ "type": "response.output_text.delta", "item_id": "m", "delta": "whole words" });
    let done = json!({ "type": "response.output_item.done", "item": item });
    let completed = json!({ "type": "response.completed", "response": { "output": [item] } });
    for events in [
        vec![added.clone(), done.clone(), completed.clone()],
        vec![completed.clone()],
        vec![added, delta, done, completed],
    ] {
        let (said, _) = streamed(responses, &[&events]);
        assert_eq!(said.unwrap(), "whole words");
    }
}

#[test]
fn an_answer_in_one_piece_is_told_from_half_a_stream() {
    let whole = json!({ "choices": [{ "message": { "content": "hello" } }] });
    let (answer, ..) = turn(vec![Reply::stream(whole.to_string())]);
    let error = answer.unwrap_err().to_string();
    assert!(error.ends_with("it is no stream of events"), "{error}");
}

/// What a turn came to with a server that speaks as it likes once it was asked.
fn heard(speak: impl FnOnce(&mut TcpStream) + Send + 'static) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        // An answer before the question would be refused.
        let (mut asked, mut piece) = (Vec::new(), [0; 4096]);
        while !asked.ends_with(b"}") {
            let size = connection.read(&mut piece).unwrap();
            asked.extend_from_slice(&piece[..size]);
        }
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
        connection.write_all(head.as_bytes()).unwrap();
        speak(&mut connection);
    });
    let mut endpoint = Server::start(Vec::new()).endpoint("", "x", "y".into());
    endpoint.url = format!("http://{address}");
    endpoint.patience.silence = Duration::from_secs(2);
    let lab = Lab::new();
    let mut runtime = lab.runtime(OpenAiChat {
        name: "local".into(),
        endpoint,
        limit_name: LimitName::MaxTokens,
    });
    let mut session = lab.session(&runtime, &AgentSettings::default());
    runtime
        .turn(&mut session, "hi", &mut Front::new(ApprovalAnswer::No))
        .unwrap();
    session.answer()
}

/// The whole of an answer, as one event.
fn whole(text: &str) -> String {
    let chunk = json!({ "choices": [{ "delta": { "content": text }, "finish_reason": "stop" }] });
    format!("data: {chunk}\n\n")
}

#[test]
fn a_slow_answer_is_no_silence() {
    let answer = heard(|connection| {
        // What servers send while their model thinks, for longer than the silence in all.
        for _ in 0..20 {
            std::thread::sleep(Duration::from_millis(150));
            connection.write_all(b": still here\n\n").unwrap();
        }
        let end = whole("late") + "data: [DONE]\n\n";
        connection.write_all(end.as_bytes()).unwrap();
    });
    assert_eq!(answer, "late");
}

#[test]
fn a_whole_answer_counts_whatever_becomes_of_the_connection() {
    let left_open = heard(|connection| {
        connection.write_all(whole("open").as_bytes()).unwrap();
        // Until the other side has had enough.
        let _ = connection.read(&mut [0; 16]);
    });
    assert_eq!(left_open, "open");
    let broken = heard(|connection| {
        let end = whole("broken") + "data: {\"choi";
        connection.write_all(end.as_bytes()).unwrap();
    });
    assert_eq!(broken, "broken");
}

/// A session in which a model made these calls, and the results.
fn results(arguments: &[(&str, String)]) -> (Vec<(CallOutcome, String)>, Lab) {
    let lab = Lab::new();
    lab.skill("a", "Does a. Use for a.", "", "Do a.");
    let parts = arguments.iter().enumerate().map(|(at, (tool, text))| {
        let part = calls(&format!("c{at}"), tool, &Value::Null);
        match part {
            skillyard_agent::message::AssistantPart::Call(mut call) => {
                call.arguments.clone_from(text);
                skillyard_agent::message::AssistantPart::Call(call)
            }
            other => other,
        }
    });
    let mut runtime = lab.runtime(Scripted::new([parts.collect()]));
    let mut session = lab.session(&runtime, &AgentSettings::default());
    runtime
        .turn(&mut session, "go", &mut Front::new(ApprovalAnswer::No))
        .unwrap();
    let results = session.messages.iter().find_map(|message| match message {
        Message::Tool { results } => Some(results),
        _ => None,
    });
    let results = results.unwrap().iter();
    let results = results.map(|each| (each.outcome, each.content.clone()));
    (results.collect(), lab)
}

#[test]
fn calls_that_make_no_sense_get_an_answer() {
    let (results, _lab) = results(&[
        ("skill_load", "{\"name\": \"a\"".into()),
        ("skill_load", "[1]".into()),
        ("skil_load", "{}".into()),
        ("skill_load", "{\"name\": \"b\"}".into()),
        (
            "skill_load",
            format!("{{\"name\": \"{}\"}}", "x".repeat(1 << 20)),
        ),
        (
            "skill_read",
            "{\"name\": \"a\", \"path\": \"SKILL.md\"}".into(),
        ),
        ("skills.activate", "{\"name\": \"a\"}".into()),
        ("skills.list", "{}".into()),
    ]);
    let starts = [
        "the arguments are no valid JSON",
        "the arguments are no JSON object",
        "there is no tool `skil_load`; did you mean `skill_load`?",
        "there is no skill `b`",
        "the arguments are too long: 262144 bytes are allowed",
        "skill `a` is not loaded",
        "<skill_content name=\"a\"",
        "{\"skills\":[{\"name\":\"a\",\"description\":\"Does a. Use for a.\"}],\"total\":1}",
    ];
    assert_eq!(results.len(), starts.len());
    for ((outcome, content), start) in results.iter().zip(starts) {
        assert!(content.starts_with(start), "{content}");
        assert_eq!(*outcome == CallOutcome::Ok, start.starts_with(['<', '{']));
        assert!(content.len() < 2000);
    }
}

#[test]
fn the_same_call_fifty_times_ends_the_turn() {
    let lab = Lab::new();
    lab.skill("a", "Does a. Use for a.", "", "Do a.");
    let call = |at: usize| {
        vec![calls(
            &format!("c{at}"),
            "skill_search",
            &json!({ "query": "a" }),
        )]
    };
    let model = Scripted::new((0..50).map(call));
    let mut runtime = lab.runtime(model.clone());
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let end = runtime.turn(&mut session, "go", &mut Front::new(ApprovalAnswer::No));
    assert_eq!(end.unwrap().reason, EndReason::Repetition);
    assert_eq!(model.requests.lock().unwrap().len(), 6);
    let told = model.requests.lock().unwrap()[4].to_string();
    assert!(told.contains("made several times"));
}

#[test]
fn an_answer_with_the_same_call_a_thousand_times_is_not_made_to_its_end() {
    let lab = Lab::new();
    lab.skill("a", "Does a. Use for a.", "", "Do a.");
    let search = |at| calls(&format!("c{at}"), "skill_search", &json!({ "query": "a" }));
    let model = Scripted::new([(0..1000).map(search).collect()]);
    let mut runtime = lab.runtime(model);
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let end = runtime.turn(&mut session, "go", &mut Front::new(ApprovalAnswer::No));
    assert_eq!(end.unwrap().reason, EndReason::Repetition);
    let kinds = lab.kinds();
    let made = kinds.iter().filter(|kind| **kind == "skill.tool_allowed");
    assert_eq!(made.count(), 6);
}

#[test]
fn a_turn_takes_no_more_than_its_share_of_the_log() {
    let lab = Lab::new();
    let read = |at: usize| {
        let path = format!("{at}/{}", "x".repeat(3_900));
        calls(&format!("c{at}"), "Read", &json!({ "path": path }))
    };
    let answer = |at: usize| (at * 128..(at + 1) * 128).map(read).collect();
    let mut runtime = lab.runtime(Scripted::new((0..32).map(answer)));
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let end = runtime.turn(&mut session, "go", &mut Front::new(ApprovalAnswer::No));
    assert_eq!(end.unwrap().reason, EndReason::LogShare);
    let machine = lab.machine.lock().unwrap();
    let size: usize = machine
        .events
        .iter()
        .map(skillyard_audit::Event::size)
        .sum();
    assert!(size < 1_200_000, "{size}");
    let mut reasons = machine
        .events
        .iter()
        .filter_map(|event| event.reason.as_deref());
    let cut = |reason: &str| reason.len() < 300 && reason.contains("more characters");
    assert!(reasons.any(cut));
}

/// A front end whose user stops the turn while the first call is made.
struct Leaving(Front);

impl FrontEnd for Leaving {
    fn event(&mut self, event: &TurnEvent) {
        if matches!(event, TurnEvent::ToolCall { .. }) {
            self.0.cancel.store(true, Ordering::Relaxed);
        }
        self.0.event(event);
    }

    fn approve(&mut self, request: &ApprovalRequest) -> ApprovalAnswer {
        self.0.approve(request)
    }

    fn cancel(&self) -> Arc<AtomicBool> {
        self.0.cancel()
    }
}

#[test]
fn after_a_stop_no_other_call_is_made() {
    let lab = Lab::new();
    let write = |at| {
        let arguments = json!({ "path": format!("{at}.txt"), "content": "x" });
        calls(&format!("c{at}"), "Write", &arguments)
    };
    let mut runtime = lab.runtime(Scripted::new([(0..5).map(write).collect()]));
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Leaving(Front::new(ApprovalAnswer::Once));
    let end = runtime.turn(&mut session, "go", &mut front).unwrap();
    assert_eq!(end.reason, EndReason::Cancelled);
    assert_eq!(front.0.asked.len(), 1);
    assert!(lab.machine.lock().unwrap().commands.len() <= 1);
    // Every call has a result all the same, and the session goes on.
    let Some(Message::Tool { results }) = session.messages.get(2) else {
        panic!("{:?}", session.messages);
    };
    assert_eq!(results.len(), 5);
    assert!(results[4].content.starts_with("This call was not made"));
    let events = lab.recorded(&[&session.id]);
    replay(&session, &mut lab.shelf(), events).unwrap();
}

#[test]
fn a_search_through_the_workspace_can_be_stopped() {
    for (tool, arguments) in [
        ("Grep", json!({ "pattern": "x" })),
        ("Glob", json!({ "pattern": "**" })),
    ] {
        let lab = Lab::new();
        lab.write("work/a.txt", "x\n");
        let mut runtime = lab.runtime(Scripted::new([vec![calls("c", tool, &arguments)]]));
        let mut session = lab.session(&runtime, &AgentSettings::default());
        let mut front = Leaving(Front::new(ApprovalAnswer::No));
        runtime.turn(&mut session, "go", &mut front).unwrap();
        let Some(Message::Tool { results }) = session.messages.get(2) else {
            panic!("{:?}", session.messages);
        };
        assert_eq!(results[0].content, "it was stopped");
    }
}

#[test]
fn an_odd_answer_is_kept_so_that_a_server_takes_it_back() {
    let lab = Lab::new();
    lab.skill("a", "Does a. Use for a.", "", "BODY-A");
    lab.skill("b", "Does b. Use for b.", "", "BODY-B");
    let load = |id: &str, name: &str| calls(id, "skill_load", &json!({ "name": name }));
    let no_arguments = json!({});
    let model = Scripted::new([
        vec![load("x", "a"), load("x", "b")],
        vec![
            calls("x", "", &no_arguments),
            calls("", "no such\ntool!", &no_arguments),
            calls("a b", &"long".repeat(1000), &no_arguments),
        ],
    ]);
    let mut runtime = lab.runtime(model.clone());
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::No);
    runtime.turn(&mut session, "go", &mut front).unwrap();
    let mut ids = Vec::new();
    for call in session.messages.iter().flat_map(Message::calls) {
        assert!(!ids.contains(&call.id), "{} twice", call.id);
        ids.push(call.id.clone());
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
        assert!(call.name.chars().all(fits), "{}", call.name);
        assert!((1..=64).contains(&call.name.len()), "{}", call.name);
    }
    assert_eq!(ids.len(), 5);
    assert_eq!(ids[0], "x", "what is in order stays as it is");
    let answered = session.messages.iter().filter_map(|message| match message {
        Message::Tool { results } => Some(results.iter().map(|each| each.id.clone())),
        _ => None,
    });
    assert_eq!(answered.flatten().collect::<Vec<_>>(), ids);
    let events = lab.recorded(&[&session.id]);
    replay(&session, &mut lab.shelf(), events).unwrap();
}

#[test]
fn a_killed_turn_is_resumed_and_nothing_runs_twice() {
    let lab = Lab::new();
    lab.skill("a", "Does a. Use for a.", "", "Do a.");
    lab.write("skills/a/scripts/x.sh", "echo x\n");
    let run = json!({ "name": "a", "script": "scripts/x.sh" });
    let model = Scripted::new([vec![calls("c1", "skill_run", &run)]]);
    let mut runtime = lab.runtime(model);
    let mut session = lab.session(&runtime, &AgentSettings::default());
    runtime
        .turn(
            &mut session,
            "/a run it",
            &mut Front::new(ApprovalAnswer::No),
        )
        .unwrap();
    assert_eq!(lab.machine.lock().unwrap().scripts.len(), 1);
    // What a kill between the call and its result leaves: the calls without results.
    let mut cut = session.fork(session.created).unwrap();
    cut.messages.truncate(2);
    runtime.store.save(&mut cut, session.created).unwrap();
    let mut resumed = lab.store().load(&cut.id).unwrap();
    let model = Scripted::new([vec![says("I see.")]]);
    let mut runtime = lab.runtime(model.clone());
    runtime
        .turn(&mut resumed, "go on", &mut Front::new(ApprovalAnswer::No))
        .unwrap();
    assert_eq!(lab.machine.lock().unwrap().scripts.len(), 1);
    let asked = model.requests.lock().unwrap()[0].to_string();
    assert!(asked.contains("interrupted before the result"));
    assert!(asked.contains("/a run it"), "nothing is lost");
}

#[test]
fn a_turn_stops_when_the_user_wants_it() {
    // A server that accepts and says nothing.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = Server::start(Vec::new());
    let mut endpoint = server.endpoint("", "x", "y".into());
    endpoint.url = format!("http://{address}");
    let lab = Lab::new();
    let mut runtime = lab.runtime(OpenAiChat {
        name: "local".into(),
        endpoint,
        limit_name: LimitName::MaxTokens,
    });
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::No);
    let cancel = std::sync::Arc::clone(&front.cancel);
    let start = Instant::now();
    std::thread::spawn(move || {
        // The request must be on its way first.
        let _ = listener.accept();
        cancel.store(true, Ordering::Relaxed);
    });
    let end = runtime.turn(&mut session, "hi", &mut front).unwrap();
    assert_eq!(end.reason, EndReason::Cancelled);
    assert!(start.elapsed().as_secs() < 5);
    assert_eq!(session.answer(), "(stopped by the user)");
}

/// A model that is stopped in the middle of its answer.
struct Halted;

impl Provider for Halted {
    fn name(&self) -> &'static str {
        "halted"
    }

    fn complete(
        &self,
        _: &ModelRequest<'_>,
        on: &mut dyn FnMut(Delta<'_>),
        _: &AtomicBool,
    ) -> Result<Completion, ProviderError> {
        on(Delta::Text("Half an "));
        on(Delta::Text("answer"));
        Err(ProviderError::Cancelled)
    }
}

#[test]
fn what_was_said_before_a_stop_is_kept_with_who_stopped_it() {
    for (stopper, mark) in [
        (Stopper::User, "(stopped by the user)"),
        (Stopper::Server, "(stopped: the server ended)"),
    ] {
        let lab = Lab::new();
        let mut runtime = lab.runtime(Halted);
        let mut session = lab.session(&runtime, &AgentSettings::default());
        let mut front = Front::new(ApprovalAnswer::No);
        front.stopper = stopper;
        let end = runtime.turn(&mut session, "hi", &mut front).unwrap();
        assert_eq!(end.reason, EndReason::Cancelled);
        let kept = lab.store().load(&session.id).unwrap();
        assert_eq!(kept.answer(), format!("Half an answer\n\n{mark}"));
        let told = front.events.iter().filter_map(|event| match event {
            TurnEvent::Text { delta } => Some(delta.as_str()),
            _ => None,
        });
        assert_eq!(told.collect::<String>(), kept.answer(), "as it was shown");
    }
}
