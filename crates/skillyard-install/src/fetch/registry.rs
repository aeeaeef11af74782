//! Registries: which versions a skill has, and their archives.
//!
//! Versions and digests come from the sparse index, one small file per skill that
//! any cache can keep; whoever serves the archive cannot change what it is.

use std::collections::HashSet;

use semver::Version;
use serde::{Deserialize, Serialize};
use skillyard_format::{Digest, SkillName};
use url::Url;

use super::http::{Header, Http, HttpError, Request};
use super::{Content, Fetched, Origin, OriginKind, Shape, Transfer, below};
use crate::reference::Requirement;
use crate::reference::shown::{shown, shown_url};

/// The most bytes an answer of a registry may have.
const MAX_ANSWER: u64 = 8 * 1024 * 1024;

/// A registry of skills.
pub trait Registry {
    /// Searches; the best match is first.
    fn search(
        &self,
        http: &Http,
        query: &str,
        limit: usize,
    ) -> Result<SearchResults, RegistryError>;
    /// What the registry says about a skill.
    fn summary(&self, http: &Http, name: &SkillName) -> Result<Summary, RegistryError>;
    /// All versions of a skill, yanked ones included, in the order they were published.
    fn versions(&self, http: &Http, name: &SkillName) -> Result<Vec<VersionInfo>, RegistryError>;
    /// Downloads a version and checks it against its digest.
    fn download(
        &self,
        transfer: &Transfer<'_>,
        version: &VersionInfo,
    ) -> Result<Fetched, RegistryError>;
}

/// One version of a skill, as one line of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionInfo {
    /// The skill.
    pub name: String,
    /// The version.
    pub version: Version,
    /// The digest of the archive.
    pub digest: Digest,
    /// The tree digest of the skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Digest>,
    /// The length of the archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Whether it was withdrawn: locks may still use it, nothing new does.
    #[serde(default)]
    pub yanked: bool,
    /// When it was published, as RFC 3339 writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchResults {
    /// The skills.
    pub skills: Vec<Summary>,
    /// How many there are in all.
    #[serde(default)]
    pub total: u64,
}

/// What a registry says about a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Its latest version.
    pub version: String,
    /// Who published it.
    #[serde(default)]
    pub author: Option<String>,
    /// How often it was downloaded.
    #[serde(default)]
    pub downloads: u64,
    /// Where its latest archive is.
    #[serde(default)]
    pub download_url: Option<String>,
}

/// Why a registry gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The registry has no such skill.
    #[error("{registry} has no skill `{name}`")]
    NotFound {
        /// The registry.
        registry: String,
        /// The skill.
        name: String,
    },
    /// No version fits.
    #[error("`{name}` has no version that fits `{requirement}`{}", those(.versions))]
    NoVersion {
        /// The skill.
        name: String,
        /// What was asked for.
        requirement: String,
        /// The highest versions there are.
        versions: Vec<String>,
    },
    /// The registry wants to know who asks.
    #[error("{registry} wants a token, or refuses the one it was sent")]
    Unauthorized {
        /// The registry.
        registry: String,
    },
    /// The index contradicts itself.
    #[error("the index of {registry} is not sound: {problem}")]
    Index {
        /// The registry.
        registry: String,
        /// What is wrong.
        problem: String,
    },
    /// A request failed.
    #[error(transparent)]
    Http(#[from] HttpError),
}

/// The highest version that fits and was not withdrawn.
pub fn select<'a>(
    name: &SkillName,
    versions: &'a [VersionInfo],
    requirement: &Requirement,
) -> Result<&'a VersionInfo, RegistryError> {
    let offered = || versions.iter().filter(|info| !info.yanked);
    let candidates = offered().map(|info| (info.version.clone(), info));
    if let Some((_, info)) = requirement.select(candidates) {
        return Ok(info);
    }
    let mut highest: Vec<&Version> = offered().map(|info| &info.version).collect();
    highest.sort_unstable_by(|first, second| second.cmp(first));
    Err(RegistryError::NoVersion {
        name: name.to_string(),
        requirement: requirement.to_string(),
        versions: highest
            .into_iter()
            .take(3)
            .map(ToString::to_string)
            .collect(),
    })
}

/// Where a skill is in the sparse index; the folders keep each other small.
pub fn index_path(name: &SkillName) -> Vec<String> {
    let letters: Vec<char> = name.as_str().chars().collect();
    let part = |range: &[char]| range.iter().collect::<String>();
    let mut path = vec!["index".to_owned()];
    match letters.as_slice() {
        [_] => path.push("1".to_owned()),
        [_, _] => path.push("2".to_owned()),
        [first, _, _] => path.extend(["3".to_owned(), first.to_string()]),
        [a @ .., _] if a.len() >= 3 => path.extend([part(&letters[..2]), part(&letters[2..4])]),
        _ => {}
    }
    path.push(name.to_string());
    path
}

/// A registry over HTTP.
#[derive(Debug, Clone)]
pub struct HttpRegistry {
    /// Where it is.
    pub base: Url,
    /// What proves who we are.
    pub headers: Vec<Header>,
}

impl HttpRegistry {
    fn name(&self) -> String {
        shown_url(&self.base)
    }

    fn request(&self, segments: &[&str]) -> Request {
        Request::new(below(&self.base, segments)).headers(self.headers.iter().cloned())
    }

    fn explain(&self, error: HttpError, name: &str) -> RegistryError {
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
                revision: Some(number),
                tag: None,
                archive: Some(download.digest),
                declared: Some(version.digest),
            },
        })
    }
}

fn those(versions: &[String]) -> String {
    match versions {
        [] => "; it has none".to_owned(),
        versions => format!("; the highest are {}", versions.join(", ")),
    }
}
