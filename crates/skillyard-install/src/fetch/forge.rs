//! What GitHub and GitLab have in common: revisions become commits, commits become archives.

mod error;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

pub use error::ForgeError;

use super::http::{Download, Header, Http, HttpError, Request};
use super::{Content, Fetched, Shape, Transfer};
use crate::origin::{Origin, OriginKind};
use crate::reference::shown::shown;
use crate::reference::{Hosted, Requirement, Revision};
use crate::tags::Tags;

/// The most bytes an answer about a repository may have.
const MAX_ANSWER: u64 = 8 * 1024 * 1024;
/// How many tags are asked for at once, and how often.
pub(super) const TAGS_PER_PAGE: usize = 100;
const MAX_PAGES: usize = 30;
/// How many tags an error names.
const SHOWN_TAGS: usize = 3;

/// A commit, and what led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The whole id.
    pub commit: String,
    /// The tag or branch that was asked for or chosen.
    pub tag: Option<String>,
    /// The version that a chosen tag names.
    pub version: Option<String>,
    /// The tags that it was chosen among, where a range was asked for.
    pub tags: Option<Tags>,
}

/// What every forge says about a repository.
#[derive(Deserialize)]
struct About {
    default_branch: String,
}

/// One repository on one forge.
pub struct Project<'a> {
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
    fn repository(&self, project: &Project<'_>, rest: &[&str]) -> Url;
    /// The commit that a branch, tag or commit means.
    fn commit(&self, project: &Project<'_>, revision: &str) -> Result<String, ForgeError>;
    /// Some tags, and the commits they mean.
    fn tags(&self, project: &Project<'_>, page: usize)
    -> Result<Vec<(String, String)>, ForgeError>;
    /// Where the archive of a commit is.
    fn archive(&self, project: &Project<'_>, commit: &str) -> Url;
    /// Where people look at the repository.
    fn page(&self, project: &Project<'_>) -> String;
}

/// The commit that a reference means now, for the skill whose tags may start with `tag_name`.
pub fn resolve(
    forge: &dyn Forge,
    http: &Http,
    hosted: &Hosted,
    tag_name: &str,
) -> Result<Resolved, ForgeError> {
    let project = Project::of(forge, http, hosted, tag_name);
    let resolved = project.resolve(forge);
    resolved.map_err(|error| project.reconsidered(forge, error))
}

/// Fetches a commit as an archive.
pub fn fetch(
    forge: &dyn Forge,
    transfer: &Transfer<'_>,
    hosted: &Hosted,
    resolved: Resolved,
) -> Result<Fetched, ForgeError> {
    let project = Project::of(forge, transfer.http, hosted, hosted.tag_name());
    let fetched = project.fetch(forge, transfer, resolved);
    fetched.map_err(|error| project.reconsidered(forge, error))
}

impl<'a> Project<'a> {
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

    fn resolve(&self, api: &dyn Forge) -> Result<Resolved, ForgeError> {
        match &self.hosted.revision {
            None => {
                let about: About = self.json(api.repository(self, &[]), None)?;
                self.named(api, &about.default_branch)
            }
            Some(revision @ Revision::Commit(commit)) if revision.is_full_commit() => {
                Ok(Resolved {
                    commit: commit.clone(),
                    tag: None,
                    version: None,
                    tags: None,
                })
            }
            Some(Revision::Commit(commit)) => {
                let resolved = self.named(api, commit)?;
                // It could be the name of a branch, which leads elsewhere tomorrow.
                let start = commit.to_ascii_lowercase();
                let tag = resolved
                    .tag
                    .filter(|_| !resolved.commit.starts_with(&start));
                Ok(Resolved { tag, ..resolved })
            }
            Some(Revision::Name(name)) => self.named(api, name),
            Some(Revision::Requirement(requirement)) => self.required(api, requirement),
        }
    }

    fn named(&self, api: &dyn Forge, name: &str) -> Result<Resolved, ForgeError> {
        let commit = api.commit(self, name)?;
        self.checked(commit, name)
    }

    fn required(&self, api: &dyn Forge, requirement: &Requirement) -> Result<Resolved, ForgeError> {
        let tags = self.all_tags(api)?;
        let names = || tags.iter().map(|(name, _)| name.as_str());
        let name = Some(self.tag_name);
        let tags_seen = || Some(Tags::new(requirement, names(), self.tag_name));
        if let Some((version, tag)) = requirement.select_tag(names(), name) {
            let commit = tags
                .iter()
                .find(|(name, _)| name == tag)
                .map(|(_, commit)| commit.clone());
            let resolved = self.checked(commit.unwrap_or_default(), tag)?;
            return Ok(Resolved {
                version: Some(version.to_string()),
                tags: tags_seen(),
                ..resolved
            });
        }
        // A branch `1.2` is a common thing to have.
        if requirement.could_be_a_name() {
            match self.named(api, &requirement.to_string()) {
                Err(ForgeError::NoRevision { .. }) => {}
                other => {
                    let tags = tags_seen();
                    return other.map(|resolved| Resolved { tags, ..resolved });
                }
            }
        }
        Err(ForgeError::NoTag {
            project: self.name(),
            requirement: requirement.to_string(),
            tags: highest_tags(names(), name),
        })
    }

    fn all_tags(&self, api: &dyn Forge) -> Result<Vec<(String, String)>, ForgeError> {
        let mut tags = Vec::new();
        for page in 1..=MAX_PAGES {
            let found = api.tags(self, page)?;
            let is_last = found.len() < TAGS_PER_PAGE;
            tags.extend(found);
            if is_last {
                break;
            }
        }
        Ok(tags)
    }

    /// What is not a whole commit id could be anything tomorrow, or an option of git today.
    fn checked(&self, commit: String, revision: &str) -> Result<Resolved, ForgeError> {
        let is_commit = matches!(commit.len(), 40 | 64)
            && commit
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_commit {
            return Err(ForgeError::NoCommit {
                forge: self.forge.clone(),
                project: self.name(),
                revision: shown(revision),
            });
        }
        Ok(Resolved {
            commit,
            tag: Some(revision.to_owned()),
            version: None,
            tags: None,
        })
    }

    fn fetch(
        &self,
        api: &dyn Forge,
        transfer: &Transfer<'_>,
        resolved: Resolved,
    ) -> Result<Fetched, ForgeError> {
        let request =
            Request::new(api.archive(self, &resolved.commit)).headers(self.headers.iter().cloned());
        let archive = transfer.archive(&request, None);
        let Download { file, kind, .. } =
            archive.map_err(|error| self.explain(error, Some(&resolved.commit)))?;
        Ok(Fetched {
            content: Content::Archive {
                file,
                kind,
                shape: Shape::Repository {
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

fn highest_tags<'a>(tags: impl Iterator<Item = &'a str>, name: Option<&str>) -> Vec<String> {
    let mut rest: Vec<&str> = tags.collect();
    let mut highest = Vec::new();
    while highest.len() < SHOWN_TAGS {
        let Some((_, tag)) = Requirement::Latest.select_tag(rest.iter().copied(), name) else {
            break;
        };
        highest.push(shown(tag));
        rest.retain(|other| *other != tag);
    }
    highest
}
