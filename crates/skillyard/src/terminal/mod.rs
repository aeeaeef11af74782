//! The terminal of `chat`: lines that are edited, Markdown that is shown as it comes, and a card
//! for every call.

mod card;
mod line;
mod markdown;
mod wrap;

pub(crate) use card::{Ended, call, result, shell_words};
pub(crate) use line::{LONGEST, Line, Lines};
pub(crate) use markdown::Markdown;
