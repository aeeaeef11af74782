//! Who may do what in a registry: roles for skills and namespaces, and handing them over.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::account::MAX_ANSWER;
use super::http::HttpRegistry;
use super::{RegistryError, segments};
use crate::fetch::http::{Body, Http, Method};

/// Somebody with a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The account.
    pub account: String,
    /// The role.
    pub role: String,
}

/// Everybody who has a role for something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct People {
    /// The skill or the namespace.
    pub name: String,
    /// Those who say who has which role.
    #[serde(default)]
    pub owners: Vec<String>,
    /// All of them.
    #[serde(default)]
    pub people: Vec<Person>,
    /// What is in a namespace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
}

/// An offer to hand something over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnershipOffer {
    /// The skill or the namespace.
    pub subject: String,
    /// Who offers it.
    pub from: String,
    /// Whom it is offered to.
    pub to: String,
    /// Until when.
    pub expires: String,
}

#[derive(Deserialize)]
struct Transfers {
    transfers: Vec<OwnershipOffer>,
}

/// The address of a skill (`pdf`, `@acme/pdf`) or of a namespace (`@acme`).
fn subject<'a>(subject: &'a str, skill: &[&'a str], namespace: &[&'a str]) -> Vec<&'a str> {
    match subject.strip_prefix('@') {
        Some(name) if !name.contains('/') => segments("namespaces", name, namespace),
        _ => segments("skills", subject, skill),
    }
}

impl HttpRegistry {
    /// Everybody who has a role for a skill or in a namespace.
    pub fn people(&self, http: &Http, of: &str) -> Result<People, RegistryError> {
        let request = self.request(&subject(of, &["owners"], &[]));
        let body = http.get(&request, MAX_ANSWER);
        Ok(body.map_err(|error| self.explain(error, of))?.json()?)
    }

    /// Gives an account a role, or takes it away; returns everybody who has one now.
    pub fn set_role(
        &self,
        http: &Http,
        of: &str,
        account: &str,
        role: Option<&str>,
    ) -> Result<People, RegistryError> {
        let path = subject(of, &["owners", account], &["members", account]);
        let answer = match role {
            Some(role) => {
                let body = json!({ "role": role }).to_string().into_bytes();
                let body = Some(("application/json", body));
                self.submit(http, Method::Put, &path, &[], body)?
            }
            None => self.submit(http, Method::Delete, &path, &[], None)?,
        };
        Ok(answer.json()?)
    }

    /// Makes a namespace.
    pub fn create_namespace(&self, http: &Http, name: &str) -> Result<People, RegistryError> {
        let path = ["namespaces", name.trim_start_matches('@')];
        Ok(self.submit(http, Method::Put, &path, &[], None)?.json()?)
    }

    /// The offers that were made or got.
    pub fn transfers(&self, http: &Http) -> Result<Vec<OwnershipOffer>, RegistryError> {
        let body = http.get(&self.request(&["transfers"]), MAX_ANSWER);
        let body = body.map_err(|error| self.explain(error, "transfers"))?;
        Ok(body.json::<Transfers>()?.transfers)
    }

    /// Offers to hand something over.
    pub fn offer(&self, http: &Http, of: &str, to: &str) -> Result<OwnershipOffer, RegistryError> {
        let body = json!({ "to": to }).to_string().into_bytes();
        let body = Some(("application/json", body));
        Ok(self.transfer(http, Method::Put, of, body)?.json()?)
    }

    /// Takes over what was offered.
    pub fn accept(&self, http: &Http, of: &str) -> Result<(), RegistryError> {
        self.transfer(http, Method::Post, of, None)?;
        Ok(())
    }

    /// Takes an offer back, or declines it.
    pub fn decline(&self, http: &Http, of: &str) -> Result<(), RegistryError> {
        self.transfer(http, Method::Delete, of, None)?;
        Ok(())
    }

    fn transfer(
        &self,
        http: &Http,
        method: Method,
        of: &str,
        body: Option<(&'static str, Vec<u8>)>,
    ) -> Result<Body, RegistryError> {
        let path = subject(of, &["transfer"], &["transfer"]);
        self.submit(http, method, &path, &[], body)
    }
}
