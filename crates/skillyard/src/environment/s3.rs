//! The store of a registry that keeps its archives elsewhere.

use super::{given, secret};
use crate::secret::Secret;

/// How the environment says an S3-compatible store is reached.
#[derive(Debug, Clone, Default)]
pub(crate) struct S3 {
    /// The key's name.
    pub(crate) key: Option<String>,
    /// The key itself.
    pub(crate) secret: Option<Secret>,
    /// The region.
    pub(crate) region: Option<String>,
    /// The server.
    pub(crate) endpoint: Option<String>,
}

impl S3 {
    pub(super) fn read() -> Self {
        let text = |name: &str| given(name).and_then(|value| value.into_string().ok());
        Self {
            key: text("AWS_ACCESS_KEY_ID"),
            secret: secret("AWS_SECRET_ACCESS_KEY"),
            region: text("AWS_REGION"),
            endpoint: text("AWS_ENDPOINT_URL"),
        }
    }
}
