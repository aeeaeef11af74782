//! `GET /index/…`: one small file per skill, a line per version, for clients and caches.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use skillyard_format::{Digest, SkillName};
use utoipa::ToSchema;

use super::named;
use crate::error::RegistryError;
use crate::segments::Segments;
use crate::server::Server;
use crate::store::versions::VersionRow;

/// One line of the index.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Line<'a> {
    /// The skill.
    name: &'a str,
    /// The version.
    version: String,
    /// The digest of its archive.
    #[schema(value_type = String)]
    digest: Digest,
    /// The digest over its files.
    #[schema(value_type = String)]
    tree: Digest,
    /// The length of its archive.
    size: u64,
    /// The commands that it needs.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    #[schema(required = false)]
    requires: &'a [String],
    /// Whether it was withdrawn.
    yanked: bool,
    /// When it was published.
    published: &'a str,
    /// Who signed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<&'a str>,
    /// The worst that the scanner found.
    verdict: &'a str,
}

impl<'a> Line<'a> {
    fn new(name: &'a SkillName, row: &'a VersionRow) -> Self {
        Self {
            name: name.as_str(),
            version: row.version.to_string(),
            digest: row.digest,
            tree: row.tree,
            size: row.size,
            requires: &row.facts.requires,
            yanked: row.yanked.is_some(),
            published: &row.published,
            signer: row.signer.as_deref(),
            verdict: &row.verdict,
        }
    }
}

/// Read the index of one skill: a line of JSON per version
#[utoipa::path(get, path = "/index/{path}", tag = "index",
    params(("path" = String, Path, description = "where the skill is, as `pd/f-/pdf-tools`")),
    responses((status = 200, body = Line, content_type = "application/x-ndjson")))]
pub(crate) async fn index(
    State(server): State<Server>,
    Segments(path): Segments<String>,
) -> Result<Response, RegistryError> {
    let name = named(path.rsplit('/').next().unwrap_or_default())?;
    if path != address(&name) {
        return Err(RegistryError::NoSkill(name.to_string()));
    }
    let sheet = server.sheet(&name).await?;
    let mut response = sheet.text.clone().into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/x-ndjson"),
    );
    // Short, because a yank must reach everybody soon; asking again costs a line.
    let caching = HeaderValue::from_static("public, max-age=0, must-revalidate");
    headers.insert(header::CACHE_CONTROL, caching);
    headers.insert(header::ETAG, sheet.tag.clone());
    Ok(response)
}

/// The file of a skill with these versions.
pub(crate) fn file(name: &SkillName, rows: &[VersionRow]) -> Result<String, RegistryError> {
    let mut text = String::new();
    for row in rows {
        let line = serde_json::to_string(&Line::new(name, row));
        text.push_str(&line.map_err(RegistryError::internal)?);
        text.push('\n');
    }
    Ok(text)
}

/// Where a skill is below `/index/`; the folders keep each other small.
fn address(name: &SkillName) -> String {
    let letters: Vec<char> = name.as_str().chars().collect();
    let part = |range: &[char]| range.iter().collect::<String>();
    match letters.as_slice() {
        [_] => format!("1/{name}"),
        [_, _] => format!("2/{name}"),
        [first, _, _] => format!("3/{first}/{name}"),
        all => format!("{}/{}/{name}", part(&all[..2]), part(&all[2..4])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_those_that_clients_ask_for() {
        let check = |name: &str, expected: &str| {
            assert_eq!(address(&SkillName::new(name).unwrap()), expected);
        };
        check("a", "1/a");
        check("ab", "2/ab");
        check("pdf", "3/p/pdf");
        check("pdfs", "pd/fs/pdfs");
        check("pdf-tools", "pd/f-/pdf-tools");
        check("мой-навык", "мо/й-/мой-навык");
    }
}
