//! What a command was asked for, by which it is decided whether a skill may be older than what was
//! seen of it, and what is known of the signers of the skills that it replaces.

use std::collections::BTreeSet;

use jiff::Timestamp;
use skillyard_format::Digest;
use skillyard_install::candidate::Candidate;
use skillyard_install::dependencies::Needed;
use skillyard_install::lockfile::{Locked, Lockfile, reference};
use skillyard_install::plan::{Plan, SkillChange};
use skillyard_install::store::Store;
use skillyard_install::tree::Tree;
use skillyard_trust::signature::{
    Policy, RequestedVersion, SIGNATURE_FILE, SkillContext, Verification, verify_skill,
};

use crate::error::install::{CompanionSkill, SignatureRemedy};
use crate::install::check::refusal::signed_tree;
use crate::scope::needing;
use crate::signing::publisher;

/// The code by which a user accepts that a skill gets older.
pub(crate) const ROLLBACK: &str = "rollback";

/// What a command was asked for.
#[derive(Clone, Copy)]
pub(crate) struct DowngradePolicy<'a> {
    lock: &'a Lockfile,
    needed: &'a [Needed],
    plan: &'a Plan,
    store: &'a Store,
    /// Codes that the user accepts.
    pub(crate) accepted: &'a [String],
    /// The skills that the command is about; others come along with them.
    named: &'a [String],
    /// Whether all skills of a source are installed, of which some can be left out.
    is_of_all: bool,
}

impl<'a> DowngradePolicy<'a> {
    /// What is asked for by what is locked, needed and planned; `accepted` are codes that the user accepts
    /// of the skills that are `named`.
    pub(crate) fn of(
        lock: &'a Lockfile,
        needed: &'a [Needed],
        plan: &'a Plan,
        store: &'a Store,
        accepted: &'a [String],
        named: &'a [String],
    ) -> Self {
        Self {
            lock,
            needed,
            plan,
            store,
            accepted,
            named,
            is_of_all: false,
        }
    }

    /// Whether all skills of a source are meant.
    pub(crate) fn of_all(self, is_of_all: bool) -> Self {
        Self { is_of_all, ..self }
    }

    /// What of a skill was asked for. A lock names bytes, a commit does, and whoever wants a skill can
    /// name its version; what other skills need is nobody's word.
    pub(crate) fn asked<'c>(
        &self,
        candidate: &'c Candidate,
        dependencies: &BTreeSet<&str>,
    ) -> RequestedVersion<'c> {
        let locked = self.lock.get(&candidate.name);
        if locked.is_some_and(|entry| entry.digest == candidate.tree.digest()) {
            return RequestedVersion::Bytes;
        }
        if self.accepts_older(candidate) {
            return RequestedVersion::Older;
        }
        match &candidate.requested {
            Some(_) if dependencies.contains(candidate.name.as_str()) => RequestedVersion::Newest,
            requested @ Some(_) if *requested == candidate.origin.commit => RequestedVersion::Bytes,
            Some(requested) => RequestedVersion::Version(requested),
            None => RequestedVersion::Newest,
        }
    }

    /// Why a skill is taken that is older than what was seen.
    pub(crate) fn because(&self, candidate: &Candidate) -> &'static str {
        let locked = self.lock.get(&candidate.name);
        if locked.is_some_and(|entry| entry.digest == candidate.tree.digest()) {
            return "the lock names just these files";
        }
        if self.accepts_older(candidate) {
            "`--accept rollback` says so"
        } else {
            "just that was asked for"
        }
    }

    /// Whether the user said that a skill may get older. What comes along with those they mean is
    /// nobody's word: with one step back of a skill, a registry could lower all that it needs.
    fn accepts_older(&self, candidate: &Candidate) -> bool {
        self.is_named(candidate) && self.accepted.iter().any(|code| code == ROLLBACK)
    }

    fn is_named(&self, candidate: &Candidate) -> bool {
        self.named.contains(&candidate.name)
    }

    /// The way out of what is against the signature of a skill; what it is compared with may be what
    /// `is_replaced`. All that goes `back` has to be named for that.
    pub(crate) fn way_out(
        &self,
        candidate: &Candidate,
        verification: &Verification,
        is_replaced: bool,
        back: &[&Candidate],
    ) -> SignatureRemedy {
        match SignatureRemedy::of(verification, is_replaced, self.is_of_all) {
            SignatureRemedy::GoBack if !self.is_named(candidate) => {
                SignatureRemedy::GoBackTogether(self.together(back))
            }
            way_out => way_out,
        }
    }

    /// Some skills after those that the command is about and that need them.
    fn together(&self, some: &[&Candidate]) -> Vec<CompanionSkill> {
        let some: BTreeSet<&str> = some.iter().map(|each| &*each.name).collect();
        let reached = needing(self.needed, some.iter().copied());
        let needed = self.needed.iter().filter(|each| {
            let name = &each.candidate.name;
            let is_asked = !each.dependency || self.named.contains(name);
            reached.contains(name.as_str()) && (is_asked || some.contains(name.as_str()))
        });
        let (brought, first): (Vec<&Needed>, Vec<&Needed>) =
            needed.partition(|each| some.contains(each.candidate.name.as_str()));
        let all = first.into_iter().chain(brought).map(|each| &each.candidate);
        let along = all.map(|candidate| CompanionSkill {
            name: candidate.name.clone(),
            reference: reference(&candidate.source, candidate.requested.as_deref()),
        });
        along.collect()
    }

    /// The skills that nobody asked for themselves.
    pub(crate) fn dependencies(&self) -> BTreeSet<&'a str> {
        let needed = self.needed.iter().filter(|each| each.dependency);
        needed.map(|each| each.candidate.name.as_str()).collect()
    }

    /// Adds to what was seen the skills that are replaced and were installed before their signers were
    /// trusted: else anybody could sign the next version. Tells which.
    pub(crate) fn see_replaced(&self, signers: &mut Policy, now: Timestamp) -> BTreeSet<&'a str> {
        let mut seen = BTreeSet::new();
        if names_nobody(signers) {
            return seen;
        }
        let replaced = self.plan.changes.iter().filter_map(|change| match change {
            SkillChange::Changed { from, to } if from.digest != to.digest => Some(&**from),
            _ => None,
        });
        let replaced: Vec<&Locked> = replaced.filter(|from| from.signer.is_none()).collect();
        let digests: Vec<Digest> = replaced.iter().map(|from| from.digest).collect();
        let is_signed = |tree: &Tree| tree.get(SIGNATURE_FILE).is_some();
        let trees = self
            .store
            .read_each(&digests, |_, tree| tree.ok().filter(is_signed));
        for (from, tree) in replaced.into_iter().zip(trees) {
            let verification = tree.and_then(|tree| trusted(from, &tree, signers, now));
            if let Some(pin) = verification.and_then(|verification| verification.pin(now)) {
                pin.put_into(&mut signers.pins);
                seen.insert(from.name.as_str());
            }
        }
        seen
    }
}

/// Whether nobody is trusted to sign anything.
fn names_nobody(signers: &Policy) -> bool {
    signers.keys.is_empty() && signers.authorities.is_empty() && signers.identities.is_empty()
}

/// The verification of installed files, if somebody who is trusted signed them.
pub(crate) fn trusted(
    entry: &Locked,
    tree: &Tree,
    signers: &Policy,
    now: Timestamp,
) -> Option<Verification> {
    tree.get(SIGNATURE_FILE)?;
    let place = SkillContext {
        folder: Some(&entry.name),
        source: Some(&entry.source),
        delivered_as: entry.delivered_as,
        publisher: publisher(entry.origin, &entry.source),
        asked: RequestedVersion::Bytes,
    };
    let verification = verify_skill(&signed_tree(tree, signers), &place, signers, now);
    matches!(verification, Verification::Trusted { .. }).then_some(verification)
}
