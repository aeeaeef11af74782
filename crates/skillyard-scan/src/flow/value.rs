//! What is known about a value, and how it is handed on.

use std::collections::BTreeMap;
use std::ops::BitOrAssign;

use crate::hosts::Standing;

/// Most names that are remembered in one block.
const MAX_NAMES: usize = 500;

/// What is known about a value.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a mark of its own, and a value carries any of them"
)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Value {
    /// It was read from where secrets are kept.
    pub(super) secret: bool,
    /// It is one key from the environment.
    pub(super) key: bool,
    /// It came over the network.
    pub(super) fetched: bool,
    /// It was encoded before.
    pub(super) decoded: bool,
    /// It is a connection, or a function that sends.
    pub(super) sends: bool,
    /// The least trusted host that had a part in it.
    pub(super) standing: Option<Standing>,
    /// The unit that it came from.
    pub(super) from: usize,
}

impl Value {
    /// Whether it came from somewhere that matters.
    pub(super) fn is_tainted(self) -> bool {
        self.secret || self.key || self.fetched || self.decoded
    }

    /// Whether anything is known about it.
    pub(super) fn is_known(self) -> bool {
        self.is_tainted() || self.sends
    }
}

impl BitOrAssign for Value {
    fn bitor_assign(&mut self, other: Self) {
        self.secret |= other.secret;
        self.key |= other.key;
        self.fetched |= other.fetched;
        self.decoded |= other.decoded;
        self.sends |= other.sends;
        self.standing = self.standing.max(other.standing);
    }
}

/// Lets a name take over what is known about a value.
pub(super) fn give<'t>(known: &mut BTreeMap<&'t str, Value>, name: &'t str, value: Value) {
    if known.len() < MAX_NAMES || known.contains_key(name) {
        let known = known.entry(name).or_default();
        if !known.is_tainted() {
            known.from = value.from;
        }
        *known |= value;
    }
}
