//! What others hear of a session: events and traces.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use skillyard_agent::Runtime;
use skillyard_agent::front_end::ApprovalAnswer;
use skillyard_agent::message::Trigger;
use skillyard_agent::settings::AgentSettings;
use skillyard_agent::shelf::ShelfSkill;
use skillyard_agent::telemetry::{
    OtlpEndpoint, OtlpExporter, TelemetryEvent, TelemetrySubscriber, Tracer,
};

use crate::lab::{Front, Lab, Scripted, calls, says};
use crate::server::{KEY, Reply, Server};

fn lab() -> Lab {
    let lab = Lab::new();
    lab.skill("pdf", "Fills forms. Use for forms.", "", "SECRET-BODY");
    lab.write("skills/pdf/references/x.md", "SECRET-RESOURCE\n");
    lab.write("skills/pdf/scripts/x.sh", "echo x\n");
    lab
}

fn model() -> Scripted {
    let pdf = |more: &[(&str, &str)]| {
        let mut value = json!({ "name": "pdf" });
        for (key, text) in more {
            value[key] = json!(text);
        }
        value
    };
    Scripted::new([
        vec![calls("c1", "skill_load", &pdf(&[]))],
        vec![
            calls("c2", "skill_read", &pdf(&[("path", "references/x.md")])),
            calls("c3", "skill_run", &pdf(&[("script", "scripts/x.sh")])),
            calls("c4", "skill_read", &pdf(&[("path", "../../etc/passwd")])),
            calls("c5", "Read", &json!({ "path": "private/diary.txt" })),
            calls("c6", "SECRET-TOOL", &json!({})),
            calls("c7", "skill_run", &pdf(&[("script", "SECRET-SCRIPT")])),
        ],
        vec![says("SECRET-ANSWER")],
    ])
}

fn turn(lab: &Lab, subscriber: Arc<dyn TelemetrySubscriber>, input: &str) {
    let mut runtime: Runtime = lab.runtime(model());
    runtime.subscribers.push(subscriber);
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::Once);
    runtime.turn(&mut session, input, &mut front).unwrap();
}

fn receiver(server: &Server, url: &str) -> OtlpEndpoint {
    OtlpEndpoint {
        client: server.endpoint("", "x", "y".into()).client,
        url: url.to_owned(),
        headers: vec![("x-api-key".into(), KEY.to_owned().into())],
    }
}

/// The value of an attribute of a span.
fn attribute<'a>(span: &'a Value, key: &str) -> &'a Value {
    let all = span["attributes"].as_array().unwrap();
    let found = all.iter().find(|each| each["key"] == key);
    found.map_or(&Value::Null, |each| {
        each["value"].as_object().unwrap().values().next().unwrap()
    })
}

#[derive(Default)]
struct Kept(Mutex<Vec<String>>);

impl TelemetrySubscriber for Kept {
    fn on_event(&self, event: &TelemetryEvent<'_>) {
        if let TelemetryEvent::SkillActivated(skill) = event {
            let line = format!("{} {} {}", skill.skill, skill.trigger.as_str(), skill.uri);
            assert!(skill.tokens > 0 && skill.digest.starts_with("sha256:"));
            self.0.lock().unwrap().push(line);
        }
    }
}

#[test]
fn a_subscriber_hears_of_activations() {
    let lab = lab();
    let kept = Arc::new(Kept::default());
    turn(&lab, kept.clone(), "do it");
    turn(&lab, kept.clone(), "/pdf do it");
    let uri = "skillyard:extra/pdf";
    let heard = kept.0.lock().unwrap().clone();
    // What the user named is only a receipt when the model loads it.
    let expected = [Trigger::Model, Trigger::User].map(|by| format!("pdf {} {uri}", by.as_str()));
    assert_eq!(heard, expected);
}

#[test]
fn a_turn_is_a_trace_with_the_names_of_the_conventions() {
    let server = Server::start(vec![Reply::error(503, "", ""), Reply::stream("{}".into())]);
    let url = server.endpoint("/otel", "x", "y".into()).url;
    let otlp = OtlpExporter::new(receiver(&server, &url), "0.0.0");
    turn(&lab(), Arc::new(Tracer::new(otlp)), "SECRET-QUESTION");
    // The first request was refused for now and is made again.
    let asked = server.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked[1].line.starts_with("POST /otel/v1/traces "));
    assert!(asked[1].headers.contains(KEY));
    let text = asked[1].body.to_string();
    for word in ["SECRET", "diary", "passwd", KEY] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    let spans = asked[1].body["resourceSpans"][0]["scopeSpans"][0]["spans"].clone();
    let names: Vec<&str> = spans
        .as_array()
        .unwrap()
        .iter()
        .map(|span| span["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "invoke_agent skillyard",
            "chat offline",
            "execute_tool skill_load pdf",
            "chat offline",
            "execute_tool skill_read pdf references/x.md",
            "execute_tool skill_run pdf scripts/x.sh",
            "execute_tool skill_read pdf",
            "execute_tool Read",
            "execute_tool unknown",
            "execute_tool skill_run pdf",
            "chat offline",
        ]
    );
    let root = &spans[0];
    assert_eq!(root["traceId"].as_str().unwrap().len(), 32);
    for span in &spans.as_array().unwrap()[1..] {
        assert_eq!(span["traceId"], root["traceId"]);
        assert_eq!(span["parentSpanId"], root["spanId"]);
        let time = |key: &str| span[key].as_str().unwrap().parse::<u64>().unwrap();
        assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"));
    }
    assert_eq!(attribute(root, "gen_ai.usage.input_tokens"), "300");
    assert_eq!(attribute(&spans[1], "gen_ai.usage.output_tokens"), "10");
    for (span, reason) in [(1, "tool_calls"), (3, "tool_calls"), (10, "stop")] {
        let reasons = attribute(&spans[span], "gen_ai.response.finish_reasons");
        assert!(reasons.to_string().contains(reason), "{reasons}");
    }
    let read = &spans[4];
    assert_eq!(attribute(read, "gen_ai.operation.name"), "execute_tool");
    assert_eq!(attribute(read, "gen_ai.tool.call.id"), "c2");
    assert_eq!(attribute(read, "gen_ai.skill.name"), "pdf");
    assert_eq!(
        attribute(read, "gen_ai.skill.source.uri"),
        "skillyard:extra/pdf"
    );
    assert_eq!(
        attribute(read, "gen_ai.skill.resource.name"),
        "references/x.md"
    );
    assert_eq!(attribute(&spans[5], "process.exit.code"), "0");
    assert_eq!(spans[6]["status"]["code"], 2);
    assert_eq!(attribute(&spans[6], "error.type"), "failed");
}

#[test]
fn a_receiver_that_is_down_or_silent_costs_a_turn_nothing() {
    let server = Server::start(Vec::new());
    // Nobody listens at the first, and the second takes connections and says nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("http://{}", silent.local_addr().unwrap());
    for url in ["http://127.0.0.1:1", silent.as_str()] {
        let tracer = Arc::new(Tracer::new(OtlpExporter::new(
            receiver(&server, url),
            "0.0.0",
        )));
        let lab = lab();
        let start = Instant::now();
        for _ in 0..3 {
            turn(&lab, tracer.clone(), "go");
        }
        assert!(start.elapsed() < Duration::from_secs(5), "{url}");
        let start = Instant::now();
        drop(tracer);
        assert!(start.elapsed() < Duration::from_secs(4), "{url}");
    }
}

#[test]
fn where_a_skill_came_from_tells_nothing_of_this_machine() {
    let shelf = lab().shelf();
    let found = shelf.find("pdf").unwrap();
    for (origin, expected) in [
        ("https://u:p@h.example/a?t=x#b", "https://h.example/a"),
        ("file:///home/u/repository", "skillyard:extra/pdf"),
        ("git+file:///home/u/repository", "skillyard:extra/pdf"),
        (
            "the MCP server `up`, skill://pdf/SKILL.md",
            "skillyard:extra/pdf",
        ),
        ("/home/u/pdf", "skillyard:extra/pdf"),
    ] {
        let origin = origin.to_owned();
        let skill = ShelfSkill {
            origin,
            ..found.clone()
        };
        assert_eq!(skill.uri(), expected, "{}", skill.origin);
    }
}
