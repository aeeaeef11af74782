//! The skills that skills need, found one after the other until nothing is missing.
//!
//! Each is taken in the highest version that fits all who want it: the skills that need it, those
//! that are installed and stay, `skills.toml` and the user. So it does not matter who comes first.
//! Where the newest do not go together, older ones are tried.
//!
//! A reference in a skill is a stranger's word. `./x` and `../x` mean a folder of the same
//! source; a path of this machine is believed only from a skill of this machine, and an address
//! on it or around it only from a skill of there.

mod answers;
mod asked;
mod blame;
mod cause;
mod circle;
mod demand;
mod descent;
mod error;
mod known;
mod met;
mod reason;
mod resolver;
mod search;
mod seen;
mod taking;
#[cfg(test)]
mod tests;
mod way;

pub use answers::is_neighbour;
pub use demand::Asker;
pub(crate) use demand::together;
pub use error::DependencyError;
pub use known::KnownRequests;

use crate::candidate::Candidate;
use crate::lockfile::Required;
use resolver::{Failure, Resolver, Settled};

/// Most skills that may come along with those that are asked for.
const MOST: usize = 500;
/// Most skills of which each is needed by the one before.
const DEEPEST: usize = 32;

/// A way to the skills that others name.
pub trait Supplier {
    /// Why a skill cannot be had.
    type Error: std::error::Error + Send + Sync + 'static;
    /// The one skill that `reference`, written in `by`, means.
    fn supply(&mut self, reference: &str, by: &Candidate) -> Result<Candidate, Self::Error>;
    /// The same skill under the same name, in the highest version that `requested` allows.
    fn at(&mut self, candidate: &Candidate, requested: &str) -> Result<Candidate, Self::Error>;
}

/// A skill that is asked for.
#[derive(Debug, Clone)]
pub struct RequestedSkill {
    /// The skill.
    pub candidate: Candidate,
    /// Who wants it as it was requested; nobody where only others need it.
    pub asker: Option<Asker>,
}

/// A skill among all that are needed.
#[derive(Debug, Clone)]
pub struct Needed {
    /// The skill.
    pub candidate: Candidate,
    /// The skills it needs.
    pub requires: Vec<Required>,
    /// Whether it is only there for others.
    pub dependency: bool,
    /// Whether it stays as it is installed, because that meets the need.
    pub stays: bool,
    /// Why it is not newer, where that would not go together with the rest.
    pub held_back: Option<HeldBack>,
}

/// A version that is not taken.
#[derive(Debug, Clone)]
pub struct HeldBack {
    /// The version.
    pub newest: String,
    /// What does not go together with it.
    pub reason: String,
}

/// Skills that go together with what they need, and those that do not.
#[derive(Debug)]
pub struct Resolved<E> {
    /// What is needed, sorted by name.
    pub needed: Vec<Needed>,
    /// What was asked for and cannot be had.
    pub failed: Vec<FailedRequests<E>>,
}

/// Why some of the skills that were asked for cannot be had.
#[derive(Debug)]
pub struct FailedRequests<E> {
    /// Their names.
    pub roots: Vec<String>,
    /// Why.
    pub error: DependencyError<E>,
}

/// All skills that `roots` need, and they themselves, sorted by name.
pub fn resolve<S: Supplier>(
    roots: &[RequestedSkill],
    known: &KnownRequests<'_>,
    supplier: &mut S,
) -> Result<Vec<Needed>, DependencyError<S::Error>> {
    let settled = Resolver::new(supplier, known).search(roots)?;
    match settled.failures.into_iter().next() {
        Some(failure) => Err(failure.error),
        None => Ok(settled.needed),
    }
}

/// The same, but those of `roots` that do not go together with the rest are left as they are.
pub fn resolve_each<S: Supplier>(
    mut roots: Vec<RequestedSkill>,
    known: &KnownRequests<'_>,
    supplier: &mut S,
) -> Result<Resolved<S::Error>, DependencyError<S::Error>> {
    let mut resolver = Resolver::new(supplier, known);
    let mut failed = Vec::new();
    loop {
        let Settled { needed, failures } = resolver.search(&roots)?;
        if failures.is_empty() {
            return Ok(Resolved { needed, failed });
        }
        for Failure {
            error,
            roots: affected,
        } in failures
        {
            if affected.is_empty() {
                return Err(error);
            }
            let (gone, stays): (Vec<RequestedSkill>, Vec<RequestedSkill>) = roots
                .into_iter()
                .partition(|root| affected.contains(&root.candidate.name));
            roots = stays;
            let gone: Vec<String> = gone.into_iter().map(|root| root.candidate.name).collect();
            // Those that another failure took along already have their reason.
            if !gone.is_empty() {
                failed.push(FailedRequests { roots: gone, error });
            }
        }
    }
}
