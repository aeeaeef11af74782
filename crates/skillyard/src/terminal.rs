//! The terminal: lines that are edited, Markdown that is shown as it comes and a card for every
//! call in `chat`, what differs between two texts, lines that are not shown for passphrases, and
//! the signals at questions.

mod bell;
mod card;
mod difference;
mod heard;
pub(crate) mod hidden;
pub(crate) mod keys;
mod line;
mod markdown;
mod pieces;
mod wrap;

pub(crate) use bell::Bell;
pub(crate) use card::{Ended, call, result, row};
pub(crate) use difference::painted;
pub(crate) use heard::Heard;
pub(crate) use line::{LONGEST, Line, Lines};
pub(crate) use markdown::Markdown;
pub(crate) use pieces::{columns, pieces};
