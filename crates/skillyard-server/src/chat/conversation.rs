//! One session as it is followed: its events in order, who waits for an answer, who is talking.
//!
//! Readers go through the events at their own pace; nothing is queued for them, so a slow one
//! costs nothing.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use axum::http::StatusCode;
use parking_lot::{Mutex, MutexGuard};
use skillyard_agent::front_end::{ApprovalAnswer, ApprovalRequest, Stopper, Unanswered};
use skillyard_agent::session::Session;
use tokio::sync::watch;

use super::event::{ApprovalQuestion, ChatEvent, Consent, EventId};
use crate::access::Holder;
use crate::concurrency::ending;
use crate::problem::Problem;

/// How long a person is waited for.
const ANSWER_TIMEOUT: Duration = Duration::from_mins(10);

/// One session.
pub(crate) struct Conversation {
    /// The session.
    pub(crate) id: String,
    /// Whose it is; the user's own without one.
    pub(crate) owner: Option<String>,
    telling: String,
    events: Mutex<Vec<ChatEvent>>,
    length: watch::Sender<usize>,
    busy: AtomicBool,
    over: AtomicBool,
    stopped: Arc<AtomicBool>,
    /// Whether the server ends, and stops what is under way.
    ending: AtomicBool,
    questions: AtomicUsize,
    waiting: Mutex<HashMap<String, mpsc::Sender<Consent>>>,
    /// How long a person is waited for.
    patience: Duration,
    /// Who answered the last question.
    decider: Mutex<Option<Holder>>,
    /// A session in which nothing was said yet, so that it is not kept yet.
    draft: Mutex<Option<Session>>,
    /// How many messages the store has of what is told here.
    kept: AtomicUsize,
}

/// Why a turn does not begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unready {
    /// Another one is under way.
    Busy,
    /// The server ends.
    Ending,
}

impl Unready {
    /// What is said to who wanted it, and would have to wait for this.
    pub(crate) fn into_problem(self, busy: &str) -> Problem {
        match self {
            Self::Busy => Problem::new(StatusCode::CONFLICT, busy),
            Self::Ending => ending(),
        }
    }
}

impl Conversation {
    /// A session as it is told from now on.
    pub(super) fn new(session: &Session, telling: String, events: Vec<ChatEvent>) -> Self {
        let (length, _) = watch::channel(events.len());
        Self {
            id: session.id.clone(),
            owner: session.state.owner.clone(),
            telling,
            events: Mutex::new(events),
            length,
            busy: AtomicBool::new(false),
            over: AtomicBool::new(false),
            stopped: Arc::default(),
            ending: AtomicBool::new(false),
            questions: AtomicUsize::new(0),
            waiting: Mutex::default(),
            patience: ANSWER_TIMEOUT,
            decider: Mutex::default(),
            draft: Mutex::default(),
            kept: AtomicUsize::new(session.messages.len()),
        }
    }

    /// The same, of a session that the store does not have yet.
    pub(crate) fn with_draft(self, session: Session) -> Self {
        *self.draft.lock() = Some(session);
        self
    }

    /// All events.
    #[cfg(test)]
    fn events(&self) -> Vec<ChatEvent> {
        self.events.lock().clone()
    }

    /// What a reader who knows this much has to be told; pieces of one text are put together.
    /// Of a text that may go on, the pieces are left for later that are not `settled` yet.
    pub(crate) fn since(
        &self,
        known: Option<&EventId>,
        settled: impl Fn(&str) -> usize,
    ) -> Vec<(EventId, ChatEvent)> {
        let events = self.events.lock();
        let first = match known {
            Some(place) if place.telling == self.telling => place.at.saturating_add(1),
            _ => 0,
        };
        let mut told: Vec<(EventId, ChatEvent)> = Vec::new();
        if known.is_some_and(|place| place.telling != self.telling) {
            // Whoever starts again here has not seen the first event yet.
            told.push((EventId::new("", 0), ChatEvent::Reset));
        }
        for (at, event) in events.iter().enumerate().skip(first) {
            match (told.last_mut(), event) {
                (Some((place, ChatEvent::Text { text })), ChatEvent::Text { text: more }) => {
                    text.push_str(more);
                    place.at = at;
                }
                _ => told.push((EventId::new(&self.telling, at), event.clone())),
            }
        }
        if let Some((place, ChatEvent::Text { text })) = told.last_mut() {
            let length = settled(text);
            while text.len() > length
                && let Some(ChatEvent::Text { text: piece }) = events.get(place.at)
            {
                text.truncate(text.len() - piece.len());
                place.at = place.at.saturating_sub(1);
            }
            if text.is_empty() {
                told.pop();
            }
        }
        told
    }

    /// Tells how many events there are.
    pub(crate) fn lengths(&self) -> watch::Receiver<usize> {
        self.length.subscribe()
    }

    /// Takes note of what happened.
    pub(crate) fn tell(&self, event: ChatEvent) {
        let length = {
            let mut events = self.events.lock();
            events.push(event);
            events.len()
        };
        self.length.send_replace(length);
    }

    /// Asks a person and waits for the answer, though not for ever.
    pub(crate) fn ask(&self, request: &ApprovalRequest) -> ApprovalAnswer {
        let number = self.questions.fetch_add(1, Ordering::Relaxed);
        let id = format!("q{number}-{}", self.telling);
        let (sender, receiver) = mpsc::channel();
        self.decider.lock().take();
        self.waiting.lock().insert(id.clone(), sender);
        let question = ApprovalQuestion::of(id.clone(), request);
        self.tell(ChatEvent::Approval { question });
        if self.stopped.load(Ordering::Acquire) {
            self.waiting.lock().remove(&id);
        }
        let decided = receiver.recv_timeout(self.patience);
        self.waiting.lock().remove(&id);
        let unanswered = decided.err().map(|error| match error {
            mpsc::RecvTimeoutError::Timeout => Unanswered::Late {
                minutes: self.patience.as_secs() / 60,
            },
            mpsc::RecvTimeoutError::Disconnected => Unanswered::Stopped,
        });
        let consent = decided.unwrap_or(Consent::No).within(&request.action);
        self.tell(ChatEvent::Decided {
            id,
            consent,
            unanswered: unanswered.map(|why| why.to_string()),
        });
        unanswered.map_or(consent.into(), ApprovalAnswer::Unanswered)
    }

    /// Answers a question; tells whether somebody waited for it.
    pub(crate) fn decide(&self, id: &str, consent: Consent, holder: Holder) -> bool {
        let Some(sender) = self.waiting.lock().remove(id) else {
            return false;
        };
        *self.decider.lock() = Some(holder);
        sender.send(consent).is_ok()
    }

    /// Who answered the last question with a token.
    pub(crate) fn decider(&self) -> Option<Holder> {
        let decider = self.decider.lock().clone();
        decider.filter(|holder| !holder.name.is_empty())
    }

    /// Begins a turn, unless one is under way or the server ends.
    pub(crate) fn begin(&self) -> Result<(), Unready> {
        if self.busy.swap(true, Ordering::AcqRel) {
            return Err(Unready::Busy);
        }
        // Whoever ends the server says so before it stops this, so one of both is seen.
        self.stopped.store(false, Ordering::SeqCst);
        if self.ending.load(Ordering::SeqCst) {
            self.stopped.store(true, Ordering::SeqCst);
            self.free();
            return Err(Unready::Ending);
        }
        Ok(())
    }

    /// Ends a turn.
    pub(crate) fn end(&self, reason: Option<String>) {
        self.tell(ChatEvent::Done { reason });
        self.free();
    }

    /// Lets the next turn begin.
    pub(crate) fn free(&self) {
        self.busy.store(false, Ordering::Release);
    }

    /// Whether a turn is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy.load(Ordering::Acquire)
    }

    /// Asks the turn under way to stop; its questions get no answer any more.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.waiting.lock().clear();
    }

    /// The same because the server ends.
    pub(crate) fn stop_with_server(&self) {
        self.ending.store(true, Ordering::SeqCst);
        self.stop();
    }

    /// Who stopped a turn that was stopped.
    pub(crate) fn stopper(&self) -> Stopper {
        if self.ending.load(Ordering::Acquire) {
            Stopper::Server
        } else {
            Stopper::User
        }
    }

    /// Whether the turn under way is to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Becomes true when somebody wants the turn to stop.
    pub(crate) fn stopped(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stopped)
    }

    /// Lets readers go: what they followed is not told here any more.
    pub(crate) fn close(&self) {
        self.over.store(true, Ordering::Release);
        let length = *self.length.borrow();
        self.length.send_replace(length);
    }

    /// Whether nothing will be told here any more.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// The session that nothing was said in yet.
    pub(crate) fn draft(&self) -> MutexGuard<'_, Option<Session>> {
        self.draft.lock()
    }

    /// How many messages the store has of what is told here.
    pub(crate) fn kept(&self) -> &AtomicUsize {
        &self.kept
    }
}

#[cfg(test)]
mod tests;
