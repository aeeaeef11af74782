//! Conversations: an agent answers, whoever looks sees it happen, whoever may decides.
//!
//! The agent's crate does the work and keeps the sessions. Here its turns become events that can
//! be followed over HTTP, and its questions wait for a person.

mod conversation;
mod event;
mod front;
mod history;
mod register;
mod seats;
mod trace;
mod turn;
mod watched;

pub(crate) use conversation::Conversation;
pub(crate) use event::{ActiveSkill, ChatEvent, Consent, Place, Tokens};
pub(crate) use register::{Keeper, LISTED, Register};
pub(crate) use seats::{Seat, Seats};
pub(crate) use trace::parent_of;
pub(crate) use turn::Said;
