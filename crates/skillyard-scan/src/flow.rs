//! Where values go: from what reads a secret, fetches or decodes to what sends or runs.
//!
//! One pass over the statements of a script or block. A name that gets its value from a
//! statement takes over what is known about it, and so does a file that the statement
//! writes. It follows no branches and no calls but those of functions in the same block:
//! enough to tell a script that sends what it read from one that does both apart.

mod arrive;
mod names;
mod position;
mod trees;
mod value;
mod walk;

use super::facts::{Fact, Seen};
use super::grams::Grams;
use super::here::Here;
use super::hosts::Standing;
use super::subject::Subject;
pub(crate) use position::is_started;
use walk::Walk;

/// Most statements of one block that are followed.
const MAX_STATEMENTS: usize = 2_000;

/// Something that reached a place where it matters.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    pub(crate) kind: Kind,
    /// The statement that it came from: file and unit.
    pub(crate) from: (usize, usize),
    /// The statement that it reached.
    pub(crate) to: (usize, usize),
    /// The least trusted host that had a part in it.
    pub(crate) standing: Option<Standing>,
}

/// What reached what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A secret reached the network.
    SecretSent,
    /// One key from the environment reached the network.
    KeySent,
    /// What was fetched runs.
    FetchedRuns,
    /// What was decoded runs.
    DecodedRuns,
}

/// Follows the values of every script and block that both reads and acts.
pub(crate) fn flows(subject: &Subject<'_>) -> Vec<Flow> {
    let mut flows = Vec::new();
    for block in subject.blocks() {
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
            follow(subject, block, &mut flows);
        }
    }
    flows
}

fn follow(subject: &Subject<'_>, block: &[Seen], flows: &mut Vec<Flow>) {
    let Some(first) = block.first() else {
        return;
    };
    let file = first.file;
    let units = &subject.files[file].units;
    let number = units[first.unit].block;
    let same = |unit: &usize| units[*unit].block == number;
    let start = (0..first.unit).rev().take_while(same).last();
    let range = start.unwrap_or(first.unit)..units.len();
    let mut walk = Walk::default();
    let mut grams = Grams::empty();
    for unit in range.take_while(same).take(MAX_STATEMENTS) {
        let here = Here::new(subject, file, unit);
        if here.runs() {
            walk.step(&here, &here.sketched(&mut grams), flows);
        }
    }
}
