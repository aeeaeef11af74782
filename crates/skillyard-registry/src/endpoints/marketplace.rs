//! `GET /.claude-plugin/marketplace.json`: every skill as a plugin, for Claude Code.

use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use serde::Serialize;
use serde_json::json;
use skillyard_format::Digest;
use utoipa::ToSchema;

use super::json_response;
use super::well_known::prefixed;
use crate::error::RegistryError;
use crate::search::{DocumentKind, Picture};
use crate::segments::Segments;
use crate::server::Server;
use crate::store::skills::SkillRow;

/// A marketplace, as Claude Code reads it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Marketplace<'a> {
    /// What users call it: `plugin@skillyard`.
    name: String,
    /// Whose it is.
    owner: Person<'a>,
    /// What is said about it.
    metadata: MarketplaceFacts,
    /// One plugin for each skill.
    #[schema(value_type = Vec<Plugin>)]
    plugins: Vec<serde_json::Value>,
}

/// Somebody.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Person<'a> {
    /// Their name.
    name: &'a str,
}

/// What is said about a marketplace.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MarketplaceFacts {
    /// What it has.
    description: &'static str,
}

/// A skill as a plugin.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Plugin<'a> {
    /// The skill's name.
    name: &'a str,
    /// What it does and when to use it.
    description: &'a str,
    /// The latest version.
    version: String,
    /// Who published it.
    author: Person<'a>,
    /// Its licence.
    #[serde(skip_serializing_if = "Option::is_none")]
    license: Option<&'a str>,
    /// Its tags.
    keywords: &'a [String],
    /// Where its bytes are.
    source: PluginSource,
    /// No `plugin.json` is needed: this entry stands for it.
    strict: bool,
    /// The skill is the root of the archive.
    skills: [&'static str; 1],
}

/// Where the bytes of a plugin are.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PluginSource {
    /// `archive`.
    source: &'static str,
    /// Where the archive is: a ZIP, because Claude Code reads no other.
    url: String,
    /// Its SHA-256, in hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

/// List every skill as a plugin of a marketplace, for Claude Code
#[utoipa::path(get, path = "/.claude-plugin/marketplace.json", tag = "discovery",
    responses((status = 200, body = Marketplace)))]
pub(crate) async fn marketplace(State(server): State<Server>) -> Result<Response, RegistryError> {
    let picture = server.registry.picture().await?;
    let url = &server.settings.url;
    let document = document(&picture, url, None);
    Ok(json_response(document, &picture.tag()))
}

/// The same for the skills of a namespace
#[utoipa::path(get, path = "/{namespace}/.claude-plugin/marketplace.json", tag = "discovery",
    params(("namespace" = String, Path, description = "the namespace, with its `@`")),
    responses((status = 200, body = Marketplace)))]
pub(crate) async fn marketplace_in(
    State(server): State<Server>,
    Segments(namespace): Segments<String>,
) -> Result<Response, RegistryError> {
    let namespace = prefixed(&namespace)?;
    let picture = server.registry.picture().await?;
    let (url, namespace) = (&server.settings.url, Some(namespace.as_str()));
    let document = document(&picture, url, namespace);
    Ok(json_response(document, &picture.tag()))
}

/// The plugins with bare names, or those in a namespace.
pub(crate) fn document(picture: &Picture, url: &str, namespace: Option<&str>) -> Bytes {
    let entry = |skill: &SkillRow| {
        let latest = &skill.latest;
        let address = format!("{url}/skills/{}/{}", skill.name, latest.version);
        json!(Plugin {
            name: skill.own_name(),
            description: &latest.facts.description,
            version: latest.version.to_string(),
            author: Person {
                name: &latest.publisher,
            },
            license: latest.facts.license.as_deref(),
            keywords: &latest.facts.tags,
            source: PluginSource {
                source: "archive",
                url: format!("{address}/archive.zip"),
                sha256: latest.facts.zip.map(Digest::to_hex),
            },
            strict: false,
            skills: ["./"],
        })
    };
    let frame = |plugins| {
        json!(Marketplace {
            name: namespace.map_or_else(
                || "skillyard".to_owned(),
                |each| format!("skillyard-{each}")
            ),
            owner: Person { name: url },
            metadata: MarketplaceFacts {
                description: "The skills of this registry",
            },
            plugins,
        })
    };
    picture.document(DocumentKind::Marketplace, namespace, entry, frame)
}
