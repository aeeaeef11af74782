//! What somebody with a token can do in a registry.

use semver::Version;
use serde::{Deserialize, Serialize};
use serde_json::json;
use skillyard_format::{Digest, SkillName};

use super::RegistryError;
use super::http::HttpRegistry;
use crate::fetch::http::{Http, Method, Request, Submission};

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
pub struct Published {
    /// The skill.
    pub name: String,
    /// The version.
    pub version: Version,
    /// The digest of the archive.
    pub digest: Digest,
    /// Whether it was not there before.
    #[serde(default)]
    pub new: bool,
}

#[derive(Deserialize)]
struct Owners {
    owners: Vec<String>,
}

/// The most bytes of an answer about an account.
const MAX_ANSWER: u64 = 1024 * 1024;

impl HttpRegistry {
    /// Whom the token names.
    pub fn account(&self, http: &Http) -> Result<Account, RegistryError> {
        let body = http.get(&self.request(&["me"]), MAX_ANSWER);
        Ok(body.map_err(|error| self.explain(error, "me"))?.json()?)
    }

    /// Publishes an archive.
    pub fn publish(&self, http: &Http, archive: Vec<u8>) -> Result<Published, RegistryError> {
        let body = Some(("application/gzip", archive));
        let answer = self.submit(http, Method::Post, &["skills"], &[], body)?;
        Ok(answer.json()?)
    }

    /// Withdraws a version, for a reason.
    pub fn yank(
        &self,
        http: &Http,
        name: &SkillName,
        version: &Version,
        reason: Option<&str>,
    ) -> Result<(), RegistryError> {
        let query: Vec<(&str, &str)> = reason
            .map(|reason| ("reason", reason))
            .into_iter()
            .collect();
        let path = ["skills", name.as_str(), &version.to_string()];
        self.submit(http, Method::Delete, &path, &query, None)?;
        Ok(())
    }

    /// Takes the withdrawal of a version back.
    pub fn restore(
        &self,
        http: &Http,
        name: &SkillName,
        version: &Version,
    ) -> Result<(), RegistryError> {
        let path = ["skills", name.as_str(), &version.to_string(), "restore"];
        self.submit(http, Method::Post, &path, &[], None)?;
        Ok(())
    }

    /// Says what to use instead of a skill; without a text, takes that back.
    pub fn deprecate(
        &self,
        http: &Http,
        name: &SkillName,
        message: Option<&str>,
    ) -> Result<(), RegistryError> {
        let path = ["skills", name.as_str(), "deprecation"];
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

    /// Who owns a skill.
    pub fn owners(&self, http: &Http, name: &SkillName) -> Result<Vec<String>, RegistryError> {
        let request: Request = self.request(&["skills", name.as_str(), "owners"]);
        let body = http.get(&request, MAX_ANSWER);
        let body = body.map_err(|error| self.explain(error, name.as_str()))?;
        Ok(body.json::<Owners>()?.owners)
    }

    /// Adds an owner, and returns all of them.
    pub fn add_owner(
        &self,
        http: &Http,
        name: &SkillName,
        account: &str,
    ) -> Result<Vec<String>, RegistryError> {
        self.change_owner(http, Method::Put, name, account)
    }

    /// Removes an owner, and returns those who are left.
    pub fn remove_owner(
        &self,
        http: &Http,
        name: &SkillName,
        account: &str,
    ) -> Result<Vec<String>, RegistryError> {
        self.change_owner(http, Method::Delete, name, account)
    }

    fn change_owner(
        &self,
        http: &Http,
        method: Method,
        name: &SkillName,
        account: &str,
    ) -> Result<Vec<String>, RegistryError> {
        let path = ["skills", name.as_str(), "owners", account];
        let body = self.submit(http, method, &path, &[], None)?;
        Ok(body.json::<Owners>()?.owners)
    }

    fn submit(
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
