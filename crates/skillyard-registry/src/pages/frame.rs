//! What every page has around it.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::Extensions;
use axum::http::request::Parts;

use crate::entrance::Login;

/// What every page has around it: who is logged in, and can log out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    pub(super) login: Option<Login>,
}

impl Frame {
    /// As a request, or the answer to it, says.
    pub(super) fn of(extensions: &Extensions) -> Self {
        Self {
            login: extensions.get::<Login>().cloned(),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Frame {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.extensions))
    }
}
