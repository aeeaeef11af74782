//! All that a registry has, for whoever keeps a copy of it.

use semver::Version;
use serde::Deserialize;
use skillyard_format::{Digest, QualifiedName};
use skillyard_trust::transparency::SignedCheckpoint;

use super::http::HttpRegistry;
use super::{RegistryError, segments};
use crate::fetch::http::{Http, HttpError, Request};

/// The most bytes of a list.
const MAX_ANSWER: u64 = 16 * 1024 * 1024;

/// The most entries of the log at once.
const AT_ONCE: usize = 1000;

/// An entry of a registry's log.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LogEntry {
    /// The skill.
    pub name: String,
    /// The version.
    pub version: Version,
    /// The digest of its archive.
    pub digest: Digest,
    /// Who signed it.
    #[serde(default)]
    pub signer: Option<String>,
}

/// A skill that changed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ChangedSkill {
    /// Its name.
    pub name: String,
    /// The number of the change.
    pub sequence: i64,
}

/// What a registry says about a skill that stands in no index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct SkillDetails {
    /// Its owners.
    #[serde(default)]
    pub owners: Vec<String>,
    /// What to use instead.
    #[serde(default)]
    pub deprecated: Option<String>,
}

#[derive(Deserialize)]
struct LogEntries {
    entries: Vec<LogEntry>,
}

/// Skills that changed after a change.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Changes {
    /// The skills, the earliest change first.
    pub skills: Vec<ChangedSkill>,
    /// The number of the registry's last change of all; older registries do not say it.
    #[serde(default)]
    pub last: Option<i64>,
}

impl HttpRegistry {
    /// How long the log is, signed.
    pub fn checkpoint(&self, http: &Http) -> Result<SignedCheckpoint, RegistryError> {
        let body = http.get(&self.request(&["log", "checkpoint"]), MAX_ANSWER);
        let body = body.map_err(|error| self.explain(error, "log"))?;
        Ok(body.json()?)
    }

    /// Entries of the log from a place on, as many as the registry gives at once, or fewer where
    /// they are so long that their list would be too large.
    pub fn log_entries(&self, http: &Http, from: usize) -> Result<Vec<LogEntry>, RegistryError> {
        let mut limit = AT_ONCE;
        loop {
            let mut url = self.address(&["log", "entries"]);
            url.query_pairs_mut()
                .append_pair("from", &from.to_string())
                .append_pair("limit", &limit.to_string());
            let request = Request::new(url).headers(self.headers.iter().cloned());
            match http.get(&request, MAX_ANSWER) {
                Err(HttpError::TooLarge { .. }) if limit > 1 => limit /= 10,
                body => return Ok(body?.json::<LogEntries>()?.entries),
            }
        }
    }

    /// The skills that changed after a change, as many as the registry gives at once.
    pub fn changes(&self, http: &Http, since: i64) -> Result<Changes, RegistryError> {
        let body = http.get(
            &self.with(&["changes"], "since", &since.to_string()),
            MAX_ANSWER,
        );
        Ok(body?.json()?)
    }

    /// What is told about a skill.
    pub fn details(
        &self,
        http: &Http,
        name: &QualifiedName,
    ) -> Result<SkillDetails, RegistryError> {
        let request = self.request(&segments("skills", name.as_str(), &[]));
        let body = http.get(&request, MAX_ANSWER);
        let body = body.map_err(|error| self.explain(error, name.as_str()))?;
        Ok(body.json()?)
    }

    /// The archive of a version, as it comes.
    pub fn archive(
        &self,
        http: &Http,
        name: &QualifiedName,
        version: &Version,
        limit: u64,
    ) -> Result<Vec<u8>, RegistryError> {
        let number = version.to_string();
        let path = segments("skills", name.as_str(), &[&number, "download"]);
        let body = http.get(&self.request(&path), limit);
        let body = body.map_err(|error| self.explain(error, name.as_str()))?;
        Ok(body.bytes)
    }

    fn with(&self, path: &[&str], name: &str, value: &str) -> Request {
        let mut url = self.address(path);
        url.query_pairs_mut().append_pair(name, value);
        Request::new(url).headers(self.headers.iter().cloned())
    }
}
