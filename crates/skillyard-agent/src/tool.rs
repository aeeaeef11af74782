//! The tools of a model: what they are called, what they take, and what they do.
//!
//! `skill` has those that lead to skills, `workspace` those that work on files, `search` those that
//! look through them, on the way that `walk` takes. `place` understands paths, `told` says what a
//! program did, `call` is the way that every call takes: understood, guarded, approved, made,
//! written down.

mod call;
mod decided;
mod lines;
mod place;
mod search;
mod skill;
mod spec;
mod told;
mod walk;
mod workspace;

pub(crate) use call::{
    CAME_EMPTY, Calls, LEFT_OUT, LENT, Length, MAX_ARGUMENTS, Repeats, Share, has, logged, refusal,
    understood, unmarked,
};
pub use decided::{decided, told_by};
pub use skill::whole_number;
pub(crate) use skill::{Known, Output, SEARCH, answer, receive};
pub use spec::{ToolSpec, WorkspaceTools, canonical, specs};
