//! One session as it is followed: its events in order, who waits for an answer, who is talking.
//!
//! Readers go through the events at their own pace; nothing is queued for them, so a slow one
//! costs nothing.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::{ChatEvent, Consent, Listener, Question};

/// How long a person is waited for.
const PATIENCE: Duration = Duration::from_mins(10);

/// One session.
pub(crate) struct Conversation {
    events: Mutex<Vec<ChatEvent>>,
    length: watch::Sender<usize>,
    busy: AtomicBool,
    stopped: AtomicBool,
    waiting: Mutex<HashMap<String, mpsc::Sender<Consent>>>,
}

impl Conversation {
    pub(super) fn new(events: Vec<ChatEvent>) -> Self {
        let (length, _) = watch::channel(events.len());
        Self {
            events: Mutex::new(events),
            length,
            busy: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            waiting: Mutex::default(),
        }
    }

    /// The events from a place on.
    pub(crate) fn since(&self, place: usize) -> Vec<ChatEvent> {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.get(place..).unwrap_or_default().to_vec()
    }

    /// Tells how many events there are.
    pub(crate) fn lengths(&self) -> watch::Receiver<usize> {
        self.length.subscribe()
    }

    /// Begins a turn, unless one is under way.
    pub(crate) fn begin(&self) -> bool {
        let free = !self.busy.swap(true, Ordering::AcqRel);
        if free {
            self.stopped.store(false, Ordering::Release);
        }
        free
    }

    /// Ends a turn.
    pub(super) fn end(&self) {
        self.tell(ChatEvent::Done);
        self.busy.store(false, Ordering::Release);
    }

    /// Whether a turn is under way.
    pub(super) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Acquire)
    }

    /// Asks the turn under way to stop; questions are answered with no.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.clear();
    }

    /// Answers a question; tells whether somebody waited for it.
    pub(crate) fn decide(&self, id: &str, consent: Consent) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = waiting.remove(id);
        sender.is_some_and(|sender| sender.send(consent).is_ok())
    }

    /// What it is about: the beginning of what the user said first.
    pub(super) fn title(&self) -> String {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let first = events.iter().find_map(|event| match event {
            ChatEvent::User { text } => Some(text.as_str()),
            _ => None,
        });
        first.unwrap_or("New chat").chars().take(60).collect()
    }
}

impl Listener for Conversation {
    fn tell(&self, event: ChatEvent) {
        let length = {
            let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
            events.push(event);
            events.len()
        };
        self.length.send_replace(length);
    }

    fn ask(&self, question: Question) -> Consent {
        let id = question.id.clone();
        let (sender, receiver) = mpsc::channel();
        {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.insert(id.clone(), sender);
        }
        self.tell(ChatEvent::Approval { question });
        let consent = receiver.recv_timeout(PATIENCE).unwrap_or(Consent::No);
        self.tell(ChatEvent::Decided { id, consent });
        consent
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn question(id: &str) -> Question {
        Question {
            id: id.into(),
            action: "run".into(),
            reason: "first run".into(),
        }
    }

    #[test]
    fn a_question_waits_for_its_own_answer() {
        let conversation = Arc::new(Conversation::new(Vec::new()));
        let asking = Arc::clone(&conversation);
        let asked = std::thread::spawn(move || asking.ask(question("1")));
        while conversation.since(0).is_empty() {
            std::thread::yield_now();
        }
        assert!(!conversation.decide("2", Consent::Once));
        assert!(conversation.decide("1", Consent::Session));
        assert_eq!(asked.join().unwrap(), Consent::Session);
        assert!(
            !conversation.decide("1", Consent::Once),
            "it is answered once"
        );
    }

    #[test]
    fn stopping_answers_no() {
        let conversation = Arc::new(Conversation::new(Vec::new()));
        let asking = Arc::clone(&conversation);
        let asked = std::thread::spawn(move || asking.ask(question("1")));
        while conversation.since(0).is_empty() {
            std::thread::yield_now();
        }
        conversation.stop();
        assert_eq!(asked.join().unwrap(), Consent::No);
    }

    #[test]
    fn one_turn_at_a_time() {
        let conversation = Conversation::new(Vec::new());
        assert!(conversation.begin());
        assert!(!conversation.begin());
        conversation.end();
        assert!(conversation.begin());
    }
}
