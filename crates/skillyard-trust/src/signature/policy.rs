//! Who may sign what: the trust policy, `trust.toml`.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use skillyard_format::Digest;

use crate::signature::certificate::Certificate;
use crate::signature::key::{KeyId, PublicKey};
use crate::signature::pin::Pin;
use crate::signature::rotation::Rotation;
use crate::signature::signer::{is_pin_of, is_pin_of_identity, is_pin_of_key, of_authority};
use crate::signature::sigstore::TrustRoot;
use crate::signature::verdict::Distrust;
use crate::wildcard;

/// Why a policy cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// Not the TOML it should be.
    #[error("{0}")]
    Toml(String),
}

/// Which signers to trust, and for what.
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
    pub identities: Vec<IdentityRule>,
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
    pub scope: SignerScope,
}

/// An authority that confirms signers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Authority {
    /// What the user calls it.
    pub name: String,
    /// Its certificate, in PEM form.
    pub certificate: Certificate,
    /// Common names of the signers that it may confirm; all when empty.
    #[serde(default)]
    pub subjects: Vec<IdentityPattern>,
    /// What they may sign.
    #[serde(flatten)]
    pub scope: SignerScope,
}

/// An identity that signs through Sigstore.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentityRule {
    /// What the user calls them.
    pub name: String,
    /// Who confirmed the identity, word for word.
    pub issuer: String,
    /// The identity, such as a mail address or `https://github.com/acme/*`.
    pub identity: IdentityPattern,
    /// What they may sign.
    #[serde(flatten)]
    pub scope: SignerScope,
}

/// What a signer may sign, and when.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct SignerScope {
    /// Names of skills; all when empty.
    #[serde(rename = "scope")]
    pub names: Vec<IdentityPattern>,
    /// Where skills may come from; anywhere when empty.
    pub sources: Vec<IdentityPattern>,
    /// The first moment.
    pub not_before: Option<Moment>,
    /// The time from which nothing new is trusted.
    pub expires: Option<Moment>,
    /// Whether the policy of the revocation has expired, so that earlier acceptances are not trusted either.
    #[serde(skip)]
    pub over: bool,
}

/// A key or a skill that is not trusted any longer, whatever other policies say.
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

    /// What remains of an expired policy. It authorizes no signature any longer, but the signers it
    /// names are still known: otherwise its revocations would be lost.
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

    /// The pins of skills of a name, of all publishers.
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

    /// The revocation of a signer, as a pin names them.
    pub fn revocation_of_signer(&self, signer: &str) -> Option<Distrust> {
        let mut revoked = self.revoked.iter();
        revoked.find_map(|each| {
            let id = each.id.filter(|id| is_pin_of(signer, *id))?;
            Some(each.of_key(id))
        })
    }

    /// Whether the signer that a pin names is still trusted to sign a skill.
    ///
    /// What was accepted in their time stays accepted, so the time is not asked.
    pub fn still_trusts(&self, signer: &str, skill: &str, source: &str) -> bool {
        let covers = |scope: &SignerScope| {
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
            |each: &IdentityRule| is_pin_of_identity(signer, &each.issuer, each.identity.as_str());
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
        let verified: Vec<Rotation> = parsed
            .filter(|each| {
                self.key(each.from)
                    .is_some_and(|old| each.check(old).is_ok())
            })
            .collect();
        let mut reached = vec![from];
        // Each round reaches one step further, so more rounds than statements are of no use.
        for _ in 0..verified.len() {
            for rotation in &verified {
                let next = rotation.to.id();
                if reached.contains(&rotation.from) && !reached.contains(&next) {
                    reached.push(next);
                }
            }
        }
        reached.contains(&to)
    }

    /// All signers that could sign a skill of this name, for messages.
    pub(super) fn expected(&self, skill: &str) -> Vec<String> {
        let covers = |scope: &SignerScope| allows(&scope.names, skill);
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

/// A pattern such as `pdf-*` or `github:acme/*`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IdentityPattern(String);

impl IdentityPattern {
    /// A pattern; every text is one.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the whole `text` fits.
    pub fn matches(&self, text: &str) -> bool {
        wildcard::matches(&self.0, text)
    }
}

/// Whether any pattern fits; an empty list fits everything.
pub(super) fn allows(patterns: &[IdentityPattern], text: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|pattern| pattern.matches(text))
}

/// A point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Moment(pub Timestamp);

/// A text that is not a time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a time; one is `2027-01-01` or `2027-01-01T12:00:00Z`")]
pub struct MomentError(String);

impl FromStr for Moment {
    type Err = MomentError;

    fn from_str(text: &str) -> Result<Self, MomentError> {
        let whole = format!("{text}T00:00:00Z");
        let is_date = text.parse::<Date>().is_ok() && text.len() == 10;
        let text = if is_date { &whole } else { text };
        text.parse()
            .map(Self)
            .map_err(|_| MomentError(text.chars().take(50).collect()))
    }
}

impl TryFrom<String> for Moment {
    type Error = MomentError;

    fn try_from(text: String) -> Result<Self, MomentError> {
        text.parse()
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> Self {
        moment.0.to_string()
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::{IdentityPattern, Moment};

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, text, expected) in [
            ("pdf", "pdf", true),
            ("pdf", "pdf-tools", false),
            ("pdf-*", "pdf-tools", true),
            ("pdf-*", "pdf", false),
            ("*", "", true),
            ("a*a", "a", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("[a-z]", "b", false),
            ("github:acme/*", "github:acme/skills/pdf", true),
            ("github:acme/*", "github:acme-evil/skills", false),
            ("", "x", false),
        ] {
            assert_eq!(
                IdentityPattern::new(pattern).matches(text),
                expected,
                "{pattern} {text}"
            );
        }
    }

    #[test]
    fn a_date_is_its_first_instant() {
        let moment: Moment = "2027-01-01".parse().unwrap();
        assert_eq!(moment.to_string(), "2027-01-01T00:00:00Z");
        assert_eq!("2027-01-01T00:00:00Z".parse(), Ok(moment));
        for bad in ["", "soon", "2027", "2027-13-01", "2027-01-01T00:00:00"] {
            assert!(bad.parse::<Moment>().is_err(), "{bad}");
        }
    }
}
