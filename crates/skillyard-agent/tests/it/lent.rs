//! Tools that MCP servers lend, between the guard, the user and the host.

use serde_json::json;
use skillyard_agent::front_end::{Action, ApprovalAnswer};
use skillyard_agent::message::{CallOutcome, Message};
use skillyard_agent::session::Session;
use skillyard_agent::settings::AgentSettings;

use crate::lab::{Front, Lab, Scripted, calls};

fn lab() -> Lab {
    let lab = Lab::new();
    lab.skill("free", "Does anything. Use for all.", "", "Do it.");
    lab.skill(
        "narrow",
        "Does one thing. Use for one.",
        "allowed-tools: mcp__s__run Read\n",
        "Do it.",
    );
    lab
}

fn turn(lab: &Lab, front: &mut Front, prompt: &str, tools: &[&str]) -> Session {
    let parts = tools
        .iter()
        .enumerate()
        .map(|(at, tool)| calls(&format!("c{at}"), tool, &json!({ "x": at })));
    let mut runtime = lab.runtime(Scripted::new([parts.collect()]));
    let mut session = lab.session(&runtime, &AgentSettings::default());
    session.prompt = runtime.prompt(&AgentSettings::default());
    runtime.turn(&mut session, prompt, front).unwrap();
    session
}

fn results(session: &Session) -> Vec<(CallOutcome, &str)> {
    let all = session.messages.iter().filter_map(|message| match message {
        Message::Tool { results } => Some(results),
        _ => None,
    });
    all.flatten()
        .map(|each| (each.outcome, each.content.as_str()))
        .collect()
}

#[test]
fn a_lent_tool_is_told_of_approved_called_and_written_down() {
    let lab = lab();
    let mut front = Front::new(ApprovalAnswer::Session);
    let session = turn(
        &lab,
        &mut front,
        "/free go",
        &["mcp__s__ask", "mcp__s__ask"],
    );
    assert_eq!(results(&session), [(CallOutcome::Ok, "lent output"); 2]);
    // It was asked once, with what would be sent.
    assert_eq!(
        front
            .asked
            .iter()
            .map(|each| &each.action)
            .collect::<Vec<_>>(),
        [&Action::Lent {
            tool: "mcp__s__ask".into(),
            arguments: r#"{"x":0}"#.into()
        }]
    );
    let machine = lab.machine.lock().unwrap();
    let (tool, arguments, skills) = &machine.lent[1];
    assert_eq!(
        (tool.as_str(), arguments),
        ("mcp__s__ask", &json!({ "x": 1 }))
    );
    assert_eq!(skills, &["free"]);
    let event = machine.events.last().unwrap();
    let before = machine
        .events
        .iter()
        .rev()
        .find(|event| event.detail.contains_key("server"));
    let detail = &before.unwrap_or(event).detail;
    assert_eq!(detail["server"], "s");
    assert!(detail["skills"].starts_with("free@sha256:"), "{detail:?}");
    let tools: Vec<&str> = session
        .prompt
        .tools
        .iter()
        .map(|tool| &*tool.name)
        .collect();
    assert!(tools.ends_with(&[
        "mcp__s__ask",
        "mcp__s__run",
        "mcp__s__blocked",
        "mcp__s__fail"
    ]));
    assert!(
        session
            .prompt
            .system
            .contains("`mcp__` belong to other programs")
    );
}

#[test]
fn a_skills_list_of_tools_holds_for_lent_ones() {
    let lab = lab();
    let mut front = Front::new(ApprovalAnswer::Once);
    let session = turn(
        &lab,
        &mut front,
        "/narrow go",
        &["mcp__s__run", "mcp__s__ask"],
    );
    let results = results(&session);
    assert_eq!(results[0].0, CallOutcome::Ok);
    assert_eq!(results[1].0, CallOutcome::Denied);
    assert!(
        results[1].1.starts_with("Denied by `narrow`"),
        "{}",
        results[1].1
    );
    assert!(front.asked.is_empty());
    assert!(lab.kinds().contains(&"skill.tool_blocked"));
    assert_eq!(lab.machine.lock().unwrap().lent.len(), 1);
}

#[test]
fn what_is_not_allowed_or_not_there_is_not_called() {
    let lab = lab();
    let mut front = Front::new(ApprovalAnswer::No);
    let tools = [
        "mcp__s__ask",
        "mcp__s__blocked",
        "mcp__s__fail",
        "mcp__t__x",
        "mcp__s__asc",
    ];
    let session = turn(&lab, &mut front, "go", &tools);
    assert_eq!(
        results(&session),
        [
            (
                CallOutcome::Denied,
                "Denied: the user does not allow this use of `mcp__s__ask`"
            ),
            (CallOutcome::Denied, "Denied: it is a test"),
            (CallOutcome::Failed, "the server ended"),
            (CallOutcome::Failed, "there is no tool `mcp__t__x`"),
            (
                CallOutcome::Failed,
                "there is no tool `mcp__s__asc`; did you mean `mcp__s__ask`?"
            ),
        ]
    );
    assert!(lab.machine.lock().unwrap().lent.is_empty());
}
