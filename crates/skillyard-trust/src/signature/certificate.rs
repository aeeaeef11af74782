//! X.509 certificates: who a key belongs to, as an authority confirms.
//!
//! The path goes from the signer up to an authority that the policy names. Every certificate on it
//! must be valid at one moment, authorities must be allowed to be such, and a critical extension
//! that is not understood here is a reason to refuse.

use std::fmt::Write as _;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use x509_cert::attr::AttributeTypeAndValue;
use x509_cert::der::asn1::{
    Ia5StringRef, ObjectIdentifier, PrintableStringRef, TeletexStringRef, Utf8StringRef,
};
use x509_cert::der::{Decode as _, Encode as _, Tag, Tagged as _, pem};
use x509_cert::ext::pkix::{BasicConstraints, ExtendedKeyUsage, KeyUsage};
use x509_cert::name::Name;

use crate::signature::key::{Algorithm, KeyError, KeyId, PublicKey};

const BASIC_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.19");
const KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.15");
const EXTENDED_KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37");
const SUBJECT_NAMES: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.17");
const CODE_SIGNING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.3");
const TIME_STAMPING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.8");

/// What a certificate is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To sign skills.
    Signing,
    /// To say when something was signed.
    TimeStamping,
}

impl Purpose {
    /// Whether the purposes that a certificate names, if it does, allow this one.
    fn allowed_by(self, usages: Option<&ExtendedKeyUsage>) -> bool {
        match (self, usages) {
            (Self::Signing, usages) => usages.is_none_or(|usages| usages.0.contains(&CODE_SIGNING)),
            // A key that stamps does nothing else.
            (Self::TimeStamping, usages) => {
                usages.is_some_and(|usages| usages.0 == [TIME_STAMPING])
            }
        }
    }
}

/// Why a certificate proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// Bytes that are not a certificate.
    #[error("a certificate cannot be read: {0}")]
    Unreadable(String),
    /// A key that cannot be used.
    #[error("the key of certificate `{subject}` cannot be used: {reason}")]
    Key {
        /// Whose.
        subject: String,
        /// Why.
        reason: KeyError,
    },
    /// A certificate from before or after its time.
    #[error("certificate `{subject}` is valid from {from} to {to}, and not at {at}")]
    NotValid {
        /// Whose.
        subject: String,
        /// The first moment.
        from: String,
        /// The last moment.
        to: String,
        /// The moment that was asked about.
        at: Timestamp,
    },
    /// A signer that may not sign.
    #[error("certificate `{0}` is not for signing")]
    NotForSigning(String),
    /// An issuer that is not an authority.
    #[error("certificate `{0}` is not that of an authority, and confirms another")]
    NotAnAuthority(String),
    /// An extension that changes the meaning in a way that is not known.
    #[error(
        "certificate `{subject}` has the critical extension {extension}, which is not understood"
    )]
    Critical {
        /// Whose.
        subject: String,
        /// Its number.
        extension: String,
    },
    /// No trusted authority confirms it.
    #[error("no trusted authority confirms it; the path ends at `{0}`")]
    UnknownAuthority(String),
}

/// A certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Certificate {
    parsed: x509_cert::Certificate,
    der: Vec<u8>,
    key: PublicKey,
}

impl Certificate {
    /// Reads a certificate in DER form.
    pub fn from_der(der: &[u8]) -> Result<Self, CertificateError> {
        let unreadable =
            |error: x509_cert::der::Error| CertificateError::Unreadable(error.to_string());
        let parsed = x509_cert::Certificate::from_der(der).map_err(unreadable)?;
        // Signatures are checked over what is written again, so that must be what was read.
        if parsed.to_der().map_err(unreadable)? != der {
            return Err(CertificateError::Unreadable("it is not in DER form".into()));
        }
        let info = parsed.tbs_certificate().subject_public_key_info();
        let spki = info.to_der().map_err(unreadable)?;
        let key = PublicKey::from_spki(&spki).map_err(|reason| CertificateError::Key {
            subject: distinguished_name(parsed.tbs_certificate().subject()),
            reason,
        })?;
        Ok(Self {
            parsed,
            der: der.to_vec(),
            key,
        })
    }

    /// Reads a certificate in PEM form.
    pub fn from_pem(text: &str) -> Result<Self, CertificateError> {
        let unreadable = |error: &dyn ToString| CertificateError::Unreadable(error.to_string());
        let (label, der) =
            pem::decode_vec(text.trim().as_bytes()).map_err(|error| unreadable(&error))?;
        if label != "CERTIFICATE" {
            return Err(unreadable(&format!("it is a {}", label.to_lowercase())));
        }
        Self::from_der(&der)
    }

    /// The certificate in PEM form.
    pub fn to_pem(&self) -> String {
        pem::encode_string("CERTIFICATE", pem::LineEnding::LF, &self.der).unwrap_or_default()
    }

    /// The certificate in DER form.
    pub(super) fn der(&self) -> &[u8] {
        &self.der
    }

    /// The key it speaks about.
    pub fn key(&self) -> &PublicKey {
        &self.key
    }

    /// The subject: the common name, or the whole name.
    pub fn subject(&self) -> String {
        common_name(self.parsed.tbs_certificate().subject())
    }

    pub(super) fn issuer(&self) -> String {
        common_name(self.parsed.tbs_certificate().issuer())
    }

    pub(super) fn parsed(&self) -> &x509_cert::Certificate {
        &self.parsed
    }

    /// Whether it is valid at a moment.
    pub(super) fn check_time(&self, at: Timestamp) -> Result<(), CertificateError> {
        let validity = self.parsed.tbs_certificate().validity();
        let seconds = |time: &x509_cert::time::Time| time.to_unix_duration().as_secs();
        let moment = u64::try_from(at.as_second()).unwrap_or(0);
        if (seconds(&validity.not_before)..=seconds(&validity.not_after)).contains(&moment) {
            return Ok(());
        }
        Err(CertificateError::NotValid {
            subject: self.subject(),
            from: validity.not_before.to_string(),
            to: validity.not_after.to_string(),
            at,
        })
    }

    /// Whether the signer may sign: its usage says so, and it is not an authority.
    pub(super) fn check_signer(&self, purpose: Purpose) -> Result<(), CertificateError> {
        let (basic, usage, extended) = self.usages()?;
        let may_sign = usage.is_some_and(|usage| usage.digital_signature());
        let for_this = purpose.allowed_by(extended.as_ref());
        if may_sign && for_this && !basic.is_some_and(|basic| basic.ca) {
            Ok(())
        } else {
            Err(CertificateError::NotForSigning(self.subject()))
        }
    }

    /// Whether it may confirm others, with `below` authorities between it and the signer.
    pub(super) fn check_authority(
        &self,
        below: usize,
        purpose: Purpose,
    ) -> Result<(), CertificateError> {
        let (basic, usage, extended) = self.usages()?;
        let is_authority = basic.is_some_and(|basic| {
            let deep_enough = |most: u8| below <= usize::from(most);
            basic.ca && basic.path_len_constraint.is_none_or(deep_enough)
        });
        let may_confirm = usage.is_none_or(|usage| usage.key_cert_sign());
        let for_this = extended.is_none() || purpose.allowed_by(extended.as_ref());
        if is_authority && may_confirm && for_this {
            Ok(())
        } else {
            Err(CertificateError::NotAnAuthority(self.subject()))
        }
    }

    #[expect(
        clippy::type_complexity,
        reason = "three extensions, read in one place"
    )]
    fn usages(
        &self,
    ) -> Result<
        (
            Option<BasicConstraints>,
            Option<KeyUsage>,
            Option<ExtendedKeyUsage>,
        ),
        CertificateError,
    > {
        let tbs = self.parsed.tbs_certificate();
        let understood = [
            BASIC_CONSTRAINTS,
            KEY_USAGE,
            EXTENDED_KEY_USAGE,
            SUBJECT_NAMES,
        ];
        for extension in tbs.extensions().into_iter().flatten() {
            if extension.critical && !understood.contains(&extension.extn_id) {
                return Err(CertificateError::Critical {
                    subject: self.subject(),
                    extension: extension.extn_id.to_string(),
                });
            }
        }
        let unreadable =
            |error: x509_cert::der::Error| CertificateError::Unreadable(error.to_string());
        let basic = tbs
            .get_extension::<BasicConstraints>()
            .map_err(unreadable)?;
        let usage = tbs.get_extension::<KeyUsage>().map_err(unreadable)?;
        let extended = tbs
            .get_extension::<ExtendedKeyUsage>()
            .map_err(unreadable)?;
        Ok((
            basic.map(|(_, value)| value),
            usage.map(|(_, value)| value),
            extended.map(|(_, value)| value),
        ))
    }

    /// Whether `self` confirmed `other`, with the algorithm that belongs to its key.
    pub(super) fn confirmed(&self, other: &Self) -> bool {
        let certificate = &other.parsed;
        let tbs = certificate.tbs_certificate();
        let algorithm = match self.key.algorithm() {
            Algorithm::Ed25519 => ObjectIdentifier::new_unwrap("1.3.101.112"),
            Algorithm::P256 => ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2"),
            Algorithm::P384 => ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.3"),
        };
        let same = certificate.signature_algorithm() == tbs.signature();
        let names_fit = tbs.issuer() == self.parsed.tbs_certificate().subject();
        let (Ok(message), Some(signature)) = (tbs.to_der(), certificate.signature().as_bytes())
        else {
            return false;
        };
        same && names_fit
            && tbs.signature().oid == algorithm
            && self.key.has_signed(&message, signature)
    }
}

impl TryFrom<String> for Certificate {
    type Error = CertificateError;

    fn try_from(text: String) -> Result<Self, CertificateError> {
        Self::from_pem(&text)
    }
}

impl From<Certificate> for String {
    fn from(certificate: Certificate) -> Self {
        certificate.to_pem()
    }
}

fn common_name(name: &x509_cert::name::Name) -> String {
    match name.common_name() {
        Ok(Some(common)) => common.value().into_owned(),
        _ => distinguished_name(name),
    }
}

/// Most certificates between the signer and the authority.
const MAX_PATH_LENGTH: usize = 6;

/// A signer's certificate and those that confirm it, up to a trusted authority.
#[derive(Debug)]
pub(super) struct CertificatePath<'a> {
    /// The signer and the intermediate authorities.
    pub(super) certificates: Vec<&'a Certificate>,
    /// Which of the trusted authorities it ends at.
    pub(super) authority: usize,
}

impl CertificatePath<'_> {
    /// The ids of all keys on the path, any of which may be revoked.
    pub(super) fn keys(&self) -> impl Iterator<Item = KeyId> {
        self.certificates.iter().map(|each| each.key().id())
    }
}

/// Finds the path from the first certificate of the chain to an authority.
pub(super) fn find_path<'a>(
    chain: &'a [Certificate],
    authorities: &[&Certificate],
    at: Timestamp,
    purpose: Purpose,
) -> Result<CertificatePath<'a>, CertificateError> {
    let Some(signer) = chain.first() else {
        return Err(CertificateError::Unreadable("there is none".into()));
    };
    signer.check_signer(purpose)?;
    signer.check_time(at)?;
    let mut certificates = vec![signer];
    let mut last = signer;
    while certificates.len() <= MAX_PATH_LENGTH {
        let below = certificates.len() - 1;
        let found = authorities.iter().position(|each| each.confirmed(last));
        if let Some(authority) = found {
            authorities[authority].check_authority(below, purpose)?;
            authorities[authority].check_time(at)?;
            return Ok(CertificatePath {
                certificates,
                authority,
            });
        }
        let next = chain
            .iter()
            .find(|each| *each != last && each.confirmed(last));
        let Some(next) = next else { break };
        next.check_authority(below, purpose)?;
        next.check_time(at)?;
        certificates.push(next);
        last = next;
    }
    Err(CertificateError::UnknownAuthority(last.issuer()))
}

/// What the parts of names are called; others are written by their number.
const ATTRIBUTE_NAMES: [(ObjectIdentifier, &str); 12] = [
    (ObjectIdentifier::new_unwrap("2.5.4.3"), "CN"),
    (ObjectIdentifier::new_unwrap("2.5.4.4"), "SN"),
    (ObjectIdentifier::new_unwrap("2.5.4.5"), "SERIALNUMBER"),
    (ObjectIdentifier::new_unwrap("2.5.4.6"), "C"),
    (ObjectIdentifier::new_unwrap("2.5.4.7"), "L"),
    (ObjectIdentifier::new_unwrap("2.5.4.8"), "ST"),
    (ObjectIdentifier::new_unwrap("2.5.4.9"), "STREET"),
    (ObjectIdentifier::new_unwrap("2.5.4.10"), "O"),
    (ObjectIdentifier::new_unwrap("2.5.4.11"), "OU"),
    (
        ObjectIdentifier::new_unwrap("0.9.2342.19200300.100.1.1"),
        "UID",
    ),
    (
        ObjectIdentifier::new_unwrap("0.9.2342.19200300.100.1.25"),
        "DC",
    ),
    (
        ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.1"),
        "EMAIL",
    ),
];

/// A name in one line, the last of its parts first.
pub(super) fn distinguished_name(name: &Name) -> String {
    let sets: Vec<_> = name.iter_rdn().collect();
    let mut line = String::new();
    for set in sets.iter().rev() {
        if !line.is_empty() {
            line.push(',');
        }
        for (at, part) in set.iter().enumerate() {
            if at > 0 {
                line.push('+');
            }
            write_part(&mut line, part);
        }
    }
    line
}

fn write_part(line: &mut String, part: &AttributeTypeAndValue) {
    let kind = ATTRIBUTE_NAMES
        .iter()
        .find(|(number, _)| *number == part.oid);
    if let (Some((_, kind)), Some(text)) = (kind, text(part)) {
        let _ = write!(line, "{kind}=");
        write_text(line, text);
        return;
    }
    let _ = write!(line, "{}=#", part.oid);
    for byte in part.value.to_der().unwrap_or_default() {
        let _ = write!(line, "{byte:02x}");
    }
}

/// The text of a part, if it is one.
fn text(part: &AttributeTypeAndValue) -> Option<&str> {
    let value = &part.value;
    match value.tag() {
        Tag::PrintableString => {
            let text = PrintableStringRef::try_from(value).ok()?;
            Some(text.as_str())
        }
        Tag::Utf8String => Some(Utf8StringRef::try_from(value).ok()?.as_str()),
        Tag::Ia5String => Some(Ia5StringRef::try_from(value).ok()?.as_str()),
        Tag::TeletexString => Some(TeletexStringRef::try_from(value).ok()?.as_str()),
        _ => None,
    }
}

/// Writes a text so that what follows it cannot be taken for a part of it.
fn write_text(line: &mut String, text: &str) {
    let last = text.len().saturating_sub(1);
    for (at, c) in text.char_indices() {
        match c {
            '#' if at == 0 => line.push_str("\\#"),
            ' ' if at == 0 || at == last => line.push_str("\\ "),
            '"' | '+' | ',' | ';' | '<' | '>' | '\\' => {
                line.push('\\');
                line.push(c);
            }
            '\0'..='\x1f' | '\x7f' => {
                let _ = write!(line, "\\{:02x}", u32::from(c));
            }
            _ => line.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_the_library_writes_them() {
        for source in [
            "CN=example.com",
            "C=US,ST=California,L=Los Angeles,O=Somebody,OU=Signers,CN=www.example.org",
            "UID=jsmith,DC=example,DC=net",
            "OU=Sales+CN=J.  Smith,DC=example,DC=net",
            r#"CN=James \"Jim\" Smith\, III+O=x,STREET=\#1 \<a\>\;"#,
            r"CN=Before\0dAfter,O=\ a\ ,SN=Ünüz",
            "SERIALNUMBER=12,EMAIL=a@example.org",
            "1.3.6.1.4.1.1466.0=#04024869",
        ] {
            let name: Name = source.parse().unwrap();
            assert_eq!(distinguished_name(&name), name.to_string(), "{source}");
        }
        assert_eq!(distinguished_name(&Name::default()), "");
    }

    #[test]
    fn parts_that_few_know_are_written_by_their_number() {
        let name: Name = "TITLE=Dr,O=x".parse().unwrap();
        assert_eq!(distinguished_name(&name), "2.5.4.12=#0c024472,O=x");
    }
}
