//! Sigstore's trust root: the keys of its logs and the certificates of its authorities, in a file
//! that the user brings (`trusted_root.json`).

use jiff::Timestamp;
use serde_json::Value;

use crate::signature::certificate::{Certificate, CertificateError};
use crate::signature::dsse::{self, EnvelopeError};
use crate::signature::key::PublicKey;

/// Why a trust root cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustRootError {
    /// The JSON and its fields.
    #[error("the Sigstore trust root cannot be read: {0}")]
    Form(#[from] EnvelopeError),
    /// A certificate of an authority.
    #[error("the Sigstore trust root has a certificate that cannot be used: {0}")]
    Certificate(#[from] CertificateError),
    /// A file without anything to trust.
    #[error("the Sigstore trust root names no authority or no log")]
    Empty,
}

/// What Sigstore's evidence is checked with.
#[derive(Debug, Clone)]
pub struct TrustRoot {
    authorities: Vec<(Vec<Certificate>, ValidityPeriod)>,
    logs: Vec<TrustedLog>,
    certificate_logs: Vec<TrustedLog>,
    stampers: Vec<(Vec<Certificate>, ValidityPeriod)>,
}

#[derive(Debug, Clone)]
struct TrustedLog {
    id: Vec<u8>,
    key: PublicKey,
    window: ValidityPeriod,
}

/// From when until when something is trusted.
#[derive(Debug, Clone, Copy)]
struct ValidityPeriod {
    start: Timestamp,
    end: Option<Timestamp>,
}

impl TrustRoot {
    /// Reads a `trusted_root.json`.
    pub fn parse(text: &[u8]) -> Result<Self, TrustRootError> {
        let value = dsse::parse(text)?;
        let stampers = match value.get("timestampAuthorities") {
            Some(_) => chains(&value, "timestampAuthorities")?,
            None => Vec::new(),
        };
        let root = Self {
            authorities: chains(&value, "certificateAuthorities")?,
            stampers,
            logs: logs(&value, "tlogs")?,
            certificate_logs: logs(&value, "ctlogs")?,
        };
        if root.authorities.is_empty() || root.logs.is_empty() {
            return Err(TrustRootError::Empty);
        }
        Ok(root)
    }

    /// The chains of the authorities that were trusted at a time, each from its lowest up.
    pub(super) fn authorities_at(&self, time: Timestamp) -> impl Iterator<Item = &[Certificate]> {
        let trusted = self.authorities.iter();
        let trusted = trusted.filter(move |(_, window)| window.holds(time));
        trusted.map(|(chain, _)| chain.as_slice())
    }

    /// The chains of the time stamp authorities that were trusted at a time.
    pub(super) fn stampers_at(&self, time: Timestamp) -> impl Iterator<Item = &[Certificate]> {
        let trusted = self.stampers.iter();
        let trusted = trusted.filter(move |(_, window)| window.holds(time));
        trusted.map(|(chain, _)| chain.as_slice())
    }

    /// The key of a transparency log.
    pub(super) fn log(&self, id: &[u8], time: Timestamp) -> Option<&PublicKey> {
        find(&self.logs, id, time)
    }

    /// The key of a certificate log.
    pub(super) fn certificate_log(&self, id: &[u8], time: Timestamp) -> Option<&PublicKey> {
        find(&self.certificate_logs, id, time)
    }
}

impl ValidityPeriod {
    fn of(value: &Value) -> Result<Self, EnvelopeError> {
        let window = value
            .get("validFor")
            .ok_or(EnvelopeError::Field("validFor"))?;
        let time = |field| {
            let time = dsse::text(window, field)?.parse();
            time.map_err(|_| EnvelopeError::Field(field))
        };
        Ok(Self {
            start: time("start")?,
            end: match window.get("end") {
                Some(_) => Some(time("end")?),
                None => None,
            },
        })
    }

    fn holds(&self, time: Timestamp) -> bool {
        self.start <= time && self.end.is_none_or(|end| time <= end)
    }
}

fn chains(
    value: &Value,
    field: &'static str,
) -> Result<Vec<(Vec<Certificate>, ValidityPeriod)>, TrustRootError> {
    let mut chains = Vec::new();
    for each in list(value, field)? {
        let chain = each
            .get("certChain")
            .ok_or(EnvelopeError::Field("certChain"))?;
        let mut certificates = Vec::new();
        for certificate in list(chain, "certificates")? {
            let der = dsse::bytes(certificate, "rawBytes")?;
            certificates.push(Certificate::from_der(&der)?);
        }
        chains.push((certificates, ValidityPeriod::of(each)?));
    }
    Ok(chains)
}

fn find<'a>(logs: &'a [TrustedLog], id: &[u8], time: Timestamp) -> Option<&'a PublicKey> {
    let mut logs = logs.iter();
    let log = logs.find(|log| log.id == id && log.window.holds(time));
    log.map(|log| &log.key)
}

fn logs(value: &Value, field: &'static str) -> Result<Vec<TrustedLog>, TrustRootError> {
    let mut logs = Vec::new();
    for each in list(value, field)? {
        let key = each
            .get("publicKey")
            .ok_or(EnvelopeError::Field("publicKey"))?;
        let id = each.get("logId").ok_or(EnvelopeError::Field("logId"))?;
        // A log with a key of another kind cannot be used; the others still can.
        let Ok(public) = PublicKey::from_spki(&dsse::bytes(key, "rawBytes")?) else {
            continue;
        };
        logs.push(TrustedLog {
            id: dsse::bytes(id, "keyId")?,
            key: public,
            window: ValidityPeriod::of(key)?,
        });
    }
    Ok(logs)
}

fn list<'a>(value: &'a Value, field: &'static str) -> Result<&'a [Value], EnvelopeError> {
    let list = value.get(field).and_then(Value::as_array);
    list.map(Vec::as_slice).ok_or(EnvelopeError::Field(field))
}
