//! What somebody with a token can do in a registry.

use std::collections::BTreeMap;

use semver::Version;
use serde::{Deserialize, Serialize};
use serde_json::json;
use skillyard_format::{Digest, Namespace, QualifiedName};

use super::http::HttpRegistry;
use super::{RegistryError, segments};
use crate::fetch::http::{Http, Method, Submission};

/// Whom a token names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Account {
    /// The account.
    pub user: String,
    /// What the token allows.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// When the token ends.
    #[serde(default)]
    pub expires: Option<String>,
}

/// A version that is in the registry now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedVersion {
    /// The skill.
    pub name: String,
    /// The version.
    pub version: Version,
    /// The digest of the archive.
    pub digest: Digest,
    /// Whether it was not there before.
    #[serde(default)]
    pub new: bool,
    /// Whether it was withdrawn, which the same files again do not change.
    #[serde(default)]
    pub yanked: bool,
    /// Why it was.
    #[serde(default)]
    pub yank_reason: Option<String>,
}

/// Where an archive is published to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Destination<'a> {
    /// The namespace; without one, a bare name.
    pub namespace: Option<&'a Namespace>,
    /// A tag that is to stand for the version.
    pub tag: Option<&'a str>,
}

/// The versions that tags stand for.
#[derive(Deserialize)]
struct TagVersions {
    dist_tags: BTreeMap<String, Version>,
}

/// The most bytes of an answer about an account.
pub(super) const MAX_ANSWER: u64 = 1024 * 1024;

impl HttpRegistry {
    /// Whom the token names.
    pub fn account(&self, http: &Http) -> Result<Account, RegistryError> {
        let body = http.get(&self.request(&["me"]), MAX_ANSWER);
        Ok(body.map_err(|error| self.explain_own(error))?.json()?)
    }

    /// Publishes an archive.
    pub fn publish(
        &self,
        http: &Http,
        archive: Vec<u8>,
        destination: &Destination<'_>,
    ) -> Result<PublishedVersion, RegistryError> {
        let body = Some(("application/gzip", archive));
        let namespace = destination.namespace.map(Namespace::as_str);
        let query: Vec<(&str, &str)> = [("namespace", namespace), ("tag", destination.tag)]
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect();
        let answer = self.submit(http, Method::Post, &["skills"], &query, body)?;
        Ok(answer.json()?)
    }

    /// Withdraws a version, for a reason.
    pub fn yank(
        &self,
        http: &Http,
        name: &QualifiedName,
        version: &Version,
        reason: Option<&str>,
    ) -> Result<(), RegistryError> {
        let query: Vec<(&str, &str)> = reason
            .map(|reason| ("reason", reason))
            .into_iter()
            .collect();
        let number = version.to_string();
        let path = segments("skills", name.as_str(), &[&number]);
        self.submit(http, Method::Delete, &path, &query, None)?;
        Ok(())
    }

    /// Takes the withdrawal of a version back.
    pub fn restore(
        &self,
        http: &Http,
        name: &QualifiedName,
        version: &Version,
    ) -> Result<(), RegistryError> {
        let number = version.to_string();
        let path = segments("skills", name.as_str(), &[&number, "restore"]);
        self.submit(http, Method::Post, &path, &[], None)?;
        Ok(())
    }

    /// Says what to use instead of a skill; without a text, takes that back.
    pub fn deprecate(
        &self,
        http: &Http,
        name: &QualifiedName,
        message: Option<&str>,
    ) -> Result<(), RegistryError> {
        let path = segments("skills", name.as_str(), &["deprecation"]);
        let (method, body) = match message {
            Some(message) => {
                let text = json!({ "message": message }).to_string();
                (Method::Put, Some(("application/json", text.into_bytes())))
            }
            None => (Method::Delete, None),
        };
        self.submit(http, method, &path, &[], body)?;
        Ok(())
    }

    /// The tags of a skill and the versions they stand for.
    pub fn tags(
        &self,
        http: &Http,
        name: &QualifiedName,
    ) -> Result<BTreeMap<String, Version>, RegistryError> {
        let request = self.request(&segments("skills", name.as_str(), &["dist-tags"]));
        let body = http.get(&request, MAX_ANSWER);
        let body = body.map_err(|error| {
            let error = self.explain(error, name.as_str());
            self.of_files(http, error)
        })?;
        Ok(body.json::<TagVersions>()?.dist_tags)
    }

    /// Lets a tag stand for a version, or takes it away; returns all of them.
    pub fn set_tag(
        &self,
        http: &Http,
        name: &QualifiedName,
        tag: &str,
        version: Option<&Version>,
    ) -> Result<BTreeMap<String, Version>, RegistryError> {
        let path = segments("skills", name.as_str(), &["dist-tags", tag]);
        let body = match version {
            Some(version) => {
                let text = json!({ "version": version }).to_string();
                let body = Some(("application/json", text.into_bytes()));
                self.submit(http, Method::Put, &path, &[], body)?
            }
            None => self.submit(http, Method::Delete, &path, &[], None)?,
        };
        Ok(body.json::<TagVersions>()?.dist_tags)
    }

    pub(super) fn submit(
        &self,
        http: &Http,
        method: Method,
        path: &[&str],
        query: &[(&str, &str)],
        body: Option<(&'static str, Vec<u8>)>,
    ) -> Result<crate::fetch::http::Body, RegistryError> {
        let mut url = self.address(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let submission = Submission {
            method,
            url,
            headers: &self.headers,
            body,
        };
        // What the registry has to say is the answer; a general phrase would hide it.
        http.submit(submission)
            .map_err(|error| match error.status() {
                Some(401) => self.explain(error, "skills"),
                _ => RegistryError::Http(error),
            })
    }
}
