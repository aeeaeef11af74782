//! Where values go: from what reads a secret, fetches or decodes to what sends or runs.
//!
//! One pass over the statements of a script or block. A name that gets its value from a
//! statement takes over what is known about it, and so does a file that the statement
//! writes. It follows no branches and no calls but those of functions in the same block:
//! enough to tell a script that sends what it read from one that does both apart.

mod names;
mod tracker;

use std::collections::BTreeMap;
use std::ops::BitOrAssign;

use crate::facts::{Fact, FactMatch, Flow};
use crate::hosts::HostTrust;
use crate::pattern::trigrams::Trigrams;
use crate::skill::{PreparedSkill, UnitContext};
use tracker::FlowTracker;

pub(crate) use names::is_started;

/// Most statements of one block that are followed.
const MAX_STATEMENTS: usize = 2_000;

/// Follows the values of every script and block that both reads and acts.
pub(crate) fn flows(skill: &PreparedSkill<'_>) -> Vec<Flow> {
    let mut flows = Vec::new();
    for block in skill.blocks() {
        let has = |facts: &[Fact]| block.iter().any(|seen| facts.contains(&seen.fact));
        let acts = has(&[
            Fact::Reaches,
            Fact::Sends,
            Fact::Fetches,
            Fact::Evaluates,
            Fact::Starts,
            Fact::RunsFile,
        ]);
        let reads = has(&[
            Fact::SecretFile,
            Fact::SecretPlace,
            Fact::SecretVariable,
            Fact::WholeEnvironment,
            Fact::PersonalData,
            Fact::Typed,
            Fact::Reaches,
            Fact::Fetches,
            Fact::Decodes,
        ]);
        if acts && reads {
            follow(skill, block, &mut flows);
        }
    }
    flows
}

fn follow(skill: &PreparedSkill<'_>, block: &[FactMatch], flows: &mut Vec<Flow>) {
    let Some(first) = block.first() else {
        return;
    };
    let file = first.file;
    let units = &skill.files[file].units;
    let number = units[first.unit].block;
    let same = |unit: &usize| units[*unit].block == number;
    let start = (0..first.unit).rev().take_while(same).last();
    let range = start.unwrap_or(first.unit)..units.len();
    let mut walk = FlowTracker::default();
    let mut trigrams = Trigrams::empty();
    for unit in range.take_while(same).take(MAX_STATEMENTS) {
        let ctx = UnitContext::new(skill, file, unit);
        if ctx.is_executed() {
            walk.step(&ctx, &ctx.with_trigrams(&mut trigrams), flows);
        }
    }
}

/// Most names that are remembered in one block.
const MAX_NAMES: usize = 500;

/// What is known about a value.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a mark of its own, and a value carries any of them"
)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Taint {
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
    pub(super) standing: Option<HostTrust>,
    /// The unit that it came from.
    pub(super) from: usize,
}

impl Taint {
    /// Whether it came from somewhere that matters.
    pub(super) fn is_tainted(self) -> bool {
        self.secret || self.key || self.fetched || self.decoded
    }

    /// Whether anything is known about it.
    pub(super) fn is_known(self) -> bool {
        self.is_tainted() || self.sends
    }
}

impl BitOrAssign for Taint {
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
pub(super) fn taint<'t>(known: &mut BTreeMap<&'t str, Taint>, name: &'t str, value: Taint) {
    if known.len() < MAX_NAMES || known.contains_key(name) {
        let known = known.entry(name).or_default();
        if !known.is_tainted() {
            known.from = value.from;
        }
        *known |= value;
    }
}
