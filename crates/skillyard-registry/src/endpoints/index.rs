//! `GET /index/…`: one small file per skill, a line per version, for clients and caches.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use skillyard_format::{Digest, QualifiedName, SkillName};
use utoipa::ToSchema;

use super::namespaced;
use crate::error::RegistryError;
use crate::segments::Segments;
use crate::server::Server;
use crate::store::skills::Standing;
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
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    yank_reason: Option<&'a str>,
    /// When it was published.
    published: &'a str,
    /// By whom.
    publisher: &'a str,
    /// Who signed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<&'a str>,
    /// The worst that the scanner found.
    verdict: &'a str,
    /// The tags that stand for this version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    dist_tags: Vec<&'a str>,
    /// What to use instead of the skill, if it is deprecated.
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecated: Option<&'a str>,
}

impl<'a> Line<'a> {
    fn new(
        name: &'a str,
        row: &'a VersionRow,
        tags: &'a [(String, String)],
        standing: &'a Standing,
    ) -> Self {
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
            deprecated: standing.deprecated.as_deref(),
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
    let name = at(&path)?;
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

/// The file of a skill: a line for each of these versions.
pub(crate) fn text(
    name: &str,
    rows: &[VersionRow],
    tags: &[(String, String)],
    standing: &Standing,
) -> String {
    let mut text = String::new();
    for row in rows {
        // Text and numbers can always be written.
        text.push_str(&serde_json::json!(Line::new(name, row, tags, standing)).to_string());
        text.push('\n');
    }
    text
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
