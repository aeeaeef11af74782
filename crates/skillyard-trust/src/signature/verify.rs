//! The verification: first what was signed and by which signer, then whether they may sign it.
//!
//! | order | question | when the answer is no |
//! |---|---|---|
//! | 1 | can the bundle be read, with one signature in it? | invalid |
//! | 2 | was it made by the key, certificate or identity it names? | invalid |
//! | 3 | are the files those of the statement, all of them and no other? | invalid |
//! | 4 | is the content, signed or not, or a key revoked? | untrusted, refused |
//! | 5 | is it the signer of before, and no older than before or just what was asked for? | untrusted, refused |
//! | 6 | does the policy name the signer? | untrusted, unknown signer |
//! | 7 | for this name, this source, at this time? | untrusted, refused |

use jiff::Timestamp;
use skillyard_format::Digest;

use crate::signature::bundle::{Bundle, Material};
use crate::signature::certificate::{Certificate, CertificateError, Purpose};
use crate::signature::judge::judge;
use crate::signature::key::{KeyId, PublicKey};
use crate::signature::pin::RequestedVersion;
use crate::signature::policy::{Authority, IdentityRule, Policy, SignerScope, allows};
use crate::signature::signer::Signer;
use crate::signature::statement::Statement;
use crate::signature::tree::Tree;
use crate::signature::verdict::{Distrust, InvalidSignature, Verification};
use crate::signature::{certificate, sigstore};

/// Where a skill is found.
#[derive(Debug, Clone, Copy, Default)]
pub struct SkillContext<'a> {
    /// The name of its folder, or the one it is going to have.
    pub folder: Option<&'a str>,
    /// Where it came from, as a reference such as `github:acme/skills`.
    pub source: Option<&'a str>,
    /// The digest of what the source gave, where another name was written into it since.
    pub delivered_as: Option<Digest>,
    /// Who gives the name its meaning, such as a registry or a repository; any publisher if `None`.
    pub publisher: Option<&'a str>,
    /// What of it was asked for.
    pub asked: RequestedVersion<'a>,
}

/// Verifies a skill by the signature among its files: the one call for installing or running it.
pub fn verify_skill(
    tree: &Tree,
    place: &SkillContext<'_>,
    policy: &Policy,
    now: Timestamp,
) -> Verification {
    // Another name makes revoked content no better.
    let before = place.delivered_as;
    if let Some(revoked) = before.and_then(|digest| revoked_as(digest, policy)) {
        return revoked;
    }
    match tree.bundle() {
        Some(bundle) => verify(tree, bundle, place, policy, now),
        None => revoked(tree, policy).unwrap_or_else(|| unsigned(tree, place, policy)),
    }
}

/// Verifies a skill by a signature that was brought along.
pub fn verify(
    tree: &Tree,
    bundle: &[u8],
    place: &SkillContext<'_>,
    policy: &Policy,
    now: Timestamp,
) -> Verification {
    match examine(tree, bundle, place, policy, now) {
        Ok(verification) => verification,
        // A signature that is broken makes revoked content no better.
        Err(invalid) => revoked(tree, policy).unwrap_or(Verification::Invalid(invalid)),
    }
}

/// The revocation of what has no signature that could be judged, if it is revoked.
fn revoked(tree: &Tree, policy: &Policy) -> Option<Verification> {
    // Mostly nothing is revoked, and then no digest is computed.
    let digest = policy.revokes_content().then(|| tree.digest())?;
    revoked_as(digest, policy)
}

fn revoked_as(digest: Digest, policy: &Policy) -> Option<Verification> {
    Some(Verification::Untrusted {
        signer: Signer::Unknown,
        reason: policy.revocation_of(digest)?,
        expected: Vec::new(),
        facts: None,
    })
}

/// A skill that was signed before and is not any more has lost its signature on the way.
fn unsigned(tree: &Tree, place: &SkillContext<'_>, policy: &Policy) -> Verification {
    // Without pins the name is not needed.
    if policy.pins.is_empty() {
        return Verification::Unsigned;
    }
    let name = tree.identity(place.folder).map(|(name, _)| name);
    let name = name.as_deref().or(place.folder).unwrap_or_default();
    match policy.pins_of(name).next() {
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
    place: &SkillContext<'_>,
    policy: &Policy,
    now: Timestamp,
) -> Result<Verification, InvalidSignature> {
    let bundle = Bundle::parse(bundle)?;
    let statement = Statement::parse(&bundle.envelope.payload)?;
    let name = tree.identity(place.folder).map(|(name, _)| name);
    let pins = name.iter().flat_map(|name| policy.pins_of(name));
    // What was accepted when its signer was still good stays good; only new content is judged by
    // the present.
    let known = pins.into_iter().find(|pin| pin.digest == tree.digest());
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

/// Who signed, and what the policy says about them.
pub(super) struct SignatureProof<'a> {
    pub(super) signer: Signer,
    /// What each of their entries in the policy allows; one that does is enough.
    pub(super) scopes: Vec<&'a SignerScope>,
    /// All keys that had a part in it.
    pub(super) keys: Vec<KeyId>,
    /// Why they are not trusted, whatever the scope is.
    pub(super) against: Option<Distrust>,
}

fn by_key<'a>(
    bundle: &Bundle,
    statement: &Statement,
    hint: Option<KeyId>,
    policy: &'a Policy,
) -> Result<SignatureProof<'a>, InvalidSignature> {
    let fits = |key: &PublicKey| match hint {
        Some(id) => key.id() == id,
        // Old tools leave the id out; then the signature itself says whose it is.
        None => bundle.envelope.is_signed_by(key),
    };
    let entry = policy.keys.iter().find(|each| fits(&each.public_key));
    let named = statement.named_key().filter(|key| fits(key));
    let Some(key) = entry.map(|each| &each.public_key).or(named) else {
        let signer = hint.map_or(Signer::Unknown, |id| Signer::Key { name: None, id });
        return Ok(SignatureProof {
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
        return Err(InvalidSignature::NotMadeBy(signer));
    }
    let entries = policy.keys.iter().filter(|each| each.public_key == *key);
    Ok(SignatureProof {
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
) -> Result<SignatureProof<'a>, InvalidSignature> {
    let chain: Vec<Certificate> = chain
        .iter()
        .map(|der| Certificate::from_der(der))
        .collect::<Result<_, _>>()
        .map_err(InvalidSignature::Certificate)?;
    let leaf = chain
        .first()
        .map(|leaf| (leaf.subject(), leaf.key().clone()));
    let Some((subject, key)) = leaf else {
        let none = CertificateError::Unreadable("there is none".into());
        return Err(InvalidSignature::Certificate(none));
    };
    let mut signer = Signer::Certificate {
        name: None,
        subject: subject.clone(),
        id: key.id(),
    };
    if !bundle.envelope.is_signed_by(&key) {
        return Err(InvalidSignature::NotMadeBy(signer));
    }
    let authorities: Vec<&Certificate> = policy
        .authorities
        .iter()
        .map(|each| &each.certificate)
        .collect();
    let mut keys = vec![key.id()];
    let (mut scopes, mut against) = (Vec::new(), None);
    match certificate::find_path(&chain, &authorities, at, Purpose::Signing) {
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
        Err(error) => return Err(InvalidSignature::Certificate(error)),
    }
    Ok(SignatureProof {
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
) -> Result<SignatureProof<'a>, InvalidSignature> {
    let proven = match sigstore::verify(bundle, chain, policy.sigstore.as_ref()) {
        Ok(proven) => proven,
        Err(error) if error.is_open() => {
            return Ok(SignatureProof {
                signer: Signer::Unknown,
                scopes: Vec::new(),
                keys: Vec::new(),
                against: Some(Distrust::Unverifiable(error)),
            });
        }
        Err(error) => return Err(InvalidSignature::Sigstore(error)),
    };
    let is_this = |each: &&IdentityRule| {
        each.issuer == proven.issuer && each.identity.matches(&proven.identity)
    };
    let entries: Vec<&IdentityRule> = policy.identities.iter().filter(is_this).collect();
    Ok(SignatureProof {
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
