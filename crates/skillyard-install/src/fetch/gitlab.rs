//! GitLab, and forges that speak as it does.

use serde::Deserialize;
use url::Url;

use super::forge::{Api, ForgeError, Project, Resolved, TAGS_PER_PAGE};
use super::http::{Header, Http};
use super::{Fetched, OriginKind, Transfer, below};
use crate::reference::{Hosted, SubPath};

/// Where the API of gitlab.com is.
pub const API: &str = "https://gitlab.com/api/v4";

/// A forge that speaks as GitLab does.
#[derive(Debug, Clone)]
pub struct GitLab {
    /// Where its API is, such as [`API`].
    pub api: Url,
    /// What proves who we are.
    pub headers: Vec<Header>,
}

impl GitLab {
    /// The commit that a reference means now.
    pub fn resolve(&self, http: &Http, hosted: &Hosted) -> Result<Resolved, ForgeError> {
        self.project(http, hosted).resolve(self)
    }

    /// Fetches a commit as an archive, of which GitLab sends the wanted folder only.
    pub fn fetch(
        &self,
        transfer: &Transfer<'_>,
        hosted: &Hosted,
        resolved: Resolved,
    ) -> Result<Fetched, ForgeError> {
        self.project(transfer.http, hosted)
            .fetch(self, transfer, resolved)
    }

    fn project<'a>(&'a self, http: &'a Http, hosted: &'a Hosted) -> Project<'a> {
        Project {
            http,
            headers: &self.headers,
            hosted,
            forge: self.web().host_str().unwrap_or_default().to_owned(),
            kind: OriginKind::GitLab,
        }
    }

    fn web(&self) -> Url {
        let mut web = self.api.clone();
        let path = web.path().trim_end_matches('/').to_owned();
        web.set_path(path.strip_suffix("/api/v4").unwrap_or_default());
        web
    }

    fn repository(&self, project: &Project<'_>, rest: &[&str]) -> Url {
        let repository = below(&self.api, &["projects", &project.name()]);
        below(&repository, rest)
    }
}

#[derive(Deserialize)]
struct Repository {
    default_branch: String,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
    commit: Commit,
}

#[derive(Deserialize)]
struct Commit {
    id: String,
}

impl Api for GitLab {
    fn default_branch(&self, project: &Project<'_>) -> Result<String, ForgeError> {
        let repository: Repository = project.json(self.repository(project, &[]), None)?;
        Ok(repository.default_branch)
    }

    fn commit(&self, project: &Project<'_>, revision: &str) -> Result<String, ForgeError> {
        let url = self.repository(project, &["repository", "commits", revision]);
        let commit: Commit = project.json(url, Some(revision))?;
        Ok(commit.id)
    }

    fn tags(
        &self,
        project: &Project<'_>,
        page: usize,
    ) -> Result<Vec<(String, String)>, ForgeError> {
        let mut url = self.repository(project, &["repository", "tags"]);
        url.set_query(Some(&format!("per_page={TAGS_PER_PAGE}&page={page}")));
        let tags: Vec<Tag> = project.json(url, None)?;
        Ok(tags
            .into_iter()
            .map(|tag| (tag.name, tag.commit.id))
            .collect())
    }

    fn archive(&self, project: &Project<'_>, commit: &str) -> Url {
        let mut url = self.repository(project, &["repository", "archive.tar.gz"]);
        let mut query = url.query_pairs_mut();
        query.append_pair("sha", commit);
        if let Some(path) = project.hosted.path.as_ref().map(SubPath::as_str) {
            query.append_pair("path", path);
        }
        drop(query);
        url
    }

    fn page(&self, project: &Project<'_>) -> String {
        below(&self.web(), &[])
            .join(&project.name())
            .map_or_else(|_| project.name(), String::from)
    }
}
