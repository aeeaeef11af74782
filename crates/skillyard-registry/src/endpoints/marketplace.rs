//! `GET /.claude-plugin/marketplace.json`: every skill as a plugin, for Claude Code.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::error::RegistryError;
use crate::server::Server;

pub(crate) async fn marketplace(
    State(server): State<Server>,
) -> Result<Json<Value>, RegistryError> {
    let picture = server
        .registry
        .search
        .picture(&server.registry.database)
        .await?;
    let offered = picture
        .skills()
        .iter()
        .filter(|skill| skill.latest.yanked.is_none());
    let plugins: Vec<Value> = offered
        .map(|skill| {
            let latest = &skill.latest;
            let address = format!(
                "{}/skills/{}/{}",
                server.settings.url, skill.name, latest.version
            );
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
        })
        .collect();
    Ok(Json(json!({
        "name": "skillyard",
        "owner": { "name": server.settings.url },
        "metadata": { "description": "The skills of this registry" },
        "plugins": plugins,
    })))
}
