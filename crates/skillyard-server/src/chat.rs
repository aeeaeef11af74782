//! Conversations as they are followed over HTTP.
//!
//! The agent crate does the work and stores the sessions. Here its turns become events that clients
//! follow, and its questions wait for a user.

mod conversation;
pub(crate) mod event;
mod history;
mod sessions;

pub(crate) use conversation::Conversation;
pub(crate) use event::{ActiveSkill, ChatEvent, Consent, EventId, Tokens};
pub(crate) use history::active;
pub(crate) use sessions::{ChatSessions, MAX_LISTED};
