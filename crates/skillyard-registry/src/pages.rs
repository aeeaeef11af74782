//! Pages for people, rendered on the server.
//!
//! Templates are compiled in and escape every value; HTML went through `skillyard_http::markdown`,
//! which sanitizes it.

pub(crate) mod compare;
mod difference;
pub(crate) mod file;
pub(crate) mod home;
pub(crate) mod login;
pub(crate) mod owner;
pub(crate) mod skill;
pub(crate) mod trouble;

use std::convert::Infallible;
use std::sync::Arc;

use askama::Template;
use axum::extract::FromRequestParts;
use axum::http::Extensions;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::response::IntoResponse as _;
use axum::response::{Html, Response};
use skillyard_http::address::encoded;
use skillyard_http::assets::{Asset, MARK, SEARCH, STYLE};
use skillyard_http::visible;
use skillyard_trust::signature::KeyId;

use crate::browser_login::Login;
use crate::error::RegistryError;
use crate::extract::Segments;
use crate::package;
use crate::package::Unpacked;
use crate::server::Server;
use crate::store::skills::SkillRow;
use crate::store::versions::VersionRow;

fn page(template: &impl Template) -> Result<Response, RegistryError> {
    let text = template.render().map_err(RegistryError::internal)?;
    Ok(Html(visible::page(text)).into_response())
}

/// Where the page of a skill is.
fn skill_address(name: &str) -> String {
    format!("/view/{}", encoded(name))
}

/// Where the page of an account is.
fn owner_address(account: &str) -> String {
    format!("/owners/{}", encoded(account))
}

/// Where all skills with a tag are.
fn tag_address(tag: &str) -> String {
    with_query("/", &[("tag", tag)])
}

/// Where a file of a version is shown that is linked from within `folder`; the link may hold a
/// place on the page.
fn file_address(name: &str, version: &str, folder: &str, link: &str) -> String {
    let (path, place) = match link.split_once('#') {
        Some((path, place)) => (path, format!("#{place}")),
        None => (link, String::new()),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            // Nothing is above the skill.
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let address = format!("{}/files/{}", skill_address(name), parts.join("/"));
    with_query(&address, &[("version", version)]) + &place
}

/// An address with parameters; empty ones are left out.
fn with_query(address: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters.iter().filter(|(_, value)| !value.is_empty()));
    match query.finish() {
        query if query.is_empty() => address.to_owned(),
        query => format!("{address}?{query}"),
    }
}

/// Who signed something, in a few letters. That a key fits says nothing of whose it is, so that its
/// id is shown and no word of praise.
fn signer_name(pin: &str) -> String {
    let key = pin.strip_prefix("key:");
    let key = key.and_then(|id| id.parse::<KeyId>().ok());
    key.map_or_else(|| pin.to_owned(), |id| format!("key {}", id.short()))
}

/// The day of a time.
fn day(time: &str) -> &str {
    time.get(..10).unwrap_or(time)
}

/// What every page has around it: who is logged in, and can log out.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    pub(crate) login: Option<Login>,
}

impl Frame {
    /// As a request, or the answer to it, says.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        Self {
            login: extensions.get::<Login>().cloned(),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Frame {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.extensions))
    }
}

/// What a card says.
pub(crate) struct Card {
    pub(crate) name: String,
    pub(crate) address: String,
    pub(crate) version: String,
    pub(crate) author: String,
    pub(crate) author_address: String,
    pub(crate) description: String,
    pub(crate) license: Option<String>,
    pub(crate) verdict: String,
    pub(crate) published: String,
    pub(crate) downloads: u64,
    pub(crate) deprecated: bool,
    /// The key that signed it, which says nothing of whose it is.
    pub(crate) signer: Option<String>,
    pub(crate) scripts: bool,
}

impl From<&SkillRow> for Card {
    fn from(skill: &SkillRow) -> Self {
        let latest = &skill.latest;
        Self {
            address: skill_address(&skill.name),
            name: skill.name.clone(),
            version: latest.version.to_string(),
            author_address: owner_address(&latest.publisher),
            author: latest.publisher.clone(),
            description: latest.facts.offer().into_owned(),
            license: latest.facts.license.clone(),
            verdict: latest.verdict.clone(),
            published: latest.published.clone(),
            downloads: skill.downloads,
            deprecated: skill.deprecated.is_some(),
            signer: latest.signer.as_deref().map(signer_name),
            scripts: latest.facts.has_scripts(),
        }
    }
}

/// Opens the archives of versions and makes something of the files that are wanted.
pub(crate) async fn opened<T: Send + 'static, const N: usize>(
    server: &Server,
    versions: [&VersionRow; N],
    wanted: impl Fn(&str) -> bool + Send + 'static,
    make: impl FnOnce([Vec<Unpacked>; N]) -> T + Send + 'static,
) -> Result<T, RegistryError> {
    let permit = Arc::clone(&server.opened).acquire_owned().await;
    let mut archives = Vec::with_capacity(N);
    for version in versions {
        archives.push(server.registry.blobs.read(version.digest).await?);
    }
    // Unpacking is work for milliseconds, not for the reactor.
    let work = tokio::task::spawn_blocking(move || {
        // Held until the work is done, even if the client disconnected.
        let _permit = permit.map_err(RegistryError::internal)?;
        let mut all: [Vec<Unpacked>; N] = std::array::from_fn(|_| Vec::new());
        for (files, archive) in all.iter_mut().zip(&archives) {
            *files = package::unpacked(archive, &wanted).map_err(RegistryError::internal)?;
        }
        Ok(make(all))
    });
    work.await.map_err(RegistryError::internal)?
}

const FILES: &[Asset] = &[
    STYLE,
    SEARCH,
    MARK,
    Asset::style("registry.css", include_str!("../assets/registry.css")),
    Asset::script("registry.js", include_str!("../assets/registry.js")),
];

/// Fetch a style sheet, a script or a picture of the pages
#[utoipa::path(get, path = "/assets/{file}", tag = "pages",
    params(("file" = String, Path, description = "its name")),
    responses((status = 200, description = "the file")))]
pub(crate) async fn asset(Segments(name): Segments<String>) -> Result<Response, RegistryError> {
    let file = FILES.iter().find(|file| file.name == name);
    let file = file.ok_or(RegistryError::NoRoute)?;
    // Short, because a new binary brings new files under the old names.
    let caching = "public, max-age=300, must-revalidate";
    let headers = [(CONTENT_TYPE, file.media_type), (CACHE_CONTROL, caching)];
    Ok((headers, file.text).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_between_files_lead_where_they_would_in_the_folder() {
        let check = |folder: &str, link: &str, expected: &str| {
            let address = file_address("@acme/pdf", "1.0.0", folder, link);
            assert_eq!(address, format!("/view/@acme/pdf/files/{expected}"));
        };
        check("", "references/a.md", "references/a.md?version=1.0.0");
        check(
            "references",
            "b.md#part",
            "references/b.md?version=1.0.0#part",
        );
        check("references", "../SKILL.md", "SKILL.md?version=1.0.0");
        check("", "../../../etc/passwd", "etc/passwd?version=1.0.0");
    }
}
