//! What other machines ask: health and metrics.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use serde_json::{Value, json};
use skillyard_catalog::Status;

use crate::server::Server;

/// `GET /healthz`.
pub(crate) async fn healthz(State(server): State<Arc<Server>>) -> Json<Value> {
    let skills = server.catalog.snapshot().catalog.skills.len();
    Json(json!({ "status": "ok", "version": server.version, "skills": skills }))
}

/// `GET /metrics`.
pub(crate) async fn metrics(State(server): State<Arc<Server>>) -> impl IntoResponse {
    let snapshot = server.catalog.snapshot();
    let gauges = Status::WORDS.map(|status| {
        let skills = snapshot.catalog.skills.iter();
        let count = skills
            .filter(|skill| skill.status.as_str() == status)
            .count();
        ("status", status, count)
    });
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    let lost = server.losses.count();
    let lost =
        format!("# TYPE skillyard_audit_lost_total counter\nskillyard_audit_lost_total {lost}\n");
    let text = server.metrics.render(&gauges) + &lost;
    ([(CONTENT_TYPE, kind)], text)
}
