//! `GET /api/skills` as `RemcoChat` has it: what was found, what collides, what is invalid.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::input::Caller;
use super::openapi::Forbidden;
use crate::problem::Problem;
use crate::server::Server;
use crate::web::elsewhere;

/// Everything discovery found.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Discovery {
    /// Whether skills are on.
    enabled: bool,
    /// The skills that can be used.
    skills: Vec<Discovered>,
    /// Names that were taken already.
    collisions: Vec<Collision>,
    /// Files that hold no skill.
    invalid: Vec<Invalid>,
}

/// A skill.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Discovered {
    name: String,
    description: String,
    path: Option<String>,
}

/// Two skills of one name.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Collision {
    name: String,
    winner: Option<String>,
    loser: Option<String>,
}

/// A file that holds no skill.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Invalid {
    path: Option<String>,
    reason: String,
}

/// List what discovery found
#[utoipa::path(get, path = "/api/skills", tag = "remcochat",
    responses((status = 200, body = Discovery),
        Forbidden))]
pub(super) async fn list(State(server): State<Arc<Server>>, caller: Caller) -> Json<Discovery> {
    Json(discovery(&server, &caller))
}

/// Look again, then list what discovery found
#[utoipa::path(post, path = "/api/skills/reload", tag = "remcochat",
    responses((status = 200, body = Discovery),
        Forbidden))]
pub(super) async fn reload(
    State(server): State<Arc<Server>>,
    caller: Caller,
) -> Result<Json<Discovery>, Problem> {
    let done = elsewhere(move || {
        server.reload()?;
        Ok::<_, Problem>(Json(discovery(&server, &caller)))
    });
    done.await?
}

fn discovery(server: &Server, caller: &Caller) -> Discovery {
    let snapshot = server.catalog.snapshot();
    let viewer = caller.viewer(server);
    let catalog = &snapshot.catalog;
    Discovery {
        enabled: server.host.offers_skills(),
        skills: catalog
            .enabled()
            .map(|skill| Discovered {
                name: skill.record.name.clone(),
                description: skill.record.description.clone(),
                path: viewer.path(&skill.record.folder),
            })
            .collect(),
        collisions: catalog
            .shadowed
            .iter()
            .map(|loser| Collision {
                name: loser.skill.record.name.clone(),
                winner: viewer.path(&loser.winner),
                loser: viewer.path(&loser.skill.record.folder),
            })
            .collect(),
        invalid: catalog
            .skipped
            .iter()
            .map(|skipped| Invalid {
                path: viewer.path(&skipped.path),
                reason: skipped.reason.clone(),
            })
            .collect(),
    }
}
