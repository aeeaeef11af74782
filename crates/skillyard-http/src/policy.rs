//! What browsers are told to forbid.

/// Nothing from elsewhere, and no script or style but our own files.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
