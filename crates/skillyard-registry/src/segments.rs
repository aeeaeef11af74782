//! The parts of an address, refused in our own words where they are no text.

use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::RegistryError;

/// The variable parts of an address.
pub(crate) struct Segments<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Segments<T> {
    type Rejection = RegistryError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, RegistryError> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|path| Self(path.0))
            .map_err(|_| RegistryError::NoRoute)
    }
}
