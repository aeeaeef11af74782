//! Whether a valid signature is trusted, or the most severe reason why not.

use jiff::Timestamp;

use crate::signature::key::KeyId;
use crate::signature::pin::{Pin, RequestedVersion, Rollback};
use crate::signature::policy::{Moment, Policy, SignerScope, allows};
use crate::signature::signer::{Signer, of_authority};
use crate::signature::statement::SignedFacts;
use crate::signature::verdict::{Distrust, PinStatus, Verification};
use crate::signature::verify::{SignatureProof, SkillContext};

/// What the policy makes of a signature that proves what it says.
pub(super) fn judge(
    proof: SignatureProof<'_>,
    facts: SignedFacts,
    place: &SkillContext<'_>,
    policy: &Policy,
    at: Timestamp,
) -> Verification {
    let seen = PinHistory::of(&proof.signer, &facts, place, policy);
    let reason = match objection(&proof, &facts, place, policy, &seen, at) {
        None => {
            let publisher = seen.publisher(place);
            return Verification::Trusted {
                signer: proof.signer,
                facts,
                pinned: seen.pinned(place),
                publisher,
            };
        }
        // A name with a pin of another publisher is not unknown here.
        Some(reason) if reason.is_as_unsigned() && seen.here.is_none() => {
            let other = policy.pins_of(&facts.name).next();
            other.map_or(reason, other_signer)
        }
        Some(reason) => reason,
    };
    let expected = match &reason {
        Distrust::OtherSigner { pinned, .. } => vec![pinned.clone()],
        _ => policy.expected(&facts.name),
    };
    // What could not be checked is not handed on as a fact.
    let checked = !matches!(reason, Distrust::Unchecked | Distrust::Unverifiable(_));
    Verification::Untrusted {
        signer: proof.signer,
        reason,
        expected,
        facts: checked.then_some(facts),
    }
}

/// What was seen before of a signed skill.
struct PinHistory<'a> {
    /// What counts where the skill is published, by this signer if there is such.
    here: Option<&'a Pin>,
    /// What another signer made, whose name it is.
    others: Option<&'a Pin>,
    /// How the skill is older than what this signer made before, wherever that was published.
    rollback: Option<Rollback>,
}

impl<'a> PinHistory<'a> {
    fn of(
        signer: &Signer,
        facts: &SignedFacts,
        place: &SkillContext<'_>,
        policy: &'a Policy,
    ) -> Self {
        let counts = |pin: &&Pin| match (place.publisher, &pin.publisher) {
            (Some(here), Some(there)) => here == there,
            _ => true,
        };
        let by_same = |pin: &&Pin| is_same(signer, &pin.signer, policy);
        let by_next = |pin: &&Pin| !by_same(pin) && is_followed(signer, &pin.signer, policy);
        let all = || policy.pins_of(&facts.name);
        let here = || all().filter(counts);
        let own = here().find(|pin| by_same(pin) || by_next(pin));
        let is_known = here().filter(by_same).any(|pin| pin.digest == facts.digest);
        let older = all().filter(by_same).find_map(|pin| pin.check(facts).err());
        // What a key signed before its successor took over is older, or not trusted.
        let earlier = all()
            .filter(by_next)
            .map(|pin| (pin, pin.check_earlier(facts)));
        let (mut others, mut before) = (None, None);
        for (pin, checked) in earlier {
            match checked {
                Ok(()) => others = others.or(Some(pin)),
                Err(rollback) => before = before.or(Some(rollback)),
            }
        }
        Self {
            here: own.or_else(|| here().next()),
            others: others.or_else(|| here().next().filter(|_| own.is_none())),
            rollback: before.or(older.filter(|_| !is_known)),
        }
    }

    fn pinned(self, place: &SkillContext<'_>) -> PinStatus {
        match (self.here, self.rollback) {
            (_, Some(rollback)) => PinStatus::Older {
                rollback,
                replaces: place.asked == RequestedVersion::Older,
            },
            (Some(_), None) => PinStatus::Same,
            (None, None) => PinStatus::FirstUse,
        }
    }

    /// Where it is published, as was known before or is now.
    fn publisher(&self, place: &SkillContext<'_>) -> Option<String> {
        let before = self.here.and_then(|pin| pin.publisher.clone());
        before.or_else(|| place.publisher.map(str::to_owned))
    }
}

fn other_signer(pin: &Pin) -> Distrust {
    Distrust::OtherSigner {
        skill: pin.skill.clone(),
        pinned: pin.signer.clone(),
    }
}

/// The most severe reason not to trust, if there is one.
fn objection(
    proof: &SignatureProof<'_>,
    facts: &SignedFacts,
    place: &SkillContext<'_>,
    policy: &Policy,
    seen: &PinHistory<'_>,
    at: Timestamp,
) -> Option<Distrust> {
    if let Some(revoked) = policy.revocation_of(facts.digest) {
        return Some(revoked);
    }
    let of_key = |id: &KeyId| Some(policy.revocation(*id)?.of_key(*id));
    if let Some(revoked) = proof.keys.iter().find_map(of_key) {
        return Some(revoked);
    }
    if let Some(pin) = seen.others {
        return Some(other_signer(pin));
    }
    if let Some(rollback) = &seen.rollback
        && !place.asked.allows(rollback)
    {
        return Some(Distrust::Rollback(rollback.clone()));
    }
    if let Some(reason) = &proof.against {
        return Some(reason.clone());
    }
    let mut first = None;
    for scope in &proof.scopes {
        let against = out_of(scope, facts, place, at);
        let against = against.filter(|against| {
            !matches!(against, Distrust::Expired(end) if is_handed_over(&proof.signer, *end, facts, place, policy, at))
        });
        let Some(against) = against else {
            return uncovered(facts);
        };
        first = first.or(Some(against));
    }
    Some(first.unwrap_or(Distrust::Unknown))
}

/// Files that the signature does not cover, whatever the signer.
fn uncovered(facts: &SignedFacts) -> Option<Distrust> {
    let paths = &facts.uncovered;
    (!paths.is_empty()).then(|| Distrust::Uncovered(paths.clone()))
}

/// Whether the signer is the pinned one, or came after it by rotation.
fn is_same(signer: &Signer, pinned: &str, policy: &Policy) -> bool {
    if signer.pin().as_deref() == Some(pinned) {
        return true;
    }
    match signer {
        Signer::Key { id, .. } => {
            let before = pinned.strip_prefix("key:").and_then(|id| id.parse().ok());
            before.is_some_and(|before| policy.leads(before, *id))
        }
        // An older pin does not record the confirmed subject; it is replaced with this one.
        Signer::Certificate {
            name: Some(_), id, ..
        } => of_authority(pinned) == Some((*id, None)),
        _ => false,
    }
}

/// Whether the signer's key is one that another took the place of, as the pin says.
fn is_followed(signer: &Signer, pinned: &str, policy: &Policy) -> bool {
    let Signer::Key { id, .. } = signer else {
        return false;
    };
    let after = pinned.strip_prefix("key:").and_then(|id| id.parse().ok());
    after.is_some_and(|after| policy.leads(*id, after))
}

/// Whether a key handed over to another that may sign this now, and signed before it did, as it
/// says. A key that could have been stolen is not handed over but revoked.
fn is_handed_over(
    signer: &Signer,
    end: Moment,
    facts: &SignedFacts,
    place: &SkillContext<'_>,
    policy: &Policy,
    at: Timestamp,
) -> bool {
    let Signer::Key { id, .. } = signer else {
        return false;
    };
    let time = facts.details.as_ref().map(|details| details.signed);
    if time.is_none_or(|time| Moment(time) >= end) {
        return false;
    }
    let mut others = policy.keys.iter();
    others.any(|other| {
        let after = other.public_key.id();
        after != *id
            && policy.revocation(after).is_none()
            && out_of(&other.scope, facts, place, at).is_none()
            && policy.leads(*id, after)
    })
}

fn out_of(
    scope: &SignerScope,
    facts: &SignedFacts,
    place: &SkillContext<'_>,
    at: Timestamp,
) -> Option<Distrust> {
    if !allows(&scope.names, &facts.name) {
        return Some(Distrust::OutOfScope(facts.name.clone()));
    }
    let from_there = match place.source {
        Some(source) => allows(&scope.sources, source),
        None => scope.sources.is_empty(),
    };
    if !from_there {
        return Some(Distrust::OutOfSource(place.source.map(str::to_owned)));
    }
    match (scope.not_before, scope.expires) {
        (Some(from), _) if Moment(at) < from => Some(Distrust::TooEarly(from)),
        (_, Some(until)) if Moment(at) >= until => Some(Distrust::Expired(until)),
        _ => None,
    }
}
