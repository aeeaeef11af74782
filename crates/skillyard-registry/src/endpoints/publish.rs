//! `POST /skills`: the body is an archive; name and version stand in it.

use std::fmt::Write as _;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::LengthLimitError;
use serde::{Deserialize, Serialize};
use skillyard_format::{Digest, Namespace};
use utoipa::{IntoParams, ToSchema};

use crate::curation::checked_tag;
use crate::error::RegistryError;
use crate::extract::Caller;
use crate::package::FindingFact;
use crate::problem::Problem;
use crate::publishing::{Destination, Published};
use crate::server::Server;
use crate::token::Identity;

/// Where to, and under which tag.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PublishQuery {
    /// The namespace; without one, a bare name.
    namespace: Option<String>,
    /// A tag that stands for this version from now on.
    tag: Option<String>,
}

/// What was published.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PublishedVersion<'a> {
    /// The skill.
    name: &'a str,
    /// Its version.
    version: String,
    /// The digest of the archive as it is served.
    #[schema(value_type = String)]
    digest: Digest,
    /// The digest over its files.
    #[schema(value_type = String)]
    tree: Digest,
    /// The length of the archive.
    size: usize,
    /// Who signed it.
    signer: Option<&'a str>,
    /// The worst that the scanner found.
    verdict: &'a str,
    /// All that it found.
    findings: &'a [FindingFact],
    /// Whether it was not there before.
    new: bool,
    /// Whether it was withdrawn: the same files again do not change that.
    yanked: bool,
    /// Why it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    yank_reason: Option<String>,
}

/// Publish a version; name and version stand in its `SKILL.md`
#[utoipa::path(post, path = "/skills", tag = "publishing", security(("token" = [])), params(PublishQuery),
    request_body(content = Vec<u8>, content_type = "application/gzip",
        description = "an archive with `SKILL.md`: tar.gz or zip"),
    responses(
        (status = 201, body = PublishedVersion, headers(("Location" = String))),
        (status = 200, body = PublishedVersion, description = "the same files were there already"),
        (status = 409, body = Problem, content_type = "application/problem+json"),
        (status = 413, body = Problem, content_type = "application/problem+json"),
        (status = 422, body = Problem, content_type = "application/problem+json")))]
pub(crate) async fn publish(
    State(server): State<Server>,
    Caller(identity): Caller,
    parameters: Result<Query<PublishQuery>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, RegistryError> {
    let destination = destination(parameters)?;
    let published = published(&server, identity, destination, &headers, body);
    let (status, package, yank_reason) = match published.await? {
        Published::New(package) => (StatusCode::CREATED, package, None),
        Published::Same(package, yanked) => (StatusCode::OK, package, yanked),
    };
    let location = format!("/skills/{}", package.name);
    let answer = PublishedVersion {
        name: package.name.as_str(),
        version: package.version.to_string(),
        digest: package.digest,
        tree: package.tree,
        size: package.archive.len(),
        signer: package.signer.as_deref(),
        verdict: package.verdict,
        findings: &package.facts.findings,
        new: status == StatusCode::CREATED,
        yanked: yank_reason.is_some(),
        yank_reason,
    };
    Ok((
        status,
        [(header::LOCATION, encoded(&location))],
        Json(answer),
    )
        .into_response())
}

fn destination(
    parameters: Result<Query<PublishQuery>, QueryRejection>,
) -> Result<Destination, RegistryError> {
    let wrong = |reason: String| RegistryError::Parameter(reason);
    let parameters = parameters.map_err(|_| wrong("a parameter cannot be read".to_owned()))?;
    let PublishQuery { namespace, tag } = parameters.0;
    let namespace = namespace.map(|text| Namespace::new(&text)).transpose();
    if let Some(tag) = &tag {
        checked_tag(tag)?;
    }
    Ok(Destination {
        namespace: namespace.map_err(|problem| wrong(problem.to_string()))?,
        tag,
        expected: None,
    })
}

/// Publishes the body of a request.
pub(super) async fn published(
    server: &Server,
    identity: Identity,
    destination: Destination,
    headers: &HeaderMap,
    body: Body,
) -> Result<Published, RegistryError> {
    let namespace = destination.namespace.as_ref();
    server.registry.expect(&identity, namespace).await?;
    let permit = server.uploads.acquire(&identity.account).await?;
    let upload = upload(server, headers, body).await?;
    let registry = server.registry.clone();
    // What has begun goes on without its sender, and keeps its permit until it is done.
    let work = async move {
        let published = registry.publish(&identity, upload, destination).await;
        drop(permit);
        published
    };
    server.in_flight.finish(work).await?
}

/// The whole body, unless it is too large, too slow or broken off.
async fn upload(server: &Server, headers: &HeaderMap, body: Body) -> Result<Bytes, RegistryError> {
    let limit = server.settings.upload_bytes;
    let announced = headers.get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit as u64) {
        return Err(RegistryError::TooLarge(limit));
    }
    let upload = tokio::time::timeout(server.settings.upload_time, whole(body, limit)).await;
    upload.map_err(|_| RegistryError::TooSlow)?
}

/// The whole body, unless it is too large or broken off.
pub(crate) async fn whole(body: Body, limit: usize) -> Result<Bytes, RegistryError> {
    let whole = axum::body::to_bytes(body, limit).await;
    whole.map_err(|error| {
        let cause = std::error::Error::source(&error);
        if cause.is_some_and(<dyn std::error::Error>::is::<LengthLimitError>) {
            RegistryError::TooLarge(limit)
        } else {
            RegistryError::BrokenOff
        }
    })
}

/// An address as a header can hold it.
fn encoded(location: &str) -> String {
    let mut text = String::new();
    for byte in location.bytes() {
        if byte.is_ascii_graphic() {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}
