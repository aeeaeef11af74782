//! `GET /.claude-plugin/marketplace.json`: every skill as a plugin, for Claude Code.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use skillyard_format::Digest;
use utoipa::ToSchema;

use super::well_known::prefixed;
use crate::documents::DocumentKind;
use crate::error::RegistryError;
use crate::extract::PublicUrl;
use crate::extract::Segments;
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
    /// One plugin for each skill, the last field of all.
    plugins: Vec<Plugin<'a>>,
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
pub(crate) async fn marketplace(
    State(server): State<Server>,
    reached: PublicUrl,
) -> Result<Response, RegistryError> {
    server
        .document(DocumentKind::Marketplace.of(None), reached)
        .await
}

/// The same for the skills of a namespace
#[utoipa::path(get, path = "/{namespace}/.claude-plugin/marketplace.json", tag = "discovery",
    params(("namespace" = String, Path, description = "the namespace, with its `@`")),
    responses((status = 200, body = Marketplace)))]
pub(crate) async fn marketplace_in(
    State(server): State<Server>,
    reached: PublicUrl,
    Segments(namespace): Segments<String>,
) -> Result<Response, RegistryError> {
    let namespace = prefixed(&namespace)?;
    server
        .document(DocumentKind::Marketplace.of(Some(&namespace)), reached)
        .await
}

/// A marketplace of the plugins with bare names, or of those in a namespace, without any yet.
pub(crate) fn marketplace_of<'a>(url: &'a str, namespace: Option<&str>) -> Marketplace<'a> {
    Marketplace {
        name: namespace.map_or_else(
            || "skillyard".to_owned(),
            |each| format!("skillyard-{each}"),
        ),
        owner: Person { name: url },
        metadata: MarketplaceFacts {
            description: "The skills of this registry",
        },
        plugins: Vec::new(),
    }
}

/// A skill as a plugin, of a registry that is reached at `url`.
pub(crate) fn plugin<'a>(skill: &'a SkillRow, url: &str) -> Plugin<'a> {
    let latest = &skill.latest;
    Plugin {
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
            url: format!("{url}/skills/{}/{}/archive.zip", skill.name, latest.version),
            sha256: latest.facts.zip.map(Digest::to_hex),
        },
        strict: false,
        skills: ["./"],
    }
}
