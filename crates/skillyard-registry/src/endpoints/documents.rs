//! Documents over all skills: for discovery, and for the clients of others.
//!
//! They grow with the registry. Short ones are kept until something changes; a long one is read
//! from the database piece by piece, as fast as the client takes it, and never held whole.

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt as _, TryStreamExt as _};
use serde::Serialize;

use super::{json_response, marketplace, well_known};
use crate::database::Database;
use crate::documents::{CachedDocument, Document, DocumentKind};
use crate::error::RegistryError;
use crate::extract::PublicUrl;
use crate::server::Server;
use crate::server::base_path;
use crate::store::listing;
use crate::store::skills::SkillRow;

/// Documents up to this length are kept.
const MAX_CACHED_DOCUMENT: usize = 1024 * 1024;

/// What every list ends with; see [`opening`].
const END: &str = "]}";

impl Document {
    /// The document in pieces; `url` is where the registry is reached.
    pub(crate) fn pieces(
        self,
        database: Database,
        url: String,
    ) -> impl Stream<Item = Result<Bytes, RegistryError>> + Send + 'static {
        let beginning = self.opening(&url);
        let beginning = stream::once(async move { beginning.map(Bytes::from) });
        // The last name of the piece before; `None` at the end.
        let parts = stream::try_unfold(Some(String::new()), move |after| {
            let (document, database, url) = (self.clone(), database.clone(), url.clone());
            async move {
                let Some(after) = after else {
                    return Ok(None);
                };
                let namespace = document.namespace.as_deref();
                let skills = listing::offered_after(&database, namespace, &after).await?;
                let Some(last) = skills.last() else {
                    return Ok(Some((Bytes::from_static(END.as_bytes()), None)));
                };
                let mut text = String::new();
                for skill in &skills {
                    if !(text.is_empty() && after.is_empty()) {
                        text.push(',');
                    }
                    text.push_str(&document.entry(skill, &url)?);
                }
                Ok(Some((Bytes::from(text), Some(last.name.clone()))))
            }
        });
        beginning.chain(parts)
    }

    /// The whole document over skills that were chosen elsewhere.
    pub(crate) fn whole(&self, url: &str, entries: &[String]) -> Result<String, RegistryError> {
        Ok(format!("{}{}{END}", self.opening(url)?, entries.join(",")))
    }

    fn opening(&self, url: &str) -> Result<String, RegistryError> {
        match self.kind {
            DocumentKind::Archives => opening(&well_known::archive_index()),
            DocumentKind::Files => opening(&well_known::file_index()),
            DocumentKind::Marketplace => {
                opening(&marketplace::marketplace_of(url, self.namespace.as_deref()))
            }
        }
    }

    /// What it says of one skill.
    pub(crate) fn entry(&self, skill: &SkillRow, url: &str) -> Result<String, RegistryError> {
        match self.kind {
            DocumentKind::Archives => written(&well_known::archive_entry(skill, &base_path(url))),
            DocumentKind::Files => written(&well_known::file_entry(skill)),
            DocumentKind::Marketplace => written(&marketplace::plugin(skill, url)),
        }
    }
}

/// A document whose list is still empty and stands at its end, up to where the list goes on.
fn opening(document: &impl Serialize) -> Result<String, RegistryError> {
    let mut text = written(document)?;
    let length = text.strip_suffix(END).map(str::len);
    text.truncate(length.ok_or_else(|| RegistryError::internal("a list does not come last"))?);
    Ok(text)
}

fn written(value: &impl Serialize) -> Result<String, RegistryError> {
    serde_json::to_string(value).map_err(RegistryError::internal)
}

impl Server {
    /// Answers with a document.
    pub(crate) async fn document(
        &self,
        document: Document,
        PublicUrl(url): PublicUrl,
    ) -> Result<Response, RegistryError> {
        let database = &self.registry.database;
        // Before the skills: a change in between makes another document, with another tag.
        let sequence = self.registry.change_sequence.current(database).await?;
        let tag = format!("\"{}-{sequence}\"", env!("CARGO_PKG_VERSION"));
        let kept = CachedDocument {
            document: document.clone(),
            url: url.clone(),
        };
        if let Some(bytes) = self.documents.get(sequence, &kept) {
            return Ok(json_response(bytes.into_response(), &tag));
        }
        let mut pieces = Box::pin(document.pieces(database.clone(), url));
        let mut text = Vec::new();
        while text.len() <= MAX_CACHED_DOCUMENT {
            let Some(piece) = pieces.try_next().await? else {
                let bytes = Bytes::from(text);
                let length = bytes.len() + size_of::<CachedDocument>() + kept.url.len();
                self.documents.put(sequence, kept, bytes.clone(), length);
                return Ok(json_response(bytes.into_response(), &tag));
            };
            text.extend_from_slice(&piece);
        }
        let read = stream::once(async move { Ok(Bytes::from(text)) });
        let body = Body::from_stream(read.chain(pieces));
        Ok(json_response(body.into_response(), &tag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blobs::Blobs;
    use crate::registry::Registry;
    use crate::server::Settings;
    use axum::http::header;
    use std::sync::Arc;

    /// A registry with so many skills, whose descriptions are as long.
    async fn server(folder: &std::path::Path, count: usize, length: usize) -> Server {
        let address = format!("sqlite:{}", folder.join("registry.db").display());
        let database = Database::open(&address).await.unwrap();
        let (mut change, _) = database.change().await.unwrap();
        let facts = serde_json::json!({ "description": "x".repeat(length) }).to_string();
        let digest = format!("sha256:{}", "0".repeat(64));
        for number in 0..count {
            let name = format!("skill-{number:05}");
            sqlx::query(
                "INSERT INTO skills (name, folded, created, changed, latest) VALUES ($1, $1, '', 1, '1.0.0')",
            )
            .bind(&name)
            .execute(&mut *change)
            .await
            .unwrap();
            sqlx::query(
                "INSERT INTO versions (skill, version, sequence, digest, tree, size, published, publisher, verdict, \
                 facts) VALUES ($1, '1.0.0', $2, $3, $3, 1, '', 'ada', 'clean', $4)",
            )
            .bind(&name)
            .bind(i64::try_from(number).unwrap())
            .bind(&digest)
            .bind(&facts)
            .execute(&mut *change)
            .await
            .unwrap();
        }
        change.commit().await.unwrap();
        let blobs = Blobs::in_folder(folder).unwrap();
        let clock = Arc::new(jiff::Timestamp::now);
        let registry = Registry::new(database, blobs, None, clock);
        Server::new(registry, Settings::new("http://registry.test"))
    }

    async fn check(count: usize, length: usize, kept: bool) {
        let folder = tempfile::tempdir().unwrap();
        let server = server(folder.path(), count, length).await;
        for kind in [
            DocumentKind::Archives,
            DocumentKind::Files,
            DocumentKind::Marketplace,
        ] {
            let url = "http://registry.test".to_owned();
            let kept_as = CachedDocument {
                document: kind.of(None),
                url: url.clone(),
            };
            let response = server
                .document(kind.of(None), PublicUrl(url))
                .await
                .unwrap();
            assert!(response.headers().contains_key(header::ETAG));
            let body = axum::body::to_bytes(response.into_body(), usize::MAX);
            let document: serde_json::Value = serde_json::from_slice(&body.await.unwrap()).unwrap();
            let list = document.get("skills").or(document.get("plugins")).unwrap();
            let list = list.as_array().unwrap().iter();
            let names = list.map(|each| each["name"].as_str().unwrap().to_owned());
            let expected = (0..count).map(|number| format!("skill-{number:05}"));
            assert!(names.eq(expected), "{kind:?} of {count}");
            assert_eq!(server.documents.get(1, &kept_as).is_some(), kept);
        }
    }

    #[tokio::test]
    async fn documents_have_every_skill_once_and_only_short_ones_are_kept() {
        check(0, 1, true).await;
        check(1, 1, true).await;
        check(1_300, 1, true).await;
        check(1_300, 1_500, false).await;
    }
}
