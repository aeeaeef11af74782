//! The parts of an address that a page is named by.

use axum::extract::{FromRequestParts, Path};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::{Frame, NoPage};
use crate::problem::Problem;

/// A name in the address; where it is no text there is no such page.
pub(crate) struct Part<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Part<T> {
    type Rejection = NoPage;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, NoPage> {
        if let Ok(Path(part)) = Path::<T>::from_request_parts(parts, state).await {
            return Ok(Self(part));
        }
        let Ok(frame) = Frame::from_request_parts(parts, state).await;
        let problem = Problem::new(StatusCode::NOT_FOUND, "there is nothing here");
        Err(NoPage::new(frame, problem))
    }
}
