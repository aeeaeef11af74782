//! Why a way leads nowhere.

use std::collections::BTreeSet;

/// What has to be otherwise before a way can lead further.
#[derive(Debug, Clone, Default)]
pub(super) struct BlameSet {
    /// The skills that were taken, and without which or in other versions of which it might.
    pub(super) names: BTreeSet<String>,
    /// All skills that were found to have a part in it.
    pub(super) parties: BTreeSet<String>,
    /// Whether more steps back might do, too.
    pub(super) is_cut: bool,
}

impl BlameSet {
    pub(super) fn of(names: impl IntoIterator<Item = String>) -> Self {
        Self {
            names: names.into_iter().collect(),
            ..Self::default()
        }
    }

    /// The same where a skill, for which it is so, may be what is asked for.
    pub(super) fn about(mut self, name: &str) -> Self {
        self.parties.insert(name.to_owned());
        self
    }

    pub(super) fn add(&mut self, other: Self) {
        self.names.extend(other.names);
        self.parties.extend(other.parties);
        self.is_cut |= other.is_cut;
    }
}
