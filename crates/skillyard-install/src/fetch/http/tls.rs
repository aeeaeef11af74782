//! Encrypted connections: rustls with ring, and the certificates that the system trusts.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt as _;

use super::error::HttpError;

/// Whether certificates are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// Those that the system trusts are loaded, which takes milliseconds and fails where there are none.
    System,
    /// None: the connection is not encrypted, and may not become so.
    Nothing,
}

/// The settings of connections.
pub(super) fn config(trust: Trust) -> Result<ClientConfig, HttpError> {
    let setup = |problem: String| HttpError::Setup { problem };
    let provider: Arc<CryptoProvider> = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| setup(error.to_string()))?;
    let builder = match trust {
        Trust::System => builder
            .with_platform_verifier()
            .map_err(|error| setup(error.to_string()))?,
        Trust::Nothing => builder.with_root_certificates(RootCertStore::empty()),
    };
    Ok(builder.with_no_client_auth())
}
