//! Which tokens may turn out to be keys.
//!
//! That a token was a key shows only at the `:` behind it. Where a key must stand and
//! the `:` does not come, the reference says so as soon as it has left the line.

use super::cursor::Cursor;
use super::scanner::Scanner;
use crate::reference::message::StrictError;

/// How many characters a key may have.
const LONGEST_KEY: usize = 1024;

/// A token that is a key if a `:` follows it.
pub(super) struct PossibleKey<'s> {
    /// How many brackets were open before it.
    pub(super) flow_level: usize,
    /// The number of the token, counted from the start of the text.
    pub(super) number: usize,
    /// Whether nothing but a key may stand here.
    pub(super) required: bool,
    /// Where it starts.
    pub(super) start: Cursor<'s>,
}

impl Scanner<'_> {
    /// Remembers that the token which starts here may be a key.
    pub(super) fn note_possible_key(&mut self) -> Result<(), StrictError> {
        if !self.key_allowed {
            return Ok(());
        }
        self.forget_key()?;
        self.keys.push(PossibleKey {
            flow_level: self.flow.len(),
            number: self.taken + self.tokens.len(),
            required: !self.in_flow() && self.indent == Some(self.cursor.column),
            start: self.cursor,
        });
        Ok(())
    }

    /// Gives up the key at this level of brackets.
    pub(super) fn forget_key(&mut self) -> Result<(), StrictError> {
        match self.keys.pop_if(|key| key.flow_level == self.flow.len()) {
            Some(key) => self.check_not_required(&key),
            None => Ok(()),
        }
    }

    /// Gives up keys that the cursor has left behind: a key has one line and a longest length.
    pub(super) fn drop_stale_keys(&mut self) -> Result<(), StrictError> {
        let here = self.cursor;
        let is_stale = |key: &PossibleKey| {
            key.start.line != here.line || here.index - key.start.index > LONGEST_KEY
        };
        if let Some(key) = self.keys.iter().find(|key| is_stale(key)) {
            self.check_not_required(key)?;
            self.keys.retain(|key| !is_stale(key));
        }
        Ok(())
    }

    fn check_not_required(&self, key: &PossibleKey) -> Result<(), StrictError> {
        if key.required {
            return Err(
                StrictError::new("could not find expected ':'", self.cursor.at)
                    .within("while scanning a simple key", key.start.at),
            );
        }
        Ok(())
    }
}
