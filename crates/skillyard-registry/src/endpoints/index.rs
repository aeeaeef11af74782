//! `GET /index/…`: one small file per skill, a line per version, for clients and caches.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use skillyard_format::{Digest, QualifiedName, SkillName};

use super::namespaced;
use crate::database::{Database, DatabaseError};
use crate::error::RegistryError;
use crate::segments::Segments;
use crate::server::Server;
use crate::store::tags;
use crate::store::versions::{self, VersionRow};

/// One line of the index.
#[derive(Debug, Serialize)]
pub(crate) struct Line<'a> {
    name: &'a str,
    version: String,
    digest: Digest,
    tree: Digest,
    size: u64,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    requires: &'a [String],
    yanked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    yank_reason: Option<&'a str>,
    published: &'a str,
    publisher: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<&'a str>,
    verdict: &'a str,
    /// The tags that stand for this version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dist_tags: Vec<&'a str>,
}

impl<'a> Line<'a> {
    fn new(name: &'a str, row: &'a VersionRow, tags: &'a [(String, String)]) -> Self {
        let version = row.version.to_string();
        let own = tags.iter().filter(|(_, of)| *of == version);
        Self {
            name,
            dist_tags: own.map(|(tag, _)| tag.as_str()).collect(),
            version,
            digest: row.digest,
            tree: row.tree,
            size: row.size,
            requires: &row.facts.requires,
            yanked: row.yanked.is_some(),
            yank_reason: row.yanked.as_deref(),
            published: &row.published,
            publisher: &row.publisher,
            signer: row.signer.as_deref(),
            verdict: &row.verdict,
        }
    }
}

pub(crate) async fn index(
    State(server): State<Server>,
    Segments(path): Segments<String>,
    headers: HeaderMap,
) -> Result<Response, RegistryError> {
    let name = at(&path)?;
    let text = file(&server.registry.database, name.as_str()).await?;
    let text = text.ok_or_else(|| RegistryError::NoSkill(name.to_string()))?;
    let tag = format!("\"{}\"", Digest::of(text.as_bytes()).to_hex());
    let is_known = headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|each| each.trim().trim_start_matches("W/") == tag || each.trim() == "*");
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        text.into_response()
    };
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/x-ndjson"),
    );
    // Short, because a yank must reach everybody soon; asking again costs a line.
    let caching = HeaderValue::from_static("public, max-age=0, must-revalidate");
    headers.insert(header::CACHE_CONTROL, caching);
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(header::ETAG, tag);
    }
    Ok(response)
}

/// The file of a skill: a line for each of its versions; none when there is no such skill.
pub(crate) async fn file(database: &Database, name: &str) -> Result<Option<String>, DatabaseError> {
    let rows = versions::of(database, name).await?;
    let tags = tags::of(database, name).await?;
    let mut text = String::new();
    for row in &rows {
        // Text and numbers can always be written.
        text.push_str(&serde_json::json!(Line::new(name, row, &tags)).to_string());
        text.push('\n');
    }
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// The skill whose file is at a path below `/index/`.
fn at(path: &str) -> Result<QualifiedName, RegistryError> {
    let missing = || RegistryError::NoSkill(path.chars().take(104).collect());
    let (first, rest) = path.split_once('/').unwrap_or(("", path));
    let name = rest.rsplit('/').next().unwrap_or_default();
    let name = SkillName::new(name).map_err(|_| missing())?;
    let namespace = match first.strip_prefix('@') {
        Some(namespace) => Some(namespaced(namespace)?),
        None => None,
    };
    let name = QualifiedName::new(namespace, name);
    if name.index_path().join("/") == path {
        Ok(name)
    } else {
        Err(missing())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_own_path_leads_to_a_file() {
        for name in ["a", "ab", "pdf", "pdf-tools", "@acme/a", "@acme/pdf-tools"] {
            let name: QualifiedName = name.parse().unwrap();
            assert_eq!(at(&name.index_path().join("/")).unwrap(), name);
        }
        for path in [
            "",
            "pdf",
            "3/x/pdf",
            "pd/fs/pdf",
            "@acme/pdf",
            "@/3/p/pdf",
            "@a/../3/p/pdf",
        ] {
            assert!(at(path).is_err(), "{path}");
        }
    }
}
