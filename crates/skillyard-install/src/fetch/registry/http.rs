//! A registry over HTTP.

use std::collections::HashSet;

use semver::Version;
use skillyard_format::QualifiedName;
use url::Url;

use super::memory::{RegistryMemory, taken_back};
use super::{
    Registry, RegistryError, SearchQuery, SearchResults, SkillSummary, VersionInfo, index_path,
    segments,
};
use crate::fetch::http::{Header, Http, HttpError, Request};
use crate::fetch::{ArchiveShape, Fetched, FetchedContent, Transfer, below};
use crate::origin::{Origin, OriginKind};
use crate::reference::shown::{shown, shown_url};

mod remembered;

/// The most bytes an answer of a registry may have.
const MAX_ANSWER: u64 = 8 * 1024 * 1024;

/// A registry over HTTP.
#[derive(Debug, Clone)]
pub struct HttpRegistry {
    /// Where it is.
    pub base: Url,
    /// What its user calls it, unless it is the only one.
    pub alias: Option<String>,
    /// What proves who we are.
    pub headers: Vec<Header>,
    /// What it said before.
    pub memory: Option<RegistryMemory>,
    /// Whether it may be asked.
    pub mode: IndexMode,
}

/// Whether a registry may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IndexMode {
    /// It may.
    #[default]
    Online,
    /// What was seen before has to do.
    Offline,
}

/// The versions of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionListing {
    /// All of them, in the order they were published.
    pub versions: Vec<VersionInfo>,
    /// When that was seen, if it is a memory.
    pub seen: Option<String>,
    /// As it came.
    text: Vec<u8>,
}

impl HttpRegistry {
    pub(super) fn name(&self) -> String {
        shown_url(&self.base)
    }

    /// Where it is, without secrets.
    pub fn shown(&self) -> String {
        self.name()
    }

    pub(super) fn address(&self, segments: &[&str]) -> Url {
        below(&self.base, segments)
    }

    pub(super) fn request(&self, segments: &[&str]) -> Request {
        Request::new(self.address(segments)).headers(self.headers.iter().cloned())
    }

    /// Why there is not even what every registry has.
    pub(super) fn explain_own(&self, error: HttpError) -> RegistryError {
        match self.explain(error, "") {
            RegistryError::NotFound { registry, .. } => RegistryError::NotARegistry { registry },
            error => error,
        }
    }

    pub(super) fn explain(&self, error: HttpError, name: &str) -> RegistryError {
        match error.status() {
            Some(404 | 410) => RegistryError::NotFound {
                registry: self.name(),
                name: name.to_owned(),
                nearest: None,
                alias: self.alias.clone(),
            },
            Some(401 | 403) if !matches!(error, HttpError::RateLimited { .. }) => {
                RegistryError::Unauthorized {
                    registry: self.name(),
                    alias: self.alias.clone(),
                }
            }
            _ => RegistryError::Http(error),
        }
    }

    /// Remembers an index of which a version was proven and is used now.
    pub fn remember(
        &self,
        name: &QualifiedName,
        listing: &VersionListing,
        used: &VersionInfo,
    ) -> Result<(), RegistryError> {
        match (&self.memory, self.mode) {
            (Some(memory), IndexMode::Online) => {
                let kept = memory.keep_index(name, &listing.text, used);
                kept.map_err(|source| self.forgetful(source))
            }
            _ => Ok(()),
        }
    }

    fn forgetful(&self, source: std::io::Error) -> RegistryError {
        RegistryError::Memory {
            registry: self.name(),
            source,
        }
    }

    /// Reads one JSON object per line.
    fn lines(&self, name: &QualifiedName, bytes: &[u8]) -> Result<Vec<VersionInfo>, RegistryError> {
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
    fn search(&self, http: &Http, query: &SearchQuery<'_>) -> Result<SearchResults, RegistryError> {
        if self.mode == IndexMode::Offline {
            return Ok(self.remembered(query));
        }
        let mut url = below(&self.base, &["skills"]);
        let flag = |flag: Option<bool>| flag.map(|flag| if flag { "true" } else { "false" });
        let limit = query.limit.to_string();
        let parameters = [
            ("q", Some(query.words)),
            ("limit", Some(limit.as_str())),
            ("owner", query.owner),
            ("license", query.license),
            ("tag", query.tag),
            ("scripts", flag(query.scripts)),
            ("signed", flag(query.signed)),
        ];
        for (name, value) in parameters {
            if let Some(value) = value {
                url.query_pairs_mut().append_pair(name, value);
            }
        }
        let request = Request::new(url)
            .accept("application/json")
            .headers(self.headers.iter().cloned());
        let found = http.get(&request, MAX_ANSWER);
        let found = found.map_err(|error| self.explain_own(error));
        let found = found.and_then(|body| Ok(body.json::<SearchResults>()?));
        let mut found = found.map_err(|error| self.of_files(http, error))?;
        if let Some(memory) = &self.memory {
            // What was found is no less found where nothing can be written.
            let kept = memory.keep_skills(&found.skills);
            found.unkept = kept.err().map(|error| error.to_string());
        }
        Ok(found)
    }

    fn summary(&self, http: &Http, name: &QualifiedName) -> Result<SkillSummary, RegistryError> {
        let request = self
            .request(&segments("skills", name.as_str(), &[]))
            .accept("application/json");
        let body = http
            .get(&request, MAX_ANSWER)
            .map_err(|error| self.explain(error, name.as_str()))?;
        Ok(body.json()?)
    }

    fn versions(&self, http: &Http, name: &QualifiedName) -> Result<VersionListing, RegistryError> {
        let before = self.memory.as_ref().and_then(|memory| memory.index(name));
        if self.mode == IndexMode::Offline {
            let Some(before) = before else {
                return Err(RegistryError::NeverSeen {
                    registry: self.name(),
                    name: name.to_string(),
                });
            };
            return Ok(VersionListing {
                versions: self.lines(name, &before.text)?,
                seen: Some(before.seen),
                text: before.text,
            });
        }
        let path = index_path(name);
        let segments: Vec<&str> = path.iter().map(String::as_str).collect();
        let body = http
            .get(&self.request(&segments), MAX_ANSWER)
            .map_err(|error| self.explain(error, name.as_str()))?;
        let versions = self.lines(name, &body.bytes)?;
        if let Some(before) = &before
            && let Some(problem) = taken_back(&before.used, &versions)
        {
            return Err(RegistryError::TakenBack {
                registry: self.name(),
                problem: format!("`{name}`, last seen {}: {problem}", before.seen),
            });
        }
        Ok(VersionListing {
            versions,
            seen: None,
            text: body.bytes,
        })
    }

    fn download(
        &self,
        transfer: &Transfer<'_>,
        version: &VersionInfo,
    ) -> Result<Fetched, RegistryError> {
        let number = version.version.to_string();
        let path = segments("skills", &version.name, &[&number, "download"]);
        let request = self.request(&path);
        let download = transfer
            .archive(&request, Some(version.digest))
            .map_err(|error| self.explain(error, &format!("{}@{number}", version.name)))?;
        Ok(Fetched {
            content: FetchedContent::Archive {
                file: download.file,
                kind: download.kind,
                shape: ArchiveShape::Skill,
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
