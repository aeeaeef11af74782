//! `POST /skills`: the body is an archive; name and version stand in it.

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::auth::Caller;
use crate::error::RegistryError;
use crate::registry::Published;
use crate::server::Server;

pub(crate) async fn publish(
    State(server): State<Server>,
    Caller(identity): Caller,
    body: Body,
) -> Result<Response, RegistryError> {
    let limit = server.settings.upload_bytes;
    let reading = axum::body::to_bytes(body, limit);
    let upload = tokio::time::timeout(server.settings.upload_time, reading).await;
    let upload = upload.map_err(|_| RegistryError::TooSlow)?;
    let upload = upload.map_err(|_| RegistryError::TooLarge(limit))?;
    let (status, package) = match server.registry.publish(&identity, upload).await? {
        Published::New(package) => (StatusCode::CREATED, package),
        Published::Same(package) => (StatusCode::OK, package),
    };
    let location = format!("/skills/{}", package.name);
    let answer = json!({
        "name": package.name.as_str(),
        "version": package.version,
        "digest": package.digest,
        "tree": package.tree,
        "size": package.archive.len(),
        "signer": package.signer,
        "verdict": package.verdict,
        "findings": package.facts.findings,
        "new": status == StatusCode::CREATED,
    });
    Ok((
        status,
        [(header::LOCATION, encoded(&location))],
        Json(answer),
    )
        .into_response())
}

/// An address as a header can hold it.
fn encoded(location: &str) -> String {
    let mut text = String::new();
    for byte in location.bytes() {
        if byte.is_ascii_graphic() {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}
