//! Logins of browsers, which read the pages of a private registry; what changes something asks for
//! the token itself.

use axum::http::HeaderMap;
use skillyard_http::login::{Arrivals, Cookie, Forgery, LIFETIME, draw, key};
use skillyard_http::origin::named_host;
use skillyard_http::origin::{is_https, sender};
use url::{Position, Url};

use crate::error::RegistryError;
use crate::server::Server;
use crate::store::logins;

/// Whoever is logged in with a browser.
#[derive(Debug, Clone)]
pub(crate) struct Login {
    /// The account.
    pub(crate) account: String,
    /// The value that their pages carry against forged changes.
    pub(crate) csrf: String,
}

/// Who is logged in, as the cookie of a request says.
pub(crate) async fn known(
    server: &Server,
    headers: &HeaderMap,
) -> Result<Option<Login>, RegistryError> {
    let Some(value) = cookie(server).value(headers) else {
        return Ok(None);
    };
    let registry = &server.registry;
    let found = logins::identify(&registry.database, &hash(value), registry.now()).await?;
    Ok(found.map(|identity| Login {
        account: identity.account,
        csrf: Forgery::shared().value(value),
    }))
}

/// Logs in with a token; gives what the browser is told to keep.
pub(crate) async fn enter(
    server: &Server,
    headers: &HeaderMap,
    token: &str,
) -> Result<String, RegistryError> {
    let registry = &server.registry;
    let identity = registry.identify(token).await?;
    let value = draw().map_err(RegistryError::internal)?;
    let now = registry.now();
    logins::begin(&registry.database, &hash(&value), &identity.token, now).await?;
    Ok(kept(server, headers, &value, LIFETIME.as_secs()))
}

/// Logs out, if a page of ours says so; gives what the browser is told to forget.
pub(crate) async fn leave(
    server: &Server,
    headers: &HeaderMap,
    csrf: &str,
) -> Result<String, RegistryError> {
    if let Some(value) = cookie(server).value(headers) {
        if !Forgery::shared().is_ours(value, csrf) {
            return Err(RegistryError::ForeignPage);
        }
        logins::end(&server.registry.database, &hash(value)).await?;
    }
    Ok(kept(server, headers, "", 0))
}

/// Refuses what a page of another site sends. Behind a proxy `Host` may be one that nobody outside
/// knows, so that the name in the settings counts as well.
pub(crate) fn from_our_page(server: &Server, headers: &HeaderMap) -> Result<(), RegistryError> {
    let url = Url::parse(&server.settings.url).ok();
    let told = url
        .as_ref()
        .map(|url| &url[Position::BeforeHost..Position::AfterPort]);
    let hosts: Vec<&str> = named_host(headers, None).into_iter().chain(told).collect();
    let foreign = |_| RegistryError::ForeignPage;
    sender(headers, &hosts).map(drop).map_err(foreign)
}

/// A link of another site leads to a page: the cookie reads, and nothing else.
fn cookie(server: &Server) -> Cookie<'_> {
    Cookie {
        name: "skillyard-registry",
        path: match &*server.base_path {
            "" => "/",
            below => below,
        },
        arrivals: Arrivals::Anywhere,
    }
}

fn kept(server: &Server, headers: &HeaderMap, value: &str, seconds: u64) -> String {
    let over_tls = is_https(headers) || server.settings.url.starts_with("https://");
    cookie(server).kept(headers, over_tls, value, seconds)
}

fn hash(value: &str) -> String {
    hex::encode(key(value))
}
