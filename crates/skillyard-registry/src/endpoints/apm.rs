//! The registry interface of apm, version 1: `{owner}/{name}` is `@owner/name`, or a bare name that
//! the owner owns.

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use skillyard_format::{Namespace, QualifiedName};

use super::download::{FOR_GOOD, send};
use super::publish::upload;
use super::{named, numbered};
use crate::auth::Caller;
use crate::error::RegistryError;
use crate::peer::Peer;
use crate::registry::{Destination, Published};
use crate::search::Question;
use crate::segments::Segments;
use crate::server::Server;
use crate::store::{namespaces, owners, skills, versions as rows};

pub(crate) async fn versions(
    State(server): State<Server>,
    Segments((owner, name)): Segments<(String, String)>,
) -> Result<Json<Value>, RegistryError> {
    let name = owned(&server, &owner, &name).await?;
    let all = rows::of(&server.registry.database, name.as_str()).await?;
    let versions: Vec<Value> = all
        .iter()
        .rev()
        .filter(|each| each.yanked.is_none())
        .map(|each| {
            json!({
                "version": each.version,
                "digest": each.digest,
                "published_at": each.published,
                "size_bytes": each.size,
            })
        })
        .collect();
    Ok(Json(
        json!({ "package": format!("{owner}/{}", name.name()), "versions": versions }),
    ))
}

pub(crate) async fn download(
    State(server): State<Server>,
    Segments((owner, name, version)): Segments<(String, String, String)>,
    peer: Peer,
) -> Result<Response, RegistryError> {
    let name = owned(&server, &owner, &name).await?;
    let version = numbered(&name, &version)?;
    send(&server, &name, Some(&version), peer, FOR_GOOD).await
}

pub(crate) async fn publish(
    State(server): State<Server>,
    Caller(identity): Caller,
    Segments((owner, name, version)): Segments<(String, String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, RegistryError> {
    let name = named(&name)?;
    let version = numbered(&name, &version)?;
    let namespace = namespace_of(&server, &owner).await?;
    if namespace.is_none() && owner != identity.account {
        return Err(RegistryError::NotOwner {
            account: identity.account,
            skill: name.to_string(),
        });
    }
    let name = QualifiedName::new(namespace.clone(), name.name().clone());
    // Held until the upload is done with; the semaphore is never closed.
    let _permit = server.uploads.acquire().await;
    let upload = upload(&server, &headers, body).await?;
    let destination = Destination {
        namespace,
        tag: None,
        expected: Some((name.name().clone(), version.clone())),
    };
    let published = server.registry.publish(&identity, upload, destination);
    let package = match published.await? {
        Published::New(package) => package,
        // Here the same bytes again are a conflict, too.
        Published::Same(package) => {
            return Err(RegistryError::Immutable {
                skill: name.to_string(),
                version: version.to_string(),
                published: package.digest,
            });
        }
    };
    let row = server.registry.version(&name, Some(&version)).await?;
    let answer = json!({
        "package": format!("{owner}/{}", name.name()),
        "version": version,
        "digest": package.digest,
        "published_at": row.published,
        "size_bytes": row.size,
    });
    Ok((StatusCode::CREATED, Json(answer)).into_response())
}

#[derive(Debug, Deserialize)]
pub(crate) struct Parameters {
    q: String,
    limit: Option<usize>,
    offset: Option<usize>,
    r#type: Option<String>,
    tag: Option<String>,
}

pub(crate) async fn search(
    State(server): State<Server>,
    parameters: Result<Query<Parameters>, QueryRejection>,
) -> Result<Json<Value>, RegistryError> {
    let wrong = |_| RegistryError::Parameter("`q` is needed, and numbers are numbers".to_owned());
    let parameters = parameters.map_err(wrong)?.0;
    let only_skills = parameters
        .r#type
        .as_deref()
        .is_none_or(|kind| kind == "skill");
    let question = Question {
        words: parameters.q.chars().take(400).collect(),
        tag: parameters.tag,
        offset: parameters.offset.unwrap_or(0),
        limit: if only_skills {
            parameters.limit.unwrap_or(50).min(100)
        } else {
            0
        },
        ..Question::default()
    };
    let picture = server.registry.picture().await?;
    let (found, total) = picture.ask(&question);
    let results: Vec<Value> = found
        .iter()
        .map(|skill| {
            json!({
                "id": match skill.namespace() {
                    Some(namespace) => format!("{namespace}/{}", skill.own_name()),
                    None => format!("{}/{}", skill.latest.publisher, skill.name),
                },
                "latest_version": skill.latest.version,
                "description": skill.latest.facts.description,
                "author": skill.latest.publisher,
                "tags": skill.latest.facts.tags,
                "type": "skill",
            })
        })
        .collect();
    let total = if only_skills { total } else { 0 };
    Ok(Json(
        json!({ "query": parameters.q, "total": total, "results": results }),
    ))
}

/// The namespace of an owner, if there is one.
async fn namespace_of(server: &Server, owner: &str) -> Result<Option<Namespace>, RegistryError> {
    let Ok(namespace) = Namespace::new(owner) else {
        return Ok(None);
    };
    let members = namespaces::members(&server.registry.database, &namespace).await?;
    Ok(Some(namespace).filter(|_| !members.is_empty()))
}

async fn owned(server: &Server, owner: &str, name: &str) -> Result<QualifiedName, RegistryError> {
    let name = named(name)?;
    let database = &server.registry.database;
    if let Some(namespace) = namespace_of(server, owner).await? {
        let inside = QualifiedName::new(Some(namespace), name.name().clone());
        if skills::one(database, inside.as_str()).await?.is_some() {
            return Ok(inside);
        }
    }
    let owners = owners::of(database, name.as_str()).await?;
    if owners.iter().any(|each| each == owner) {
        return Ok(name);
    }
    Err(RegistryError::NoSkill(format!(
        "{}/{name}",
        owner.chars().take(64).collect::<String>()
    )))
}
