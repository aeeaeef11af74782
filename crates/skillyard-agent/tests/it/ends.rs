//! How turns end: with an answer, without one, or because the model gets nowhere.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use serde_json::json;
use skillyard_agent::front_end::{ApprovalAnswer, EndReason, TurnEvent, Unanswered};
use skillyard_agent::message::{AssistantPart, Message, ToolCall};
use skillyard_agent::provider::{Completion, Delta, ModelRequest, Provider, ProviderError, Stop};
use skillyard_agent::replay::replay;
use skillyard_agent::session::Session;
use skillyard_agent::settings::AgentSettings;

use crate::lab::{Front, Lab, Scripted, calls, says};

/// A model that stops for a reason.
struct Stopping(Mutex<VecDeque<(Vec<AssistantPart>, Stop)>>);

impl Stopping {
    fn new(answers: impl IntoIterator<Item = (Vec<AssistantPart>, Stop)>) -> Self {
        Self(Mutex::new(answers.into_iter().collect()))
    }
}

impl Provider for Stopping {
    fn name(&self) -> &'static str {
        "stopping"
    }

    fn complete(
        &self,
        _request: &ModelRequest<'_>,
        on: &mut dyn FnMut(Delta<'_>),
        _cancel: &AtomicBool,
    ) -> Result<Completion, ProviderError> {
        let (parts, stop) = self.0.lock().unwrap().pop_front().unwrap();
        for part in &parts {
            if let AssistantPart::Text { text } = part {
                on(Delta::Text(text));
            }
        }
        Ok(Completion {
            parts,
            stop,
            ..Completion::default()
        })
    }
}

/// A turn with these answers: why it ended, what was shown, and the session.
fn turn(
    lab: &Lab,
    answers: impl IntoIterator<Item = (Vec<AssistantPart>, Stop)>,
) -> (EndReason, String, Session) {
    let mut runtime = lab.runtime(Stopping::new(answers));
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::Once);
    let end = runtime.turn(&mut session, "go", &mut front).unwrap();
    let shown = front.events.iter().filter_map(|event| match event {
        TurnEvent::Text { delta } => Some(delta.as_str()),
        _ => None,
    });
    (end.reason, shown.collect(), session)
}

#[test]
fn what_is_no_answer_says_so() {
    let cut = "(cut off: the limit of tokens was reached)";
    let refused = "(refused by the model or its server)";
    let nothing = "(the model said nothing)";
    let half = |mark: &str| format!("Half\n\n{mark}");
    for (parts, stop, reason, shown, given) in [
        (
            vec![says("Half")],
            Stop::Length,
            EndReason::Length,
            half(cut),
            half(cut),
        ),
        (
            vec![],
            Stop::Length,
            EndReason::Length,
            cut.into(),
            String::new(),
        ),
        (
            vec![says("Half")],
            Stop::Refused,
            EndReason::Refused,
            half(refused),
            half(refused),
        ),
        (
            vec![
                says("Half"),
                calls("c", "Read", &json!({ "path": "a.txt" })),
            ],
            Stop::Refused,
            EndReason::Refused,
            half(refused),
            half(refused),
        ),
        (
            vec![],
            Stop::Refused,
            EndReason::Refused,
            refused.into(),
            String::new(),
        ),
        (
            vec![],
            Stop::End,
            EndReason::Empty,
            nothing.into(),
            String::new(),
        ),
        (
            vec![says("")],
            Stop::End,
            EndReason::Empty,
            nothing.into(),
            String::new(),
        ),
        (
            vec![says("All.")],
            Stop::End,
            EndReason::Answered,
            "All.".into(),
            "All.".into(),
        ),
    ] {
        let lab = Lab::new();
        let (end, told, session) = turn(&lab, [(parts, stop)]);
        assert_eq!((end, &told), (reason, &shown));
        assert_eq!(session.answer(), shown, "it is kept as it was shown");
        assert_eq!(session.given_answer(), given);
        let events = lab.recorded(&[&session.id]);
        replay(&session, &mut lab.shelf(), events).unwrap();
    }
}

#[test]
fn an_answer_belongs_to_its_turn() {
    let lab = Lab::new();
    lab.write("work/a.txt", "x\n");
    let mut runtime = lab.runtime(Stopping::new([
        (vec![says("First.")], Stop::End),
        (vec![], Stop::End),
        (
            vec![
                says("I look."),
                calls("c", "Read", &json!({ "path": "a.txt" })),
            ],
            Stop::End,
        ),
        (vec![], Stop::End),
    ]));
    let mut session = lab.session(&runtime, &AgentSettings::default());
    let mut front = Front::new(ApprovalAnswer::No);
    runtime.turn(&mut session, "one", &mut front).unwrap();
    assert_eq!(session.given_answer(), "First.");
    for words in ["two", "three"] {
        let end = runtime.turn(&mut session, words, &mut front).unwrap();
        assert_eq!(end.reason, EndReason::Empty);
        assert_eq!(session.given_answer(), "");
    }
    // As in a session that an older version kept, or one that was killed.
    let Some(Message::Assistant { parts }) = session.messages.last_mut() else {
        panic!("{:?}", session.messages);
    };
    parts.clear();
    assert_eq!(session.answer(), "");
    session.messages.push(Message::user("four"));
    assert_eq!(session.answer(), "");
}

#[test]
fn a_call_that_the_limit_cut_is_told_as_such() {
    let half = |arguments: &str| {
        AssistantPart::Call(ToolCall {
            id: "c".into(),
            name: "Write".into(),
            arguments: arguments.into(),
        })
    };
    for (arguments, stop, is_cut) in [
        (
            "{\"path\": \"a.txt\", \"content\": \"long",
            Stop::Length,
            true,
        ),
        ("{}", Stop::Length, true),
        ("{\"path\": 1}", Stop::Length, false),
        (
            "{\"path\": \"a.txt\", \"content\": \"long",
            Stop::End,
            false,
        ),
    ] {
        let lab = Lab::new();
        let done = (vec![says("Done.")], Stop::End);
        let (_, _, session) = turn(&lab, [(vec![half(arguments)], stop), done]);
        let Some(Message::Tool { results }) = session.messages.get(2) else {
            panic!("{:?}", session.messages);
        };
        let content = &results[0].content;
        assert_eq!(
            content.contains("reached its limit of tokens"),
            is_cut,
            "{content}"
        );
        let events = lab.recorded(&[&session.id]);
        replay(&session, &mut lab.shelf(), events).unwrap();
    }
}

#[test]
fn a_call_whose_arguments_were_cut_off_is_not_made() {
    for tool in ["mcp__s__run", "skill_search"] {
        let lab = Lab::new();
        lab.skill("a", "Does a. Use for a.", "", "Do a.");
        let call = calls("c", tool, &json!({}));
        let cut = (vec![says("I do."), call], Stop::Length);
        let done = (vec![says("Done.")], Stop::End);
        let mut runtime = lab.runtime(Stopping::new([cut, done]));
        let mut session = lab.session(&runtime, &AgentSettings::default());
        session.prompt = runtime.prompt(&AgentSettings::default());
        let mut front = Front::new(ApprovalAnswer::Once);
        runtime.turn(&mut session, "go", &mut front).unwrap();
        let Some(Message::Tool { results }) = session.messages.get(2) else {
            panic!("{:?}", session.messages);
        };
        let content = &results[0].content;
        assert!(content.starts_with("This call was not made"), "{content}");
        assert!(content.contains("limit of tokens"), "{content}");
        assert!(lab.machine.lock().unwrap().lent.is_empty());
        let events = lab.recorded(&[&session.id]);
        replay(&session, &mut lab.shelf(), events).unwrap();
    }
}

/// A model that reads the same file again and again, while somebody or something changes it.
#[derive(Clone)]
struct Reading {
    lab: PathBuf,
    changes: bool,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Provider for Reading {
    fn name(&self) -> &'static str {
        "reading"
    }

    fn complete(
        &self,
        request: &ModelRequest<'_>,
        _on: &mut dyn FnMut(Delta<'_>),
        _cancel: &AtomicBool,
    ) -> Result<Completion, ProviderError> {
        let mut asked = self.asked.lock().unwrap();
        asked.push(serde_json::to_string(request).unwrap());
        let at = asked.len();
        if self.changes {
            std::fs::write(self.lab.join("work/a.txt"), format!("v{at}\n")).unwrap();
        }
        let read = || calls(&format!("c{at}"), "Read", &json!({ "path": "a.txt" }));
        let parts = if at > 12 {
            vec![says("Done.")]
        } else {
            vec![read()]
        };
        Ok(Completion {
            parts,
            ..Completion::default()
        })
    }
}

#[test]
fn only_the_same_result_is_a_repetition() {
    for (changes, reason, times) in [
        (true, EndReason::Answered, 13),
        (false, EndReason::Repetition, 6),
    ] {
        let lab = Lab::new();
        lab.write("work/a.txt", "v0\n");
        let model = Reading {
            lab: lab.folder.path().to_owned(),
            changes,
            asked: Arc::default(),
        };
        let mut runtime = lab.runtime(model.clone());
        let mut session = lab.session(&runtime, &AgentSettings::default());
        let end = runtime.turn(&mut session, "go", &mut Front::new(ApprovalAnswer::No));
        assert_eq!(end.unwrap().reason, reason);
        let asked = model.asked.lock().unwrap();
        assert_eq!(asked.len(), times);
        let told = asked[5].contains("gave the same result each time");
        assert_eq!(told, !changes, "{}", asked[5]);
    }
}

#[test]
fn a_new_change_makes_results_new_and_an_old_one_does_not() {
    for (kinds, reason) in [(8, EndReason::Answered), (2, EndReason::Repetition)] {
        let lab = Lab::new();
        let step = |at: usize| {
            let change = json!({ "path": "a.txt", "content": format!("{}", at % kinds) });
            let test = json!({ "command": "make test" });
            vec![
                calls(&format!("w{at}"), "Write", &change),
                calls(&format!("t{at}"), "Bash", &test),
            ]
        };
        let mut runtime = lab.runtime(Scripted::new((0..8).map(step)));
        let mut session = lab.session(&runtime, &AgentSettings::default());
        let mut front = Front::new(ApprovalAnswer::Once);
        let end = runtime.turn(&mut session, "go", &mut front);
        assert_eq!(end.unwrap().reason, reason, "{kinds}");
    }
}

#[test]
fn who_did_not_answer_did_not_say_no() {
    for (why, reason) in [
        (
            Unanswered::Late { minutes: 10 },
            "nobody answered within 10 minutes",
        ),
        (Unanswered::NobodyThere, "nobody could be asked"),
        (
            Unanswered::Stopped,
            "the turn was stopped before anybody answered",
        ),
    ] {
        let lab = Lab::new();
        let bash = calls("c", "Bash", &json!({ "command": "ls" }));
        let model = Scripted::new([vec![bash]]);
        let mut runtime = lab.runtime(model.clone());
        let mut session = lab.session(&runtime, &AgentSettings::default());
        let mut front = Front::new(ApprovalAnswer::Unanswered(why));
        runtime.turn(&mut session, "go", &mut front).unwrap();
        let told = model.requests.lock().unwrap()[1].to_string();
        let denied = format!("Denied: {reason} whether to allow this use of `Bash`");
        assert!(told.contains(&denied), "{told}");
        let machine = lab.machine.lock().unwrap();
        assert!(machine.commands.is_empty());
        let denials = machine
            .events
            .iter()
            .filter_map(|event| event.reason.clone());
        let denials: Vec<String> = denials.collect();
        assert_eq!(denials.iter().filter(|each| *each == reason).count(), 2);
        assert!(!denials.iter().any(|each| each.contains("said no")));
    }
}
