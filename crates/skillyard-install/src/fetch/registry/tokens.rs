//! The tokens of an account in a registry.

use std::fmt;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::RegistryError;
use super::account::MAX_ANSWER;
use super::http::HttpRegistry;
use crate::fetch::http::{Http, Method};

/// What a token is to be.
#[derive(Debug, Clone)]
pub struct TokenRequest<'a> {
    /// What it is to allow.
    pub scopes: &'a [String],
    /// After how many days it ends.
    pub days: u32,
    /// What its owner calls it.
    pub label: Option<&'a str>,
}

/// A new token, which is shown once.
pub struct IssuedToken {
    /// The token itself.
    pub secret: SecretString,
    /// The name it can be revoked by.
    pub id: String,
    /// Whom it names.
    pub user: String,
    /// What it allows.
    pub scopes: Vec<String>,
    /// When it ends.
    pub expires: Option<String>,
}

impl fmt::Debug for IssuedToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IssuedToken")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// A token, without what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenInfo {
    /// Its name.
    pub id: String,
    /// Its first characters.
    #[serde(default)]
    pub prefix: Option<String>,
    /// What its owner calls it.
    #[serde(default)]
    pub label: Option<String>,
    /// What it allows.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// When it was made.
    pub created: String,
    /// When it ends.
    #[serde(default)]
    pub expires: Option<String>,
    /// When it was revoked.
    #[serde(default)]
    pub revoked: Option<String>,
    /// Whether it is the one that asks.
    #[serde(default)]
    pub current: bool,
}

#[derive(Deserialize)]
struct TokenAnswer {
    token: String,
    id: String,
    user: String,
    #[serde(default)]
    scopes: Vec<String>,
    #[serde(default)]
    expires: Option<String>,
}

#[derive(Deserialize)]
struct TokenList {
    tokens: Vec<TokenInfo>,
}

#[derive(Deserialize)]
struct Revoked {
    /// Registries from before there were any do not say.
    #[serde(default)]
    also: Vec<String>,
}

impl HttpRegistry {
    /// Makes a token for the same account.
    pub fn create_token(
        &self,
        http: &Http,
        wish: &TokenRequest<'_>,
    ) -> Result<IssuedToken, RegistryError> {
        let body = json!({ "scopes": wish.scopes, "days": wish.days, "label": wish.label });
        let body = Some(("application/json", body.to_string().into_bytes()));
        let answer = self.submit(http, Method::Post, &["tokens"], &[], body)?;
        let answer: TokenAnswer = answer.json()?;
        Ok(IssuedToken {
            secret: SecretString::from(answer.token),
            id: answer.id,
            user: answer.user,
            scopes: answer.scopes,
            expires: answer.expires,
        })
    }

    /// The tokens of the account.
    pub fn tokens(&self, http: &Http) -> Result<Vec<TokenInfo>, RegistryError> {
        let body = http.get(&self.request(&["tokens"]), MAX_ANSWER);
        // Why not is for the registry to say: the token is good, but may not.
        Ok(body?.json::<TokenList>()?.tokens)
    }

    /// Ends a token of the account; returns the names of those that ended with it.
    pub fn revoke_token(&self, http: &Http, id: &str) -> Result<Vec<String>, RegistryError> {
        let answer = self.submit(http, Method::Delete, &["tokens", id], &[], None)?;
        Ok(answer.json::<Revoked>()?.also)
    }
}
