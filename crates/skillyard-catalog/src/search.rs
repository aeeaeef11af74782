#![doc = include_str!("search/README.md")]
// Scores are `f32`, positions `u32`; counts that do not fit are cut off where they arise.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)]

mod duplicates;
mod evaluate;
mod find;
mod index;
mod pattern;
mod query;
mod rank;
pub mod stem;
pub mod thesaurus;
pub mod tokenize;
mod vocabulary;

#[cfg(test)]
mod tests;

pub use duplicates::{NearDuplicate, near_duplicates};
pub use evaluate::{Evaluation, Outcome, Task, evaluate};
pub use find::{Detail, Explanation, Hit, Match, Options, TriggerMatch};
pub use index::{Field, Index, SearchDocument, Triggers};
pub use query::MatchOrigin;
pub use rank::{Scoring, fuse};
