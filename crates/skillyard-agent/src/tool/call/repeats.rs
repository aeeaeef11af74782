//! Calls that are made again and again. A call is only made again when nothing new came of it: who
//! runs the tests after each change gets nowhere only if they say the same without any change.

use std::collections::HashMap;

use skillyard_format::Digest;

use super::Ended;
use crate::message::CallOutcome;

/// How often the same call gives the same result before the model is told.
const MANY: usize = 3;
/// How often before the turn ends.
const TOO_MANY: usize = 6;

/// The calls of a turn, and what came of each the last time.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    made: HashMap<(String, Digest), Made>,
    /// How often the last call gave its result.
    last: usize,
}

#[derive(Debug)]
struct Made {
    result: Digest,
    times: usize,
}

impl Repeats {
    /// Takes note of a call; tells whether the model should hear that it made it before.
    pub(super) fn note(&mut self, tool: &str, arguments: &str, ended: &Ended) -> bool {
        let call = (tool.to_owned(), Digest::of(arguments.as_bytes()));
        let is_change = matches!(tool, "Write" | "Edit") && ended.outcome == CallOutcome::Ok;
        if is_change && !self.made.contains_key(&call) {
            // The same result means something else from here on.
            self.made.values_mut().for_each(|made| made.times = 0);
        }
        let result = Digest::of(ended.content.as_bytes());
        let made = self.made.entry(call).or_insert(Made { result, times: 0 });
        if made.result != result {
            *made = Made { result, times: 0 };
        }
        made.times += 1;
        self.last = made.times;
        self.last >= MANY
    }

    /// Whether the model gets nowhere.
    pub(crate) fn are_too_many(&self) -> bool {
        self.last >= TOO_MANY
    }
}
