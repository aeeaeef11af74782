//! A registry over HTTP.

use std::collections::HashSet;

use semver::Version;
use skillyard_format::SkillName;
use url::Url;

use super::{Registry, RegistryError, SearchResults, Summary, VersionInfo, index_path};
use crate::fetch::http::{Header, Http, HttpError, Request};
use crate::fetch::{Content, Fetched, Shape, Transfer, below};
use crate::origin::{Origin, OriginKind};
use crate::reference::shown::{shown, shown_url};

/// The most bytes an answer of a registry may have.
const MAX_ANSWER: u64 = 8 * 1024 * 1024;

/// A registry over HTTP.
#[derive(Debug, Clone)]
pub struct HttpRegistry {
    /// Where it is.
    pub base: Url,
    /// What proves who we are.
    pub headers: Vec<Header>,
}

impl HttpRegistry {
    pub(super) fn name(&self) -> String {
        shown_url(&self.base)
    }

    pub(super) fn address(&self, segments: &[&str]) -> Url {
        below(&self.base, segments)
    }

    pub(super) fn request(&self, segments: &[&str]) -> Request {
        Request::new(self.address(segments)).headers(self.headers.iter().cloned())
    }

    pub(super) fn explain(&self, error: HttpError, name: &str) -> RegistryError {
        match error.status() {
            Some(404 | 410) => RegistryError::NotFound {
                registry: self.name(),
                name: name.to_owned(),
            },
            Some(401 | 403) if !matches!(error, HttpError::RateLimited { .. }) => {
                RegistryError::Unauthorized {
                    registry: self.name(),
                }
            }
            _ => RegistryError::Http(error),
        }
    }

    /// Reads one JSON object per line.
    fn lines(&self, name: &SkillName, bytes: &[u8]) -> Result<Vec<VersionInfo>, RegistryError> {
        let error = |problem: String| RegistryError::Index {
            registry: self.name(),
            problem,
        };
        let mut versions = Vec::new();
        let mut seen = HashSet::new();
        for line in bytes
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.trim_ascii().is_empty())
        {
            let info: VersionInfo = serde_json::from_slice(line)
                .map_err(|problem| error(shown(&problem.to_string())))?;
            if info.name != name.as_str() {
                return Err(error(format!(
                    "`{name}` has a version of `{}`",
                    shown(&info.name)
                )));
            }
            // A version that differs only in its build is another archive under the same version.
            let Version {
                major,
                minor,
                patch,
                pre,
                ..
            } = &info.version;
            if !seen.insert((*major, *minor, *patch, pre.clone())) {
                return Err(error(format!(
                    "`{name}` has the version {} twice",
                    info.version
                )));
            }
            versions.push(info);
        }
        Ok(versions)
    }
}

impl Registry for HttpRegistry {
    fn search(
        &self,
        http: &Http,
        query: &str,
        limit: usize,
    ) -> Result<SearchResults, RegistryError> {
        let mut url = below(&self.base, &["skills"]);
        url.query_pairs_mut()
            .append_pair("q", query)
            .append_pair("limit", &limit.to_string());
        let request = Request::new(url)
            .accept("application/json")
            .headers(self.headers.iter().cloned());
        let body = http
            .get(&request, MAX_ANSWER)
            .map_err(|error| self.explain(error, query))?;
        Ok(body.json()?)
    }

    fn summary(&self, http: &Http, name: &SkillName) -> Result<Summary, RegistryError> {
        let request = self
            .request(&["skills", name.as_str()])
            .accept("application/json");
        let body = http
            .get(&request, MAX_ANSWER)
            .map_err(|error| self.explain(error, name.as_str()))?;
        Ok(body.json()?)
    }

    fn versions(&self, http: &Http, name: &SkillName) -> Result<Vec<VersionInfo>, RegistryError> {
        let path = index_path(name);
        let segments: Vec<&str> = path.iter().map(String::as_str).collect();
        let body = http
            .get(&self.request(&segments), MAX_ANSWER)
            .map_err(|error| self.explain(error, name.as_str()))?;
        self.lines(name, &body.bytes)
    }

    fn download(
        &self,
        transfer: &Transfer<'_>,
        version: &VersionInfo,
    ) -> Result<Fetched, RegistryError> {
        let number = version.version.to_string();
        let request = self.request(&["skills", &version.name, &number, "download"]);
        let download = transfer
            .archive(&request, Some(version.digest))
            .map_err(|error| self.explain(error, &format!("{}@{number}", version.name)))?;
        Ok(Fetched {
            content: Content::Archive {
                file: download.file,
                kind: download.kind,
                shape: Shape::Skill,
            },
            origin: Origin {
                kind: OriginKind::Registry,
                url: self.name(),
                commit: None,
                version: Some(number),
            },
        })
    }
}
