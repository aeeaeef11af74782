//! The registry interface of apm, version 1: `{owner}/{name}` is `@owner/name`, or a bare name that
//! the owner owns.

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use skillyard_format::{Digest, Namespace, QualifiedName};
use utoipa::{IntoParams, ToSchema};

use super::download::{FOR_GOOD, send};
use super::publish::published;
use super::{named, numbered};
use crate::error::RegistryError;
use crate::extract::Caller;
use crate::extract::Peer;
use crate::extract::Segments;
use crate::problem::Problem;
use crate::publishing::{Destination, Published};
use crate::search::SearchQuery;
use crate::server::Server;
use crate::store::versions::{self as rows, VersionRow};
use crate::store::{namespaces, owners, skills};

/// The versions of a package.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PackageVersions {
    /// `owner/name`.
    package: String,
    /// The versions that are offered, the last published first.
    versions: Vec<PackageVersion>,
}

/// One version of a package.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PackageVersion {
    /// The version.
    version: String,
    /// The digest of its archive.
    #[schema(value_type = String)]
    digest: Digest,
    /// When it was published.
    published_at: String,
    /// The length of its archive.
    size_bytes: u64,
}

impl From<&VersionRow> for PackageVersion {
    fn from(row: &VersionRow) -> Self {
        Self {
            version: row.version.to_string(),
            digest: row.digest,
            published_at: row.published.clone(),
            size_bytes: row.size,
        }
    }
}

/// A package that was published.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PublishedPackage {
    /// `owner/name`.
    package: String,
    #[serde(flatten)]
    version: PackageVersion,
}

/// List the versions of a package, for apm
#[utoipa::path(get, path = "/v1/packages/{owner}/{name}/versions", tag = "apm",
    params(("owner" = String, Path, description = "an owner of the skill"),
        ("name" = String, Path, description = "the skill")),
    responses((status = 200, body = PackageVersions)))]
pub(crate) async fn versions(
    State(server): State<Server>,
    Segments((owner, name)): Segments<(String, String)>,
) -> Result<Json<PackageVersions>, RegistryError> {
    let name = owned(&server, &owner, &name).await?;
    let all = rows::of(server.registry.database.pool(), name.as_str()).await?;
    let offered = all.iter().rev().filter(|each| each.yanked.is_none());
    Ok(Json(PackageVersions {
        package: format!("{owner}/{}", name.name()),
        versions: offered.map(PackageVersion::from).collect(),
    }))
}

/// Fetch a version of a package, for apm
#[utoipa::path(get, path = "/v1/packages/{owner}/{name}/versions/{version}/download", tag = "apm",
    params(("owner" = String, Path, description = "an owner of the skill"),
        ("name" = String, Path, description = "the skill"),
        ("version" = String, Path, description = "the version")),
    responses((status = 200, body = Vec<u8>, content_type = "application/gzip")))]
pub(crate) async fn download(
    State(server): State<Server>,
    Segments((owner, name, version)): Segments<(String, String, String)>,
    peer: Peer,
) -> Result<Response, RegistryError> {
    let name = owned(&server, &owner, &name).await?;
    let version = numbered(&name, &version)?;
    send(&server, &name, Some(&version), peer, FOR_GOOD).await
}

/// Publish a version of a package, for apm
#[utoipa::path(put, path = "/v1/packages/{owner}/{name}/versions/{version}", tag = "apm", security(("token" = [])),
    params(("owner" = String, Path, description = "whom the token names"),
        ("name" = String, Path, description = "the skill"),
        ("version" = String, Path, description = "the version")),
    request_body(content = Vec<u8>, content_type = "application/gzip"),
    responses((status = 201, body = PublishedPackage),
        (status = 409, body = Problem, content_type = "application/problem+json"),
        (status = 413, body = Problem, content_type = "application/problem+json"),
        (status = 422, body = Problem, content_type = "application/problem+json")))]
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
    let destination = Destination {
        namespace,
        tag: None,
        expected: Some((name.name().clone(), version.clone())),
    };
    match published(&server, identity, destination, &headers, body).await? {
        Published::New(_) => {}
        // Here the same bytes again are a conflict, too.
        Published::Same(package, _) => {
            return Err(RegistryError::Immutable {
                skill: name.to_string(),
                version: version.to_string(),
                published: package.digest,
            });
        }
    }
    let row = server.registry.version(&name, Some(&version)).await?;
    let answer = PublishedPackage {
        package: format!("{owner}/{}", name.name()),
        version: PackageVersion::from(&row),
    };
    Ok((StatusCode::CREATED, Json(answer)).into_response())
}

/// What is looked for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SearchParameters {
    /// Words to look for.
    q: String,
    /// How many; at most 100.
    limit: Option<usize>,
    /// How many to leave out at the start.
    offset: Option<usize>,
    /// Only packages of this type; there are only skills.
    r#type: Option<String>,
    /// Only with this tag.
    tag: Option<String>,
}

/// The packages that fit.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PackageList<'a> {
    /// What was asked.
    query: String,
    /// How many fit in all.
    total: usize,
    /// A page of them.
    results: Vec<FoundPackage<'a>>,
}

/// A package that fits.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FoundPackage<'a> {
    /// `owner/name`.
    id: String,
    /// The latest version.
    latest_version: String,
    /// What it does and when to use it.
    description: &'a str,
    /// Who published it.
    author: &'a str,
    /// Its tags.
    tags: &'a [String],
    /// `skill`.
    r#type: &'static str,
}

/// Search packages, for apm
#[utoipa::path(get, path = "/v1/search", tag = "apm", params(SearchParameters),
    responses((status = 200, body = PackageList)))]

pub(crate) async fn search(
    State(server): State<Server>,
    parameters: Result<Query<SearchParameters>, QueryRejection>,
) -> Result<Response, RegistryError> {
    let wrong = |_| RegistryError::Parameter("`q` is needed, and numbers are numbers".to_owned());
    let parameters = parameters.map_err(wrong)?.0;
    let only_skills = parameters
        .r#type
        .as_deref()
        .is_none_or(|kind| kind == "skill");
    let question = SearchQuery {
        words: parameters.q.chars().take(400).collect(),
        tag: parameters.tag,
        offset: parameters.offset.unwrap_or(0),
        limit: if only_skills {
            parameters.limit.unwrap_or(50).min(100)
        } else {
            0
        },
        ..SearchQuery::default()
    };
    let picture = server.registry.search_snapshot().await?;
    let found = picture.ask(&question);
    let rows = server.registry.rows(&found).await?;
    let bare = rows.iter().filter(|skill| skill.namespace().is_none());
    let bare: Vec<&str> = bare.map(|skill| skill.name.as_str()).collect();
    let owners = owners::first(&server.registry.database, &bare).await?;
    let results = rows.iter().map(|skill| FoundPackage {
        id: match (skill.namespace(), owners.get(&skill.name)) {
            (Some(namespace), _) => format!("{namespace}/{}", skill.own_name()),
            (None, Some(owner)) => format!("{owner}/{}", skill.name),
            (None, None) => format!("{}/{}", skill.latest.publisher, skill.name),
        },
        latest_version: skill.latest.version.to_string(),
        description: &skill.latest.facts.description,
        author: &skill.latest.publisher,
        tags: &skill.latest.facts.tags,
        r#type: "skill",
    });
    let answer = PackageList {
        results: results.collect(),
        query: parameters.q,
        total: if only_skills { found.total } else { 0 },
    };
    Ok(Json(answer).into_response())
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
        if skills::one(database.pool(), inside.as_str())
            .await?
            .is_some()
        {
            return Ok(inside);
        }
    }
    let owners = owners::of(database.pool(), name.as_str()).await?;
    if owners.iter().any(|each| each == owner) {
        return Ok(name);
    }
    Err(RegistryError::NoSkill(format!(
        "{}/{name}",
        owner.chars().take(64).collect::<String>()
    )))
}
