use super::*;
use skillyard_agent::front_end::Action;
use skillyard_agent::prompt::Prompt;
use skillyard_agent::settings::AgentSettings;
use skillyard_agent::shelf::Shelf;
use skillyard_catalog::resource::ReadLimits;

fn conversation() -> Arc<Conversation> {
    Arc::new(new())
}

fn new() -> Conversation {
    let shelf = Shelf::new(Vec::new(), None, ReadLimits::default());
    let prompt = Prompt::new(&shelf, &AgentSettings::default());
    let session = Session::new(None, String::new(), prompt, jiff::Timestamp::UNIX_EPOCH);
    let session = session.unwrap();
    Conversation::new(&session, "t".into(), Vec::new())
}

fn request() -> ApprovalRequest {
    ApprovalRequest {
        call: "call".into(),
        action: Action::Command {
            command: "ls".into(),
        },
        reason: "first run".into(),
    }
}

/// Asks on another thread and waits until the question is there.
fn asked(conversation: &Arc<Conversation>) -> std::thread::JoinHandle<ApprovalAnswer> {
    let asking = Arc::clone(conversation);
    let asked = std::thread::spawn(move || asking.ask(&request()));
    while conversation.events().is_empty() {
        std::thread::yield_now();
    }
    asked
}

#[test]
fn a_question_waits_for_its_own_answer() {
    let conversation = conversation();
    let asked = asked(&conversation);
    let decide = |id: &str, consent| conversation.decide(id, consent, Holder::user());
    assert!(!decide("q1-t", Consent::Once));
    assert!(decide("q0-t", Consent::Session));
    assert_eq!(asked.join().unwrap(), ApprovalAnswer::Session);
    assert!(!decide("q0-t", Consent::Once));
}

#[test]
fn an_answer_that_was_not_offered_counts_for_the_session() {
    let conversation = conversation();
    let asking = Arc::clone(&conversation);
    let request = ApprovalRequest {
        action: Action::Script {
            skill: "pdf".into(),
            digest: String::new(),
            script: "a.sh".into(),
            arguments: Vec::new(),
            stdin: Some("rm \u{200b}x\n".into()),
            unshown: Some("it has too many files".into()),
        },
        ..request()
    };
    let asked = std::thread::spawn(move || asking.ask(&request));
    while conversation.events().is_empty() {
        std::thread::yield_now();
    }
    assert!(conversation.decide("q0-t", Consent::Digest, Holder::user()));
    assert_eq!(asked.join().unwrap(), ApprovalAnswer::Session);
    let told = serde_json::to_value(conversation.events()).unwrap();
    let question = &told[0]["question"];
    assert_eq!(question["unshown"], "it has too many files", "{told}");
    assert_eq!(question["input"], "rm \\u{200b}x\n", "{told}");
    assert_eq!(told[1]["consent"], "session", "{told}");
}

#[test]
fn stopping_leaves_questions_unanswered() {
    let conversation = conversation();
    let asked = asked(&conversation);
    conversation.stop();
    let stopped = ApprovalAnswer::Unanswered(Unanswered::Stopped);
    assert_eq!(asked.join().unwrap(), stopped);
    assert_eq!(conversation.ask(&request()), stopped, "also later");
}

#[test]
fn who_does_not_answer_has_not_said_no() {
    let mut conversation = new();
    assert_eq!(conversation.patience, Duration::from_mins(10));
    conversation.patience = Duration::from_millis(1);
    let late = Unanswered::Late { minutes: 0 };
    assert_eq!(
        conversation.ask(&request()),
        ApprovalAnswer::Unanswered(late)
    );
    let Some(ChatEvent::Decided {
        unanswered: Some(why),
        ..
    }) = conversation.events().pop()
    else {
        panic!("{:?}", conversation.events());
    };
    assert_eq!(why, "nobody answered within 0 minutes");
}

#[test]
fn one_turn_at_a_time() {
    let conversation = conversation();
    assert_eq!(conversation.begin(), Ok(()));
    assert_eq!(conversation.begin(), Err(Unready::Busy));
    conversation.end(None);
    assert_eq!(conversation.begin(), Ok(()));
}

#[test]
fn readers_go_on_where_they_were_and_start_again_elsewhere() {
    let conversation = conversation();
    let text = |text: &str| ChatEvent::Text { text: text.into() };
    for piece in ["a", "b", "c"] {
        conversation.tell(text(piece));
    }
    let place = |text: &str| EventId::parse(text).unwrap();
    assert_eq!(
        conversation.since(None, str::len),
        [(place("t-2"), text("abc"))]
    );
    let known = place("t-0");
    assert_eq!(
        conversation.since(Some(&known), str::len),
        [(place("t-2"), text("bc"))]
    );
    assert_eq!(conversation.since(Some(&place("t-2")), str::len), []);
    let told = conversation.since(Some(&place("other-7")), str::len);
    assert_eq!(told[0].1, ChatEvent::Reset);
    assert_eq!(told[1], (place("t-2"), text("abc")));
    // What may yet become something else waits, and comes with what follows.
    let until = |length: usize| move |_: &str| length;
    let told = conversation.since(None, until(2));
    assert_eq!(told, [(place("t-1"), text("ab"))]);
    assert_eq!(conversation.since(Some(&known), until(0)), []);
    conversation.tell(ChatEvent::Done { reason: None });
    let told = conversation.since(Some(&known), until(0));
    assert_eq!(told[0], (place("t-2"), text("bc")));
}
