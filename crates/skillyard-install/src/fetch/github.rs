//! GitHub, and forges that speak as it does.

use serde::Deserialize;
use url::Url;

use super::below;
use super::forge::{Forge, ForgeError, ForgeProject, TAGS_PER_PAGE};
use super::http::{Header, Request};

/// Where the API of github.com is.
pub const API: &str = "https://api.github.com";

/// A forge that speaks as GitHub does.
#[derive(Debug, Clone)]
pub struct GitHub {
    /// Where its API is, such as [`API`] or `https://host/api/v3`.
    pub api: Url,
    /// What proves who we are.
    pub headers: Vec<Header>,
}

impl GitHub {
    fn web_host(&self) -> String {
        let host = self.api.host_str().unwrap_or_default();
        let host = host.strip_prefix("api.").unwrap_or(host);
        self.api
            .port()
            .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }
}

#[derive(Deserialize)]
struct Tag {
    name: String,
    commit: Commit,
}

#[derive(Deserialize)]
struct Commit {
    sha: String,
}

impl Forge for GitHub {
    fn headers(&self) -> &[Header] {
        &self.headers
    }

    fn host(&self) -> String {
        self.web_host()
    }

    fn repository(&self, project: &ForgeProject<'_>, rest: &[&str]) -> Url {
        let hosted = project.hosted;
        let repository = below(&self.api, &["repos", &hosted.owner, &hosted.repository]);
        below(&repository, rest)
    }

    fn commit(&self, project: &ForgeProject<'_>, revision: &str) -> Result<String, ForgeError> {
        let url = self.repository(project, &["commits", revision]);
        let request = Request::new(url).accept("application/vnd.github.sha");
        let body = project.get(request, Some(revision))?;
        Ok(String::from_utf8_lossy(&body.bytes).trim().to_owned())
    }

    fn tags(
        &self,
        project: &ForgeProject<'_>,
        page: usize,
    ) -> Result<Vec<(String, String)>, ForgeError> {
        let mut url = self.repository(project, &["tags"]);
        url.set_query(Some(&format!("per_page={TAGS_PER_PAGE}&page={page}")));
        let tags: Vec<Tag> = project.json(url, None)?;
        Ok(tags
            .into_iter()
            .map(|tag| (tag.name, tag.commit.sha))
            .collect())
    }

    fn archive(&self, project: &ForgeProject<'_>, commit: &str) -> Url {
        self.repository(project, &["tarball", commit])
    }

    fn page(&self, project: &ForgeProject<'_>) -> String {
        format!(
            "{}://{}/{}",
            self.api.scheme(),
            self.web_host(),
            project.name()
        )
    }
}
