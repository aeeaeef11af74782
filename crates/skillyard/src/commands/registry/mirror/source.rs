//! The other registry, asked from threads that may wait.

use std::sync::Arc;

use skillyard_install::fetch::http::HttpError;
use skillyard_install::fetch::registry::{HttpRegistry, RegistryError};

use crate::error::CommandError;
use crate::error::install::InstallFailure;
use crate::error::registry::RegistryFailure;
use crate::remote::Remote;

/// A question that is on its way.
pub(super) type Asked<T> = tokio::task::JoinHandle<Result<T, RegistryError>>;

/// What came of asking for one thing of many: it, or why it cannot be had.
pub(super) type Had<T> = Result<T, String>;

/// The other registry.
pub(super) struct Source(pub(super) Arc<Remote>);

impl Source {
    /// Sends a question on its way.
    pub(super) fn begin<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Remote, &HttpRegistry) -> Result<T, RegistryError> + Send + 'static,
    ) -> Asked<T> {
        let remote = Arc::clone(&self.0);
        tokio::task::spawn_blocking(move || question(&remote, &remote.registry))
    }

    /// Asks for what nothing goes on without.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Remote, &HttpRegistry) -> Result<T, RegistryError> + Send + 'static,
    ) -> Result<T, CommandError> {
        let answer = finished(self.begin(question)).await?;
        answer.map_err(|error| match error {
            RegistryError::Unauthorized { registry, .. } if self.is_stranger() => {
                RegistryFailure::Stranger(registry).into()
            }
            error => InstallFailure::from(error).into(),
        })
    }

    /// Whether there is nothing to log in with, and no name to keep it under.
    fn is_stranger(&self) -> bool {
        let asked = &self.0.registry;
        asked.alias.is_none() && asked.headers.is_empty()
    }

    /// Whether it answers to nobody without the token that it is asked with.
    pub(super) async fn is_private(&self) -> Result<bool, CommandError> {
        if self.0.registry.headers.is_empty() {
            return Ok(false);
        }
        let asked = self.begin(|remote, asked| {
            let mut stranger = asked.clone();
            stranger.headers.clear();
            stranger.checkpoint(&remote.http)
        });
        let answer = finished(asked).await?;
        Ok(matches!(answer, Err(RegistryError::Unauthorized { .. })))
    }

    /// Asks for what the rest can do without.
    pub(super) async fn try_ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Remote, &HttpRegistry) -> Result<T, RegistryError> + Send + 'static,
    ) -> Result<Had<T>, CommandError> {
        had(self.begin(question)).await
    }
}

/// What came of a question, where only a registry that does not answer at all ends the run.
pub(super) async fn had<T>(asked: Asked<T>) -> Result<Had<T>, CommandError> {
    match finished(asked).await? {
        Ok(answer) => Ok(Ok(answer)),
        Err(error) if is_final(&error) => Ok(Err(error.to_string())),
        Err(error) => Err(InstallFailure::from(error).into()),
    }
}

async fn finished<T>(asked: Asked<T>) -> Result<Result<T, RegistryError>, CommandError> {
    let answer = asked.await;
    Ok(answer.map_err(|error| RegistryFailure::Start(error.into()))?)
}

/// Whether the registry would say the same of this one thing again, and not of everything.
fn is_final(error: &RegistryError) -> bool {
    match error {
        RegistryError::NotFound { .. }
        | RegistryError::Index { .. }
        | RegistryError::TakenBack { .. }
        | RegistryError::Http(HttpError::TooLarge { .. }) => true,
        RegistryError::Http(HttpError::Status { status, .. }) => {
            (400..500).contains(status) && !matches!(status, 407 | 408 | 421 | 425 | 429)
        }
        _ => false,
    }
}
