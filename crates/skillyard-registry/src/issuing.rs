//! Tokens that an account makes for itself, and ends again.
//!
//! A stolen token must not become a better one: it hands on only what it may itself, and what it
//! makes ends when it ends, or when it is revoked.

use jiff::{SignedDuration, Timestamp};
use skillyard_audit::{Event, EventKind};

use crate::error::RegistryError;
use crate::registry::{Registry, allow};
use crate::store::tokens::{self, Terms, TokenRow};
use crate::token::{self, Action, Identity, NewToken, Scope};

/// What a new token is to be.
#[derive(Debug, Clone)]
pub struct TokenRequest {
    /// What it is to allow.
    pub scopes: Vec<Scope>,
    /// After how many days it ends.
    pub days: u32,
    /// What its owner calls it.
    pub label: Option<String>,
}

impl Registry {
    /// Makes a token for the same account that allows no more and ends no later.
    pub async fn issue(
        &self,
        identity: &Identity,
        wanted: &TokenRequest,
    ) -> Result<(NewToken, Timestamp), RegistryError> {
        let scopes: Vec<String> = wanted.scopes.iter().map(ToString::to_string).collect();
        let event = Event::new(EventKind::RegistryTokenChanged)
            .detail("account", &identity.account)
            .detail("change", "created")
            .detail("scopes", scopes.join(" "));
        let result = async {
            allow(identity, Action::Tokens, "tokens")?;
            for scope in &wanted.scopes {
                if !identity.covers(scope) {
                    return Err(RegistryError::MoreThanOwn(scope.to_string()));
                }
            }
            let now = self.now();
            let days = SignedDuration::from_hours(24 * i64::from(wanted.days));
            let end = now.checked_add(days).map_err(RegistryError::internal)?;
            let end = identity.expires.map_or(end, |own| end.min(own));
            let token = NewToken::draw().map_err(RegistryError::internal)?;
            let terms = Terms {
                account: &identity.account,
                scopes: &wanted.scopes,
                expires: Some(end),
                label: wanted.label.as_deref(),
                parent: Some(&identity.token),
            };
            self.ready_to_record().await?;
            if !tokens::add(&self.database, &token, terms, now).await? {
                return Err(RegistryError::BadToken);
            }
            Ok((token, end))
        };
        let result = result.await;
        let event = match &result {
            Ok((token, _)) => event.detail("token", &token.id),
            Err(_) => event,
        };
        self.noted(event, result).await
    }

    /// The tokens of the account.
    pub async fn issued(&self, identity: &Identity) -> Result<Vec<TokenRow>, RegistryError> {
        allow(identity, Action::Tokens, "tokens")?;
        Ok(tokens::list(&self.database, Some(&identity.account)).await?)
    }

    /// Ends a token of the account now, and all that was made with it; returns the names of those.
    /// Every token may end itself.
    pub async fn revoke(
        &self,
        identity: &Identity,
        id: &str,
    ) -> Result<Vec<String>, RegistryError> {
        let shown: String = id.chars().take(64).collect();
        let event = Event::new(EventKind::RegistryTokenChanged)
            .detail("account", &identity.account)
            .detail("change", "revoked")
            .detail("token", &shown);
        let result = async {
            if id != identity.token {
                allow(identity, Action::Tokens, "tokens")?;
            }
            let account = Some(identity.account.as_str());
            let ended = if token::is_id(id) {
                tokens::revoke(&self.database, id, account, self.now()).await?
            } else {
                Vec::new()
            };
            match ended.split_first() {
                Some((_, made)) => Ok(made.to_vec()),
                None => Err(RegistryError::NoSuchToken(shown.clone())),
            }
        };
        let result = result.await;
        let event = match &result {
            Ok(made) if !made.is_empty() => event.detail("also", made.join(" ")),
            _ => event,
        };
        self.noted(event, result).await
    }
}
