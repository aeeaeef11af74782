//! Whether an installation that failed was refused, or could not be tried.

use skillyard_install::fetch::forge::ForgeError;
use skillyard_install::fetch::http::HttpError;
use skillyard_install::fetch::registry::RegistryError;
use skillyard_install::fetch::well_known::WellKnownError;
use skillyard_install::git::GitError;
use skillyard_install::store::StoreError;

use super::InstallFailure;
use super::source_hint::closed_to_us;

impl InstallFailure {
    /// 1 when it was refused, 2 when it could not be tried.
    pub(in crate::error) fn code(&self) -> u8 {
        match self {
            Self::Unavailable { source, .. } => source.code(),
            Self::NoHome
            | Self::Reference(_)
            | Self::WantedFrom { .. }
            | Self::Address(_)
            | Self::NoRevisions(_)
            | Self::NoRegistry
            | Self::RegistryAnswer(
                RegistryError::NotARegistry { .. } | RegistryError::Memory { .. },
            )
            | Self::NoSource { .. }
            | Self::NotARegistry { .. }
            | Self::Forge(ForgeError::RateLimited { .. })
            | Self::Git(
                GitError::Missing
                | GitError::Run(_)
                | GitError::Failed { .. }
                | GitError::Memory { .. }
                | GitError::Silent { .. }
                | GitError::Redirect(_),
            )
            | Self::OneName(_)
            | Self::NoSuchCode { .. }
            | Self::Lockfile(_)
            | Self::Manifest(_)
            | Self::Target(_)
            | Self::ManifestAgents { .. }
            | Self::Unfinished { .. }
            | Self::Store(
                StoreError::Disk { .. } | StoreError::Root { .. } | StoreError::Lock { .. },
            )
            | Self::Transaction(_) => 2,
            Self::Material(error) if closed_to_us(error).is_some() => 2,
            // A registry that knows no such thing has answered.
            Self::RegistryAnswer(RegistryError::Http(error))
                if matches!(error.status(), Some(400 | 404)) =>
            {
                1
            }
            Self::Http(error)
            | Self::Forge(ForgeError::Http(error))
            | Self::RegistryAnswer(RegistryError::Http(error))
            | Self::Site(WellKnownError::Http(error)) => http_code(error),
            _ => 1,
        }
    }
}

/// A server that says no is an answer, and so are other bytes than were promised; a server that
/// cannot be reached or asked is none.
fn http_code(error: &HttpError) -> u8 {
    match error {
        HttpError::Digest { .. } => 1,
        error => match error.status() {
            Some(403 | 404 | 409 | 410 | 422) => 1,
            _ => 2,
        },
    }
}
