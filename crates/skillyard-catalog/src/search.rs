#![doc = include_str!("search/README.md")]
//!
//! # The modules
//!
//! A task is read into words ([`tokenize`], [`stem`], [`words`]), these into weighted words of the collection (`query`, with
//! `spelling` and [`thesaurus`]), and these into scores (`rank`, numbers in [`scoring`]). [`Index`] is the collection in the form that is
//! stored (`bytes`, made of `sections`); `build` makes it. [`fuse()`] adds other rankings, such as one by embeddings. [`near_duplicates`] and [`evaluate()`]
//! serve the authors of skills. Nothing here touches disk, clock, environment or terminal.
// Scores are `f32`, places `u32`; counts that do not fit are cut off where they arise.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)]

mod build;
mod bytes;
mod document;
mod duplicates;
mod evaluate;
mod explain;
mod find;
mod fuse;
mod index;
mod pattern;
mod posting;
mod query;
mod rank;
pub mod scoring;
mod sections;
mod spelling;
pub mod stem;
mod texts;
pub mod thesaurus;
pub mod tokenize;
mod varint;
mod vocabulary;
pub mod words;

#[cfg(test)]
mod tests;

pub use bytes::IndexBytesError;
pub use document::{Document, Field, Triggers};
pub use duplicates::{NearDuplicate, near_duplicates};
pub use evaluate::{Evaluation, Outcome, Task, evaluate};
pub use explain::{Explanation, Match, TriggerMatch};
pub use find::{Detail, Hit, Options};
pub use fuse::fuse;
pub use index::Index;
pub use query::Origin;
pub use scoring::Scoring;
