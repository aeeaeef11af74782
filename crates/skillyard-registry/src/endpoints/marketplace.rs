//! `GET /.claude-plugin/marketplace.json`: every skill as a plugin, for Claude Code.

use axum::extract::State;
use axum::response::Response;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::json_response;
use crate::error::RegistryError;
use crate::search::DocumentKind;
use crate::server::Server;
use crate::store::skills::SkillRow;

/// A marketplace, as Claude Code reads it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Marketplace<'a> {
    /// What users call it: `plugin@skillyard`.
    name: &'static str,
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
    /// Where the archive is.
    url: String,
    /// Its SHA-256, in hex.
    sha256: String,
}

/// List every skill as a plugin of a marketplace, for Claude Code
#[utoipa::path(get, path = "/.claude-plugin/marketplace.json", tag = "discovery",
    responses((status = 200, body = Marketplace)))]
pub(crate) async fn marketplace(State(server): State<Server>) -> Result<Response, RegistryError> {
    let url = &server.settings.url;
    let entry = |skill: &SkillRow| {
        let latest = &skill.latest;
        let address = format!("{url}/skills/{}/{}", skill.name, latest.version);
        json!(Plugin {
            name: &skill.name,
            description: &latest.facts.description,
            version: latest.version.to_string(),
            author: Person {
                name: &latest.publisher,
            },
            license: latest.facts.license.as_deref(),
            keywords: &latest.facts.tags,
            source: PluginSource {
                source: "archive",
                url: format!("{address}/archive.tar.gz"),
                sha256: latest.digest.to_hex(),
            },
            strict: false,
            skills: ["./"],
        })
    };
    let frame = |plugins| {
        json!(Marketplace {
            name: "skillyard",
            owner: Person { name: url },
            metadata: MarketplaceFacts {
                description: "The skills of this registry",
            },
            plugins,
        })
    };
    let picture = server
        .registry
        .search
        .picture(&server.registry.database)
        .await?;
    let document = picture.document(DocumentKind::Marketplace, entry, frame);
    Ok(json_response(document, &picture.tag()))
}
