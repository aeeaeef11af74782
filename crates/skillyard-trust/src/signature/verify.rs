//! The verification itself: first what was signed and by whom, then whether they may.
//!
//! | order | question | when the answer is no |
//! |---|---|---|
//! | 1 | can the bundle be read, with one signature in it? | invalid |
//! | 2 | was it made by the key, certificate or identity it names? | invalid |
//! | 3 | are the files those of the statement, all of them and no other? | invalid |
//! | 4 | is the content or a key revoked? | untrusted, refused |
//! | 5 | is it the signer of before, and no older than before? | untrusted, refused |
//! | 6 | does the policy name the signer? | untrusted, a stranger |
//! | 7 | for this name, this source, at this time? | untrusted, refused |

use jiff::Timestamp;

use super::bundle::{Bundle, Material};
use super::certificate::{self, Certificate, CertificateError, Purpose};
use super::key::{KeyId, PublicKey};
use super::moment::Moment;
use super::pattern::allows;
use super::policy::{Authority, Identity, Policy, Revocation, Scope};
use super::sigstore;
use super::statement::{Facts, Statement};
use super::tree::Tree;
use super::verdict::{Distrust, Invalid, Pinned, Signer, Verification};

/// Where a skill is found.
#[derive(Debug, Clone, Copy, Default)]
pub struct Place<'a> {
    /// The name of its folder, or the one it is going to have.
    pub folder: Option<&'a str>,
    /// Where it came from, as a reference such as `github:acme/skills`.
    pub source: Option<&'a str>,
}

/// Verifies a skill by the signature among its files: the one call for whoever installs or runs it.
pub fn verify_skill(
    tree: &Tree,
    place: &Place<'_>,
    policy: &Policy,
    now: Timestamp,
) -> Verification {
    match tree.bundle() {
        Some(bundle) => verify(tree, bundle, place, policy, now),
        None => unsigned(tree, place, policy),
    }
}

/// Verifies a skill by a signature that was brought along.
pub fn verify(
    tree: &Tree,
    bundle: &[u8],
    place: &Place<'_>,
    policy: &Policy,
    now: Timestamp,
) -> Verification {
    match examine(tree, bundle, place, policy, now) {
        Ok(verification) => verification,
        Err(invalid) => Verification::Invalid(invalid),
    }
}

/// A skill that was signed before and is not any more has lost its signature on the way.
fn unsigned(tree: &Tree, place: &Place<'_>, policy: &Policy) -> Verification {
    let name = tree.identity(place.folder).map(|(name, _)| name);
    let name = name.as_deref().or(place.folder).unwrap_or_default();
    match policy.pin(name) {
        None => Verification::Unsigned,
        Some(pin) => Verification::Untrusted {
            signer: Signer::Unknown,
            reason: Distrust::Stripped {
                skill: name.to_owned(),
                pinned: pin.signer.clone(),
            },
            expected: vec![pin.signer.clone()],
            facts: None,
        },
    }
}

fn examine(
    tree: &Tree,
    bundle: &[u8],
    place: &Place<'_>,
    policy: &Policy,
    now: Timestamp,
) -> Result<Verification, Invalid> {
    let bundle = Bundle::parse(bundle)?;
    let statement = Statement::parse(&bundle.envelope.payload)?;
    let name = tree.identity(place.folder).map(|(name, _)| name);
    let pin = name.as_deref().and_then(|name| policy.pin(name));
    // What was accepted when its signer was still good stays good; only new content is judged by
    // the present.
    let known = pin.filter(|pin| pin.digest == tree.digest());
    let at = known.map_or(now, |pin| pin.seen.0);
    let proof = match &bundle.material {
        Material::Key(id) => by_key(&bundle, &statement, *id, policy)?,
        Material::Chain(chain) if bundle.log_entries.is_empty() => {
            by_certificate(&bundle, chain, policy, at)?
        }
        Material::Chain(chain) => by_sigstore(&bundle, chain, policy)?,
    };
    let facts = statement.check(tree, place.folder)?;
    Ok(judge(proof, facts, place, policy, at))
}

/// Who signed, and what the policy has to say about them.
struct Proof<'a> {
    signer: Signer,
    /// What each of their entries in the policy allows; one that does is enough.
    scopes: Vec<&'a Scope>,
    /// All keys that had a part in it.
    keys: Vec<KeyId>,
    /// Why they are not believed whatever the scope is.
    against: Option<Distrust>,
}

fn by_key<'a>(
    bundle: &Bundle,
    statement: &Statement,
    hint: Option<KeyId>,
    policy: &'a Policy,
) -> Result<Proof<'a>, Invalid> {
    let fits = |key: &PublicKey| match hint {
        Some(id) => key.id() == id,
        // Old tools leave the id out; then the signature itself says whose it is.
        None => bundle.envelope.is_signed_by(key),
    };
    let entry = policy.keys.iter().find(|each| fits(&each.public_key));
    let named = statement.named_key().filter(|key| fits(key));
    let Some(key) = entry.map(|each| &each.public_key).or(named) else {
        let signer = hint.map_or(Signer::Unknown, |id| Signer::Key { name: None, id });
        return Ok(Proof {
            signer,
            scopes: Vec::new(),
            keys: hint.into_iter().collect(),
            against: Some(Distrust::Unchecked),
        });
    };
    let signer = Signer::Key {
        name: entry.map(|each| each.name.clone()),
        id: key.id(),
    };
    if !bundle.envelope.is_signed_by(key) {
        return Err(Invalid::Signature(signer));
    }
    let entries = policy.keys.iter().filter(|each| each.public_key == *key);
    Ok(Proof {
        signer,
        scopes: entries.map(|each| &each.scope).collect(),
        keys: vec![key.id()],
        against: None,
    })
}

fn by_certificate<'a>(
    bundle: &Bundle,
    chain: &[Vec<u8>],
    policy: &'a Policy,
    at: Timestamp,
) -> Result<Proof<'a>, Invalid> {
    let chain: Vec<Certificate> = chain
        .iter()
        .map(|der| Certificate::from_der(der))
        .collect::<Result<_, _>>()
        .map_err(Invalid::Certificate)?;
    let leaf = chain
        .first()
        .map(|leaf| (leaf.subject(), leaf.key().clone()));
    let Some((subject, key)) = leaf else {
        let none = CertificateError::Unreadable("there is none".into());
        return Err(Invalid::Certificate(none));
    };
    let mut signer = Signer::Certificate {
        name: None,
        subject: subject.clone(),
        id: key.id(),
    };
    if !bundle.envelope.is_signed_by(&key) {
        return Err(Invalid::Signature(signer));
    }
    let authorities: Vec<&Certificate> = policy
        .authorities
        .iter()
        .map(|each| &each.certificate)
        .collect();
    let mut keys = vec![key.id()];
    let (mut scopes, mut against) = (Vec::new(), None);
    match certificate::path(&chain, &authorities, at, Purpose::Signing) {
        Ok(path) => {
            let entry = &policy.authorities[path.authority];
            let id = entry.certificate.key().id();
            keys.extend(path.keys());
            keys.push(id);
            let name = Some(entry.name.clone());
            let same = |each: &&Authority| each.certificate == entry.certificate;
            let about = |each: &&Authority| allows(&each.subjects, &subject);
            let entries = policy.authorities.iter().filter(same).filter(about);
            scopes = entries.map(|each| &each.scope).collect();
            signer = Signer::Certificate { name, subject, id };
        }
        Err(error @ CertificateError::UnknownAuthority(_)) => {
            against = Some(Distrust::UnknownAuthority(error));
        }
        Err(error @ CertificateError::NotValid { .. }) => {
            against = Some(Distrust::CertificateTime(error));
        }
        Err(error) => return Err(Invalid::Certificate(error)),
    }
    Ok(Proof {
        signer,
        scopes,
        keys,
        against,
    })
}

fn by_sigstore<'a>(
    bundle: &Bundle,
    chain: &[Vec<u8>],
    policy: &'a Policy,
) -> Result<Proof<'a>, Invalid> {
    let proven = match sigstore::verify(bundle, chain, policy.sigstore.as_ref()) {
        Ok(proven) => proven,
        Err(error) if error.is_open() => {
            return Ok(Proof {
                signer: Signer::Unknown,
                scopes: Vec::new(),
                keys: Vec::new(),
                against: Some(Distrust::Unverifiable(error)),
            });
        }
        Err(error) => return Err(Invalid::Sigstore(error)),
    };
    let is_this =
        |each: &&Identity| each.issuer == proven.issuer && each.identity.matches(&proven.identity);
    let entries: Vec<&Identity> = policy.identities.iter().filter(is_this).collect();
    Ok(Proof {
        signer: Signer::Identity {
            name: entries.first().map(|each| each.name.clone()),
            identity: proven.identity,
            issuer: proven.issuer,
        },
        scopes: entries.iter().map(|each| &each.scope).collect(),
        keys: proven.keys,
        against: None,
    })
}

fn judge(
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
    if let Some(Revocation { time, reason, .. }) = policy.revocation_of(facts.digest) {
        return Some(Distrust::RevokedContent {
            time: *time,
            reason: reason.clone(),
        });
    }
    let revoked = |id: &KeyId| policy.revocation(*id).map(|found| (*id, found));
    if let Some((id, found)) = proof.keys.iter().find_map(revoked) {
        return Some(Distrust::Revoked {
            id,
            time: found.time,
            reason: found.reason.clone(),
        });
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
        let against = out_of(scope, facts, place, at)?;
        first = first.or(Some(against));
    }
    Some(first.unwrap_or(Distrust::Unknown))
}

/// Whether the signer is the pinned one, or came after it by rotation.
fn is_same(signer: &Signer, pinned: &str, policy: &Policy) -> bool {
    if signer.pin().as_deref() == Some(pinned) {
        return true;
    }
    let before = pinned.strip_prefix("key:").and_then(|id| id.parse().ok());
    match (signer, before) {
        (Signer::Key { id, .. }, Some(before)) => policy.leads(before, *id),
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
