//! Whether a signature that is what it says is believed, or the gravest reason why not.

use jiff::Timestamp;

use super::distrust::Distrust;
use super::key::KeyId;
use super::moment::Moment;
use super::pattern::allows;
use super::policy::{Policy, Scope};
use super::signer::{Signer, of_authority};
use super::statement::Facts;
use super::verdict::{Pinned, Verification};
use super::verify::{Place, Proof};

/// What the policy makes of a signature that proves what it says.
pub(super) fn judge(
    proof: Proof<'_>,
    facts: Facts,
    place: &Place<'_>,
    policy: &Policy,
    at: Timestamp,
) -> Verification {
    let pin = policy.pin(&facts.name);
    let reason = objection(&proof, &facts, place, policy, at);
    let Some(reason) = reason else {
        let pinned = if pin.is_some() {
            Pinned::Same
        } else {
            Pinned::FirstUse
        };
        return Verification::Trusted {
            signer: proof.signer,
            facts,
            pinned,
        };
    };
    let expected = match (&reason, pin) {
        (Distrust::OtherSigner { .. }, Some(pin)) => vec![pin.signer.clone()],
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

/// The gravest reason not to believe, if there is one.
fn objection(
    proof: &Proof<'_>,
    facts: &Facts,
    place: &Place<'_>,
    policy: &Policy,
    at: Timestamp,
) -> Option<Distrust> {
    if let Some(revoked) = policy.revocation_of(facts.digest) {
        return Some(revoked);
    }
    let of_key = |id: &KeyId| Some(policy.revocation(*id)?.of_key(*id));
    if let Some(revoked) = proof.keys.iter().find_map(of_key) {
        return Some(revoked);
    }
    if let Some(pin) = policy.pin(&facts.name) {
        if !is_same(&proof.signer, &pin.signer, policy) {
            return Some(Distrust::OtherSigner {
                skill: facts.name.clone(),
                pinned: pin.signer.clone(),
            });
        }
        if let Err(rollback) = pin.check(facts) {
            return Some(Distrust::Rollback(rollback));
        }
    }
    if let Some(reason) = &proof.against {
        return Some(reason.clone());
    }
    let mut first = None;
    for scope in &proof.scopes {
        let Some(against) = out_of(scope, facts, place, at) else {
            return uncovered(facts);
        };
        first = first.or(Some(against));
    }
    Some(first.unwrap_or(Distrust::Unknown))
}

/// Nobody signed what a signature leaves out, whoever made it.
fn uncovered(facts: &Facts) -> Option<Distrust> {
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
        // An older pin does not say whom the authority confirmed; it is renewed with this one.
        Signer::Certificate {
            name: Some(_), id, ..
        } => of_authority(pinned) == Some((*id, None)),
        _ => false,
    }
}

fn out_of(scope: &Scope, facts: &Facts, place: &Place<'_>, at: Timestamp) -> Option<Distrust> {
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
