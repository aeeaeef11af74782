//! What GitHub and GitLab have in common: revisions become commits, commits become archives.

mod error;
mod resolution;

use serde::de::DeserializeOwned;
use url::Url;

pub use error::ForgeError;

use super::http::{Download, Header, Http, HttpError, Request};
use super::{ArchiveShape, Fetched, FetchedContent, Transfer};
use crate::origin::{Origin, OriginKind};
use crate::reference::Hosted;
use crate::reference::shown::shown;
use crate::tags::Tags;

/// The most bytes an answer about a repository may have.
const MAX_ANSWER: u64 = 8 * 1024 * 1024;
/// How many tags are asked for at once.
pub(super) const TAGS_PER_PAGE: usize = 100;

/// A commit, and what led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedCommit {
    /// The whole id.
    pub commit: String,
    /// The tag or branch that was asked for or chosen.
    pub tag: Option<String>,
    /// The version that a chosen tag names.
    pub version: Option<String>,
    /// The tags that it was chosen among, where a range was asked for.
    pub tags: Option<Tags>,
}

/// One repository on one forge.
pub struct ForgeProject<'a> {
    http: &'a Http,
    headers: &'a [Header],
    pub(super) hosted: &'a Hosted,
    /// The name that tags of the wanted skill may start with.
    tag_name: &'a str,
    /// The forge as messages call it.
    forge: String,
}

/// A forge: the requests that differ between them.
pub trait Forge {
    /// What proves who we are.
    fn headers(&self) -> &[Header];
    /// The forge as messages call it.
    fn host(&self) -> String;
    /// A place in the API below a repository.
    fn repository(&self, project: &ForgeProject<'_>, rest: &[&str]) -> Url;
    /// The commit that a branch, tag or commit means.
    fn commit(&self, project: &ForgeProject<'_>, revision: &str) -> Result<String, ForgeError>;
    /// Some tags, and the commits they mean.
    fn tags(
        &self,
        project: &ForgeProject<'_>,
        page: usize,
    ) -> Result<Vec<(String, String)>, ForgeError>;
    /// Where the archive of a commit is.
    fn archive(&self, project: &ForgeProject<'_>, commit: &str) -> Url;
    /// Where people look at the repository.
    fn page(&self, project: &ForgeProject<'_>) -> String;
}

/// The commit that a reference means now, for the skill whose tags may start with `tag_name`.
pub fn resolve(
    forge: &dyn Forge,
    http: &Http,
    hosted: &Hosted,
    tag_name: &str,
) -> Result<ResolvedCommit, ForgeError> {
    let project = ForgeProject::of(forge, http, hosted, tag_name);
    let resolved = project.resolve(forge);
    resolved.map_err(|error| project.reconsidered(forge, error))
}

/// Fetches a commit as an archive.
pub fn fetch(
    forge: &dyn Forge,
    transfer: &Transfer<'_>,
    hosted: &Hosted,
    resolved: ResolvedCommit,
) -> Result<Fetched, ForgeError> {
    let project = ForgeProject::of(forge, transfer.http, hosted, hosted.tag_name());
    let fetched = project.fetch(forge, transfer, resolved);
    fetched.map_err(|error| project.reconsidered(forge, error))
}

impl<'a> ForgeProject<'a> {
    fn of(forge: &'a dyn Forge, http: &'a Http, hosted: &'a Hosted, tag_name: &'a str) -> Self {
        Self {
            http,
            headers: forge.headers(),
            hosted,
            tag_name,
            forge: forge.host(),
        }
    }

    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.hosted.owner, self.hosted.repository)
    }

    fn fetch(
        &self,
        api: &dyn Forge,
        transfer: &Transfer<'_>,
        resolved: ResolvedCommit,
    ) -> Result<Fetched, ForgeError> {
        let request =
            Request::new(api.archive(self, &resolved.commit)).headers(self.headers.iter().cloned());
        let archive = transfer.archive(&request, None);
        let Download { file, kind, .. } =
            archive.map_err(|error| self.explain(error, Some(&resolved.commit)))?;
        Ok(Fetched {
            content: FetchedContent::Archive {
                file,
                kind,
                shape: ArchiveShape::Repository {
                    path: self.hosted.path.clone(),
                },
            },
            origin: Origin {
                kind: OriginKind::Git,
                url: api.page(self),
                commit: Some(resolved.commit),
                version: resolved.version,
            },
        })
    }

    pub(super) fn json<T: DeserializeOwned>(
        &self,
        url: Url,
        revision: Option<&str>,
    ) -> Result<T, ForgeError> {
        let body = self.get(Request::new(url).accept("application/json"), revision)?;
        Ok(body.json()?)
    }

    pub(super) fn get(
        &self,
        request: Request,
        revision: Option<&str>,
    ) -> Result<super::http::Body, ForgeError> {
        let request = request.headers(self.headers.iter().cloned());
        let body = self.http.get(&request, MAX_ANSWER);
        body.map_err(|error| self.explain(error, revision))
    }

    /// A revision that is not there, unless all of the repository is hidden from us: forges say the
    /// same then.
    fn reconsidered(&self, api: &dyn Forge, error: ForgeError) -> ForgeError {
        if !matches!(error, ForgeError::NoRevision { .. }) {
            return error;
        }
        match self.get(Request::new(api.repository(self, &[])), None) {
            Err(hidden @ ForgeError::NotFound { .. }) => hidden,
            _ => error,
        }
    }

    /// Says what a status means for this repository.
    fn explain(&self, error: HttpError, revision: Option<&str>) -> ForgeError {
        let authenticated = !self.headers.is_empty();
        let forge = self.forge.clone();
        match (error.status(), revision) {
            (_, _) if matches!(error, HttpError::RateLimited { .. }) => ForgeError::RateLimited {
                forge,
                authenticated,
                source: error,
            },
            (Some(401), _) => ForgeError::Unauthorized { forge },
            (Some(404 | 409 | 422), Some(revision)) => ForgeError::NoRevision {
                project: self.name(),
                revision: shown(revision),
            },
            (Some(403 | 404), _) => ForgeError::NotFound {
                project: self.name(),
                forge,
                authenticated,
            },
            _ => ForgeError::Http(error),
        }
    }
}
