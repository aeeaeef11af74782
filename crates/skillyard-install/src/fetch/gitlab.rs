//! GitLab, and forges that speak as it does.

use serde::Deserialize;
use url::Url;

use super::below;
use super::forge::{Forge, ForgeError, ForgeProject, TAGS_PER_PAGE};
use super::http::Header;

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
    fn web(&self) -> Url {
        let mut web = self.api.clone();
        let path = web.path().trim_end_matches('/').to_owned();
        web.set_path(path.strip_suffix("/api/v4").unwrap_or_default());
        web
    }
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

impl Forge for GitLab {
    fn headers(&self) -> &[Header] {
        &self.headers
    }

    fn host(&self) -> String {
        self.web().host_str().unwrap_or_default().to_owned()
    }

    fn repository(&self, project: &ForgeProject<'_>, rest: &[&str]) -> Url {
        let repository = below(&self.api, &["projects", &project.name()]);
        below(&repository, rest)
    }

    fn commit(&self, project: &ForgeProject<'_>, revision: &str) -> Result<String, ForgeError> {
        let url = self.repository(project, &["repository", "commits", revision]);
        let commit: Commit = project.json(url, Some(revision))?;
        Ok(commit.id)
    }

    fn tags(
        &self,
        project: &ForgeProject<'_>,
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

    fn archive(&self, project: &ForgeProject<'_>, commit: &str) -> Url {
        let mut url = self.repository(project, &["repository", "archive.tar.gz"]);
        // Whole, though it could be a part: it serves all skills of the repository, and GitLab gives
        // out few archives in a minute.
        url.query_pairs_mut().append_pair("sha", commit);
        url
    }

    fn page(&self, project: &ForgeProject<'_>) -> String {
        below(&self.web(), &[])
            .join(&project.name())
            .map_or_else(|_| project.name(), String::from)
    }
}
