//! `GET /.claude-plugin/marketplace.json`: every skill as a plugin, for Claude Code.

use axum::extract::State;
use axum::response::Response;
use serde_json::json;

use super::json_response;
use crate::error::RegistryError;
use crate::search::DocumentKind;
use crate::server::Server;
use crate::store::skills::SkillRow;

pub(crate) async fn marketplace(State(server): State<Server>) -> Result<Response, RegistryError> {
    let url = &server.settings.url;
    let entry = |skill: &SkillRow| {
        let latest = &skill.latest;
        let address = format!("{url}/skills/{}/{}", skill.name, latest.version);
        json!({
            "name": skill.name,
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
            "name": "skillyard",
            "owner": { "name": url },
            "metadata": { "description": "The skills of this registry" },
            "plugins": plugins,
        })
    };
    let picture = server
        .registry
        .search
        .picture(&server.registry.database)
        .await?;
    Ok(json_response(picture.document(
        DocumentKind::Marketplace,
        entry,
        frame,
    )))
}
