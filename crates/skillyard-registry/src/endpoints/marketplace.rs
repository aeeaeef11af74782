//! `GET /.claude-plugin/marketplace.json`: every skill as a plugin, for Claude Code.

use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use serde_json::json;

use super::json_response;
use super::well_known::prefixed;
use crate::error::RegistryError;
use crate::search::{DocumentKind, Picture};
use crate::segments::Segments;
use crate::server::Server;
use crate::store::skills::SkillRow;

pub(crate) async fn marketplace(State(server): State<Server>) -> Result<Response, RegistryError> {
    let picture = server.registry.picture().await?;
    let url = &server.settings.url;
    Ok(json_response(document(&picture, url, None)))
}

pub(crate) async fn marketplace_in(
    State(server): State<Server>,
    Segments(namespace): Segments<String>,
) -> Result<Response, RegistryError> {
    let namespace = prefixed(&namespace)?;
    let picture = server.registry.picture().await?;
    let (url, namespace) = (&server.settings.url, Some(namespace.as_str()));
    Ok(json_response(document(&picture, url, namespace)))
}

/// The plugins with bare names, or those in a namespace.
pub(crate) fn document(picture: &Picture, url: &str, namespace: Option<&str>) -> Bytes {
    let entry = |skill: &SkillRow| {
        let latest = &skill.latest;
        let address = format!("{url}/skills/{}/{}", skill.name, latest.version);
        json!({
            "name": skill.own_name(),
            "description": latest.facts.description,
            "version": latest.version,
            "author": { "name": latest.publisher },
            "license": latest.facts.license,
            "keywords": latest.facts.tags,
            "source": {
                "source": "archive",
                "url": format!("{address}/archive.tar.gz"),
                "sha256": latest.digest.to_hex(),
            },
            // There is no `plugin.json` in a skill; this entry stands for it.
            "strict": false,
            "skills": ["./"],
        })
    };
    let frame = |plugins| {
        json!({
            "name": namespace.map_or_else(|| "skillyard".to_owned(), |each| format!("skillyard-{each}")),
            "owner": { "name": url },
            "metadata": { "description": "The skills of this registry" },
            "plugins": plugins,
        })
    };
    picture.document(DocumentKind::Marketplace, namespace, entry, frame)
}
