//! A turn on a thread of its own, from the message to its end.

mod front_end;
mod recording_host;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use axum::http::StatusCode;
use skillyard_agent::TurnError;
use skillyard_agent::session::{SessionError, SessionStore};
use skillyard_agent::shelf::ShelfError;
use skillyard_agent::trace_context::TraceParent;
use skillyard_audit::{Event, EventKind};

use self::front_end::TurnFrontEnd;
use self::recording_host::RecordingHost;
use crate::access::Holder;
use crate::chat::{ChatEvent, Conversation, active};
use crate::concurrency::ConcurrencyPermit;
use crate::contents::ContentsError;
use crate::host::HostError;
use crate::log::LogLine;
use crate::problem::Problem;
use crate::server::Server;

/// What somebody said, and who they are.
pub(crate) struct UserMessage {
    /// The words.
    pub(crate) text: String,
    /// What they call the task that it is for.
    pub(crate) task: Option<String>,
    /// Who they are, and what they may do.
    pub(crate) holder: Holder,
    /// The span that it belongs to.
    pub(crate) trace: Option<TraceParent>,
}

impl Server {
    /// Takes a turn on a thread of its own; the session must be free for it.
    pub(crate) fn take_turn(
        self: &Arc<Self>,
        conversation: Arc<Conversation>,
        said: UserMessage,
    ) -> Result<(), Problem> {
        self.with_room(&said.holder.signed(Event::new(EventKind::SessionPrompted)))?;
        let permit = self.turns.acquire(&said.holder)?;
        conversation
            .begin()
            .map_err(|unready| unready.into_problem("the last message is still being answered"))?;
        conversation.tell(ChatEvent::User {
            text: said.text.clone(),
        });
        let server = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            let mut ending = Ending {
                conversation: &conversation,
                reason: None,
            };
            let start = Instant::now();
            match server.turn(&conversation, said, &permit) {
                Ok(reason) => ending.reason = reason,
                Err(problem) => {
                    if let Some(cause) = problem.cause() {
                        let what = "a turn";
                        server.host.log(&LogLine::Failure { what, cause });
                    }
                    let text = problem.detail().to_owned();
                    conversation.tell(ChatEvent::Problem { text });
                }
            }
            let end = ending.reason.as_deref().unwrap_or("failed");
            server.metrics.turn(end, start.elapsed());
            drop(ending);
            drop(permit);
        });
        Ok(())
    }

    fn turn(
        self: &Arc<Self>,
        conversation: &Arc<Conversation>,
        said: UserMessage,
        permit: &ConcurrencyPermit,
    ) -> Result<Option<String>, Problem> {
        let agents = self.chats.agents()?;
        let mut session = self.chats.session(conversation)?;
        let stopped = conversation.stopped();
        let mut tell = |text: &str| conversation.tell(ChatEvent::Note { text: text.into() });
        let mut runtime = agents.runtime(&session, &stopped, &mut tell)?;
        agents.settle(&mut session, &runtime, &stopped, &mut tell)?;
        runtime.host = Box::new(RecordingHost {
            machine: runtime.host,
            server: Arc::clone(self),
            conversation: Arc::clone(conversation),
            trace: said.trace.clone(),
            task: said.task,
            holder: said.holder,
        });
        let mut front = TurnFrontEnd {
            conversation,
            permit,
            metrics: &self.metrics,
            active: active(&session),
            model: String::new(),
            parent: said.trace,
            ended: None,
        };
        let ended = runtime.turn(&mut session, &said.text, &mut front);
        // What may not be used any more was let go.
        let skills = active(&session);
        if skills.len() < front.active.len() {
            conversation.tell(ChatEvent::Active { skills });
        }
        // Even a turn that failed may have been kept in part.
        let in_use = matches!(&ended, Err(TurnError::Session(SessionError::InUse(_))));
        settle(conversation, &agents.sessions(), in_use);
        let reason = front.ended;
        ended.map(|_| reason).map_err(|error| {
            let remedy = agents.remedy(&error);
            explained(error, remedy.as_deref())
        })
    }

    /// Lets a skill of a session go; tells whether it was active.
    pub(crate) fn release(
        self: &Arc<Self>,
        conversation: &Arc<Conversation>,
        name: &str,
        holder: Holder,
    ) -> Result<bool, Problem> {
        self.with_room(&holder.signed(Event::new(EventKind::SkillReleased)))?;
        conversation
            .begin()
            .map_err(|unready| unready.into_problem("a message is being answered"))?;
        let _ending = Quiet(conversation);
        let agents = self.chats.agents()?;
        let mut session = self.chats.session(conversation)?;
        // Nothing is called here, whoever would lend it.
        let mut runtime = agents.runtime(&session, &conversation.stopped(), &mut |_| {})?;
        runtime.host = Box::new(RecordingHost {
            machine: runtime.host,
            server: Arc::clone(self),
            conversation: Arc::clone(conversation),
            trace: None,
            task: None,
            holder,
        });
        let released = runtime.release(&mut session, name);
        let in_use = matches!(&released, Err(TurnError::Session(SessionError::InUse(_))));
        settle(conversation, &agents.sessions(), in_use);
        let released = released.map_err(|error| explained(error, None))?;
        let skills = active(&session);
        conversation.tell(ChatEvent::Active { skills });
        Ok(released)
    }
}

/// Takes note of what the store has of a session now, if anything. What others add is not told
/// here: whoever looks next finds a number that no session has, and gets all of it.
fn settle(conversation: &Conversation, store: &SessionStore, in_use: bool) {
    if let Ok(Some(length)) = store.length(&conversation.id) {
        let told = if in_use { usize::MAX } else { length };
        conversation.kept().store(told, Ordering::Release);
        conversation.draft().take();
    }
}

/// What the user can use of it is told; what may name paths is not.
fn explained(error: TurnError, remedy: Option<&str>) -> Problem {
    match error {
        TurnError::Skill(ShelfError::Resource(resource)) if resource.is_trouble() => {
            ContentsError::from(resource).into()
        }
        TurnError::Skill(_) | TurnError::Provider(_) => Problem::bad(match remedy {
            Some(remedy) => format!("{error}. {remedy}"),
            None => error.to_string(),
        }),
        TurnError::Session(SessionError::Unknown(_)) => {
            Problem::new(StatusCode::NOT_FOUND, "the session was deleted")
        }
        TurnError::Session(SessionError::InUse(_)) => {
            let text = "the session went on elsewhere; what was said here is not kept";
            Problem::new(StatusCode::CONFLICT, text)
        }
        other => HostError::new(other).into(),
    }
}

/// Ends the turn however the thread ends.
struct Ending<'a> {
    conversation: &'a Conversation,
    reason: Option<String>,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.conversation.end(self.reason.take());
    }
}

/// Frees the session without telling of a turn.
struct Quiet<'a>(&'a Conversation);

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        self.0.free();
    }
}
