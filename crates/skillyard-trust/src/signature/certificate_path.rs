//! The way from a signer's certificate up to an authority that the policy names.

use jiff::Timestamp;

use super::certificate::{Certificate, CertificateError, Purpose};
use super::key::KeyId;

/// Most certificates between the signer and the authority.
const MAX_DEPTH: usize = 6;

/// A signer's certificate and those that confirm it, up to a trusted authority.
#[derive(Debug)]
pub(super) struct Path<'a> {
    /// The signer and whoever is between it and the authority.
    pub(super) certificates: Vec<&'a Certificate>,
    /// Which of the trusted authorities it ends at.
    pub(super) authority: usize,
}

impl Path<'_> {
    /// The ids of all keys on the path, any of which may be revoked.
    pub(super) fn keys(&self) -> impl Iterator<Item = KeyId> {
        self.certificates.iter().map(|each| each.key().id())
    }
}

/// Finds the path from the first certificate of the chain to an authority.
pub(super) fn path<'a>(
    chain: &'a [Certificate],
    authorities: &[&Certificate],
    at: Timestamp,
    purpose: Purpose,
) -> Result<Path<'a>, CertificateError> {
    let Some(signer) = chain.first() else {
        return Err(CertificateError::Unreadable("there is none".into()));
    };
    signer.check_signer(purpose)?;
    signer.check_time(at)?;
    let mut certificates = vec![signer];
    let mut last = signer;
    while certificates.len() <= MAX_DEPTH {
        let below = certificates.len() - 1;
        let found = authorities.iter().position(|each| each.confirmed(last));
        if let Some(authority) = found {
            authorities[authority].check_authority(below, purpose)?;
            authorities[authority].check_time(at)?;
            return Ok(Path {
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
