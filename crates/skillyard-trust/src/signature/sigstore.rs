//! Sigstore: signers with an identity instead of a long-lived key.
//!
//! A short-lived certificate says who signed, a transparency log says when, and both are proven by
//! keys in a trust root file, so nothing is asked over a network: the log's promise and its
//! inclusion proof with a signed checkpoint, the certificate's path and its entry in the
//! certificate log, and that the log entry is about this very signature.
//!
//! Written on the crates that are here anyway: the `sigstore-verify` crate works only with a
//! second cryptographic library in C, and brings second versions of the DER and base64 crates.
//! Both versions of the log are understood: in the first it promises the time itself, in the second
//! a time stamp authority does. What is left open, such as entries of other kinds, is said as such
//! and is a refusal.

mod certificate_log;
mod der;
mod entry;
mod time_stamp;
mod trust_root;

use jiff::Timestamp;
use x509_cert::der::Decode as _;
use x509_cert::der::asn1::{ObjectIdentifier, Utf8StringRef};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

use crate::signature::bundle::Bundle;
use crate::signature::certificate;
use crate::signature::certificate::{Certificate, CertificateError, Purpose};
use crate::signature::dsse::EnvelopeError;
use crate::signature::key::KeyId;
use entry::LogEntry;

pub use trust_root::{TrustRoot, TrustRootError};

const ISSUER: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.57264.1.8");
const OLD_ISSUER: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.57264.1.1");

/// Why Sigstore's evidence proves nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SigstoreError {
    /// No keys to check it with.
    #[error("no Sigstore trust root is given")]
    NoTrustRoot,
    /// An entry of an unsupported kind.
    #[error("its log entry is of kind `{0}`, which is not supported")]
    Kind(String),
    /// A log that the trust root does not know.
    #[error("the trust root has no key of the {0} with this id")]
    UnknownLog(&'static str),
    /// A part of the entry.
    #[error("its log entry cannot be read: {0}")]
    Entry(#[from] EnvelopeError),
    /// The signer's certificate.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// Evidence that proves something else or nothing.
    #[error("{0}")]
    Invalid(String),
}

impl SigstoreError {
    fn invalid(reason: impl Into<String>) -> Self {
        Self::Invalid(reason.into())
    }

    /// Whether the question stays open here, rather than being answered with no.
    pub(super) fn is_open(&self) -> bool {
        matches!(
            self,
            Self::NoTrustRoot | Self::Kind(_) | Self::UnknownLog(_)
        ) || matches!(
            self,
            Self::Certificate(CertificateError::UnknownAuthority(_))
        )
    }
}

/// Who signed, as Sigstore proves it.
#[derive(Debug)]
pub(super) struct SigstoreIdentity {
    pub(super) identity: String,
    pub(super) issuer: String,
    pub(super) keys: Vec<KeyId>,
}

/// Checks everything that Sigstore says about a bundle.
pub(super) fn verify(
    bundle: &Bundle,
    chain: &[Vec<u8>],
    root: Option<&TrustRoot>,
) -> Result<SigstoreIdentity, SigstoreError> {
    let root = root.ok_or(SigstoreError::NoTrustRoot)?;
    let [entry] = bundle.log_entries.as_slice() else {
        let count = bundle.log_entries.len();
        let reason = format!("it has {count} log entries, and exactly one is expected");
        return Err(SigstoreError::Invalid(reason));
    };
    let no_identity = || SigstoreError::invalid("the certificate does not say whose it is");
    let leaf = chain.first().ok_or_else(no_identity)?;
    let leaf = Certificate::from_der(leaf)?;
    let entry = LogEntry::parse(entry)?;
    // If the log states the time, no time stamp is needed.
    let stamped = if entry.is_promised() {
        None
    } else {
        time_of_stamps(bundle, &leaf, root)?
    };
    let time = entry.verify(root, stamped)?;
    entry.is_about(&bundle.envelope, &leaf)?;
    if !bundle.envelope.is_signed_by(leaf.key()) {
        let reason = "the signature was not made with the key of its certificate";
        return Err(SigstoreError::invalid(reason));
    }
    let keys = confirm(&leaf, root, time)?;
    let (identity, issuer) = identity(&leaf).ok_or_else(no_identity)?;
    Ok(SigstoreIdentity {
        identity,
        issuer,
        keys,
    })
}

/// The earliest time that the stamps prove; all of them must hold, within the certificate's time.
fn time_of_stamps(
    bundle: &Bundle,
    leaf: &Certificate,
    root: &TrustRoot,
) -> Result<Option<Timestamp>, SigstoreError> {
    let signature = bundle.envelope.signature()?;
    let mut earliest: Option<Timestamp> = None;
    for stamp in &bundle.time_stamps {
        let time = time_stamp::verify(stamp, signature, root)?;
        leaf.check_time(time)?;
        earliest = Some(earliest.map_or(time, |before| before.min(time)));
    }
    Ok(earliest)
}

/// Whether an authority of the trust root confirmed the certificate at that time, in public.
fn confirm(
    leaf: &Certificate,
    root: &TrustRoot,
    time: Timestamp,
) -> Result<Vec<KeyId>, SigstoreError> {
    let mut error = CertificateError::UnknownAuthority(leaf.subject());
    for authority in root.authorities_at(time) {
        let Some((top, between)) = authority.split_last() else {
            continue;
        };
        let mut chain = vec![leaf.clone()];
        chain.extend_from_slice(between);
        let path = match certificate::find_path(&chain, &[top], time, Purpose::Signing) {
            Ok(path) => path,
            Err(CertificateError::UnknownAuthority(_)) => continue,
            Err(other) => {
                error = other;
                continue;
            }
        };
        let issuer = path.certificates.get(1).map_or(top, |next| *next);
        if !certificate_log::is_logged(leaf, issuer, root, time) {
            let reason = "the certificate is not in a certificate log that the trust root names";
            return Err(SigstoreError::invalid(reason));
        }
        return Ok(path.keys().chain([top.key().id()]).collect());
    }
    Err(error.into())
}

/// The identity and who confirmed it, from the certificate's extensions.
fn identity(leaf: &Certificate) -> Option<(String, String)> {
    let tbs = leaf.parsed().tbs_certificate();
    let (_, names) = tbs.get_extension::<SubjectAltName>().ok()??;
    let [name] = names.0.as_slice() else {
        return None;
    };
    let identity = match name {
        GeneralName::UniformResourceIdentifier(address) | GeneralName::Rfc822Name(address) => {
            address.as_str()
        }
        _ => return None,
    };
    let extension = |id: ObjectIdentifier| {
        let mut all = tbs.extensions()?.iter();
        all.find(|each| each.extn_id == id)
    };
    let issuer = match extension(ISSUER) {
        Some(found) => Utf8StringRef::from_der(found.extn_value.as_bytes())
            .ok()?
            .as_str()
            .to_owned(),
        None => String::from_utf8(extension(OLD_ISSUER)?.extn_value.as_bytes().to_vec()).ok()?,
    };
    Some((identity.to_owned(), issuer))
}
