//! What sources gave, each asked once.

use std::collections::HashMap;
use std::sync::Arc;

use url::Url;

use super::Supplier;
use super::error::DependencyError;
use crate::candidate::Candidate;
use crate::origin::{Origin, OriginKind};
use crate::reference::{Nearness, Reference, ReferenceContext};

/// What a source gave.
type SourceAnswer<E> = Result<Candidate, Arc<E>>;

/// All answers so far.
pub(super) struct SourceAnswers<'a, S: Supplier> {
    supplier: &'a mut S,
    /// By the reference, and by who wrote it where that matters.
    supplied: HashMap<(String, String), SourceAnswer<S::Error>>,
    /// By the name, the source and what was requested.
    at: HashMap<(String, String, String), SourceAnswer<S::Error>>,
}

impl<'a, S: Supplier> SourceAnswers<'a, S> {
    pub(super) fn new(supplier: &'a mut S) -> Self {
        Self {
            supplier,
            supplied: HashMap::new(),
            at: HashMap::new(),
        }
    }

    /// How often sources were asked for a version of a skill that was found before.
    pub(super) fn count(&self) -> usize {
        self.at.len()
    }

    /// The same skill in the highest version that was requested.
    pub(super) fn at(&mut self, candidate: &Candidate, requested: &str) -> SourceAnswer<S::Error> {
        let key = (
            candidate.name.clone(),
            candidate.source.clone(),
            requested.to_owned(),
        );
        let supplier = &mut *self.supplier;
        let answer = self
            .at
            .entry(key)
            .or_insert_with(|| supplier.at(candidate, requested).map_err(Arc::new));
        answer.clone()
    }

    /// The skill that a reference in another one means.
    pub(super) fn supplied(
        &mut self,
        reference: &str,
        by: &Candidate,
        chain: impl Fn() -> String,
    ) -> Result<Candidate, DependencyError<S::Error>> {
        if by.origin.kind != OriginKind::LocalFolder && names_machine(reference) {
            return Err(DependencyError::Local {
                chain: chain(),
                reference: reference.to_owned(),
            });
        }
        if let Some(place) = nearer(reference, &by.origin) {
            return Err(DependencyError::Inward {
                chain: chain(),
                reference: reference.to_owned(),
                place,
            });
        }
        let whose = whose(reference, by);
        let supplier = &mut *self.supplier;
        let answer = self
            .supplied
            .entry((reference.to_owned(), whose))
            .or_insert_with(|| supplier.supply(reference, by).map_err(Arc::new));
        answer.clone().map_err(|source| DependencyError::Fetch {
            chain: chain(),
            reference: reference.to_owned(),
            source,
        })
    }
}

/// What of a skill decides what a reference in it means.
fn whose(reference: &str, by: &Candidate) -> String {
    if is_neighbour(reference) {
        // One range can lead to several commits, and the neighbours are those of each.
        let commit = by.origin.commit.as_deref().unwrap_or_default();
        let source = crate::lockfile::reference(&by.source, by.requested.as_deref());
        return format!("{commit} {source}");
    }
    // A name is one of the registry that the skill is of.
    let alias = by.source.split_once(':').map(|(alias, _)| alias);
    let is_registry = by.origin.kind == OriginKind::Registry;
    alias.filter(|_| is_registry).unwrap_or_default().to_owned()
}

/// Whether a reference in a skill is a folder of the same source.
pub fn is_neighbour(reference: &str) -> bool {
    reference.starts_with("./") || reference.starts_with("../")
}

/// Whether a reference leads to a path of this machine, and not to a neighbour in its source.
fn names_machine(reference: &str) -> bool {
    match Reference::parse(reference, &ReferenceContext::default()) {
        Ok(Reference::Local(_)) => !is_neighbour(reference),
        Ok(Reference::Git(git)) => !is_neighbour(reference) && git.remote.is_local(),
        _ => false,
    }
}

/// What a reference leads into that is nearer to this machine than where the skill came from that
/// has it, if it does.
fn nearer(reference: &str, from: &Origin) -> Option<&'static str> {
    let reference = Reference::parse(reference, &ReferenceContext::default()).ok()?;
    let nearness = Nearness::of_reference(&reference);
    if from.kind == OriginKind::LocalFolder || nearness >= near(from) {
        return None;
    }
    Some(match nearness {
        Nearness::Here => "on this machine",
        _ => "in your own network",
    })
}

/// How near to this machine a skill came from.
fn near(from: &Origin) -> Nearness {
    if !from.kind.is_remote() {
        return Nearness::Elsewhere;
    }
    let reference = Reference::parse(&from.url, &ReferenceContext::default());
    let of_scp = || reference.map_or(Nearness::Elsewhere, |each| Nearness::of_reference(&each));
    Url::parse(&from.url).map_or_else(|_| of_scp(), |url| Nearness::of(&url))
}
