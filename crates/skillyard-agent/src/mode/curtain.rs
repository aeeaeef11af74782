//! What of an answer can be shown while it comes.

use super::incoming::blocks;
use super::{FENCE, OPEN, words};
use crate::message::AssistantPart;
use crate::tool::ToolSpec;

/// Words on their way to whoever watches, without what may be a call: from there on they wait
/// until the whole answer is understood.
#[derive(Debug, Default)]
pub(crate) struct Curtain {
    held: String,
    fell: bool,
}

impl Curtain {
    /// What can be shown, with these words come.
    pub(crate) fn pass(&mut self, words: &str) -> String {
        self.held.push_str(words);
        if self.fell {
            return String::new();
        }
        let mark = [OPEN, FENCE].iter().filter_map(|mark| self.held.find(mark));
        let end = if let Some(at) = mark.min() {
            self.fell = true;
            at
        } else {
            // The end may be the beginning of a mark.
            let is_open = |at: &usize| {
                let rest = &self.held[*at..];
                OPEN.starts_with(rest) || FENCE.starts_with(rest)
            };
            let starts = self.held.char_indices().map(|(at, _)| at);
            let first = starts.filter(is_open).min();
            first.unwrap_or(self.held.len())
        };
        self.held.drain(..end).collect()
    }

    /// What of an answer, which is whole now, has not been shown.
    pub(crate) fn rest(self, tools: &[ToolSpec]) -> String {
        let parts = blocks(&self.held, tools);
        let is_call = |part: &AssistantPart| matches!(part, AssistantPart::Call(_));
        if parts.iter().any(is_call) {
            words(&parts)
        } else {
            self.held
        }
    }
}
