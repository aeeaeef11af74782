//! The terminal: lines that are edited, Markdown that is shown as it comes and a card for every
//! call in `chat`, and lines that are not shown for passphrases.

mod card;
pub(crate) mod hidden;
mod line;
mod markdown;

pub(crate) use card::{call, result};
pub(crate) use line::{Line, Lines};
pub(crate) use markdown::Markdown;
