//! Who may sign what: the trust policy, `trust.toml`.

use serde::Deserialize;
use skillyard_format::Digest;

use super::certificate::Certificate;
use super::distrust::Distrust;
use super::key::{KeyId, PublicKey};
use super::moment::Moment;
use super::pattern::{Pattern, allows};
use super::pin::Pin;
use super::rotation::Rotation;
use super::signer::{is_pin_of, is_pin_of_identity, is_pin_of_key, of_authority};
use super::sigstore::TrustRoot;

/// Why a policy cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// Not the TOML it should be.
    #[error("{0}")]
    Toml(String),
}

/// Whom to believe, and about what.
///
/// A revocation holds wherever it stands; everything else is only ever added.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Policy {
    /// Counts up with every change of a signed policy.
    pub version: u64,
    /// When a signed policy must have been renewed.
    pub expires: Option<Moment>,
    /// Who signs the next version of a signed policy.
    pub root: Option<Root>,
    /// Keys that are trusted.
    #[serde(rename = "key")]
    pub keys: Vec<TrustedKey>,
    /// Authorities whose certificates are trusted.
    #[serde(rename = "authority")]
    pub authorities: Vec<Authority>,
    /// Identities that are trusted to sign through Sigstore.
    #[serde(rename = "identity")]
    pub identities: Vec<Identity>,
    /// Keys and skills that are trusted no longer.
    pub revoked: Vec<Revocation>,
    /// Rotation statements, as they were made.
    #[serde(rename = "rotation")]
    pub rotations: Vec<RotationText>,
    /// What was seen before.
    #[serde(skip)]
    pub pins: Vec<Pin>,
    /// Sigstore's own keys and authorities, without which its bundles cannot be verified.
    #[serde(skip)]
    pub sigstore: Option<TrustRoot>,
}

/// Who signs the next version of a policy.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Root {
    /// How many of the keys must sign.
    pub threshold: usize,
    /// The keys, in PEM form.
    pub keys: Vec<PublicKey>,
}

/// A key that is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TrustedKey {
    /// What the user calls it.
    pub name: String,
    /// The key, in PEM form.
    pub public_key: PublicKey,
    /// What it may sign.
    #[serde(flatten)]
    pub scope: Scope,
}

/// An authority that confirms signers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Authority {
    /// What the user calls it.
    pub name: String,
    /// Its certificate, in PEM form.
    pub certificate: Certificate,
    /// Common names of the signers it is believed about; all when empty.
    #[serde(default)]
    pub subjects: Vec<Pattern>,
    /// What they may sign.
    #[serde(flatten)]
    pub scope: Scope,
}

/// Somebody who signs through Sigstore.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// What the user calls them.
    pub name: String,
    /// Who confirmed the identity, word for word.
    pub issuer: String,
    /// The identity, such as a mail address or `https://github.com/acme/*`.
    pub identity: Pattern,
    /// What they may sign.
    #[serde(flatten)]
    pub scope: Scope,
}

/// What a signer may sign, and when.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Scope {
    /// Names of skills; all when empty.
    #[serde(rename = "scope")]
    pub names: Vec<Pattern>,
    /// Where skills may come from; anywhere when empty.
    pub sources: Vec<Pattern>,
    /// The first moment.
    pub not_before: Option<Moment>,
    /// The moment from which nothing new is believed.
    pub expires: Option<Moment>,
    /// Whether the policy that says so is over, so that what was accepted before is not believed either.
    #[serde(skip)]
    pub over: bool,
}

/// A key or a skill that is trusted no longer, whoever said otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revocation {
    /// The key.
    pub id: Option<KeyId>,
    /// The tree digest of a skill without its signature.
    pub digest: Option<Digest>,
    /// Since when.
    pub time: Moment,
    /// Why.
    pub reason: Option<String>,
}

/// A rotation statement in a policy.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RotationText {
    /// The envelope.
    pub statement: String,
}

impl Revocation {
    /// What is said of a key that it is about.
    pub(super) fn of_key(&self, id: KeyId) -> Distrust {
        Distrust::Revoked {
            id,
            time: self.time,
            reason: self.reason.clone(),
        }
    }
}

impl Policy {
    /// Reads a policy.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        toml::from_str(text).map_err(|error| PolicyError::Toml(error.to_string().trim().to_owned()))
    }

    /// This policy and another, as where an organisation has one and a user adds to it.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.keys.extend(other.keys);
        self.authorities.extend(other.authorities);
        self.identities.extend(other.identities);
        self.revoked.extend(other.revoked);
        self.rotations.extend(other.rotations);
        self.pins.extend(other.pins);
        self.sigstore = self.sigstore.or(other.sigstore);
        self
    }

    /// What is left of a policy whose time is over. Nobody may sign anything by it any more, but whom it
    /// names is known still: what it revoked, or who confirmed that, could not be told otherwise.
    #[must_use]
    pub fn past(mut self) -> Self {
        let keys = self.keys.iter_mut().map(|each| &mut each.scope);
        let authorities = self.authorities.iter_mut().map(|each| &mut each.scope);
        let identities = self.identities.iter_mut().map(|each| &mut each.scope);
        for scope in keys.chain(authorities).chain(identities) {
            let ends = [scope.expires, self.expires];
            scope.expires = ends.into_iter().flatten().min();
            scope.over = true;
        }
        self
    }

    /// The key of an id, by whatever entries there are for it.
    pub fn key(&self, id: KeyId) -> Option<&PublicKey> {
        let mut keys = self.keys.iter().map(|each| &each.public_key);
        keys.find(|key| key.id() == id)
    }

    /// What was seen of skills of a name, whoever publishes them.
    pub fn pins_of(&self, skill: &str) -> impl Iterator<Item = &Pin> {
        self.pins.iter().filter(move |pin| pin.skill == skill)
    }

    /// The revocation of a key.
    pub fn revocation(&self, id: KeyId) -> Option<&Revocation> {
        self.revoked.iter().find(|each| each.id == Some(id))
    }

    /// Whether any skill is revoked by its content.
    pub fn revokes_content(&self) -> bool {
        self.revoked.iter().any(|each| each.digest.is_some())
    }

    /// The revocation of a skill's content.
    pub fn revocation_of(&self, digest: Digest) -> Option<Distrust> {
        let mut revoked = self.revoked.iter();
        let found = revoked.find(|each| each.digest == Some(digest))?;
        Some(Distrust::RevokedContent {
            time: found.time,
            reason: found.reason.clone(),
        })
    }

    /// The revocation of whoever signed, as a pin names them.
    pub fn revocation_of_signer(&self, signer: &str) -> Option<Distrust> {
        let mut revoked = self.revoked.iter();
        revoked.find_map(|each| {
            let id = each.id.filter(|id| is_pin_of(signer, *id))?;
            Some(each.of_key(id))
        })
    }

    /// Whether somebody who was trusted to sign a skill, and whom a pin names so, still is.
    ///
    /// What was accepted in their time stays accepted, so the time is not asked.
    pub fn still_trusts(&self, signer: &str, skill: &str, source: &str) -> bool {
        let covers = |scope: &Scope| {
            !scope.over && allows(&scope.names, skill) && allows(&scope.sources, source)
        };
        let is_key = |each: &TrustedKey| is_pin_of_key(signer, each.public_key.id());
        let is_confirmed = |each: &Authority| {
            of_authority(signer).is_some_and(|(id, subject)| {
                id == each.certificate.key().id()
                    && subject.is_none_or(|subject| allows(&each.subjects, subject))
            })
        };
        let is_identity =
            |each: &Identity| is_pin_of_identity(signer, &each.issuer, each.identity.as_str());
        let mut keys = self.keys.iter();
        let mut authorities = self.authorities.iter();
        let mut identities = self.identities.iter();
        self.revocation_of_signer(signer).is_none()
            && (keys.any(|each| is_key(each) && covers(&each.scope))
                || authorities.any(|each| is_confirmed(each) && covers(&each.scope))
                || identities.any(|each| is_identity(each) && covers(&each.scope)))
    }

    /// Whether a key that is trusted has taken the place of another one.
    pub fn has_followed(&self, old: KeyId, new: KeyId) -> bool {
        self.key(new).is_some() && self.leads(old, new)
    }

    /// Whether rotations lead from one key to another, each signed by the key before it.
    pub(super) fn leads(&self, from: KeyId, to: KeyId) -> bool {
        let parsed = self.rotations.iter();
        let parsed = parsed.filter_map(|each| Rotation::parse(each.statement.as_bytes()).ok());
        let believed: Vec<Rotation> = parsed
            .filter(|each| {
                self.key(each.from)
                    .is_some_and(|old| each.check(old).is_ok())
            })
            .collect();
        let mut reached = vec![from];
        // Each round reaches one step further, so more rounds than statements are of no use.
        for _ in 0..believed.len() {
            for rotation in &believed {
                let next = rotation.to.id();
                if reached.contains(&rotation.from) && !reached.contains(&next) {
                    reached.push(next);
                }
            }
        }
        reached.contains(&to)
    }

    /// Everybody who could sign a skill of this name, for messages.
    pub(super) fn expected(&self, skill: &str) -> Vec<String> {
        let covers = |scope: &Scope| allows(&scope.names, skill);
        let keys = self.keys.iter().filter(|each| covers(&each.scope));
        let keys = keys.filter(|each| self.revocation(each.public_key.id()).is_none());
        let authorities = self.authorities.iter().filter(|each| covers(&each.scope));
        let identities = self.identities.iter().filter(|each| covers(&each.scope));
        keys.map(|each| format!("`{}` (key {})", each.name, each.public_key.id().short()))
            .chain(authorities.map(|each| format!("`{}` (authority)", each.name)))
            .chain(identities.map(|each| format!("`{}` (Sigstore)", each.name)))
            .collect()
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_pem(&text).map_err(serde::de::Error::custom)
    }
}
