//! The admin page: sources, names that were taken, what could not be loaded.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect};

use super::{Frame, NoPage, Page, elsewhere, shown};
use crate::server::Server;

#[derive(Template)]
#[template(path = "admin.html")]
struct AdminPage {
    frame: Frame,
    active: &'static str,
    version: &'static str,
    fingerprint: String,
    trouble: Option<String>,
    sources: Vec<SourceRow>,
    collisions: Vec<Collision>,
    invalid: Vec<(String, String)>,
    problems: Vec<(String, usize)>,
}

struct SourceRow {
    kind: &'static str,
    path: String,
    skills: usize,
}

struct Collision {
    name: String,
    winner: String,
    loser: String,
}

/// `GET /admin`.
pub(crate) async fn page(State(server): State<Arc<Server>>, frame: Frame) -> Page {
    let snapshot = server.catalog.snapshot();
    let catalog = &snapshot.catalog;
    let viewer = frame.viewer(&server);
    let path = |path: &std::path::Path| viewer.path(path).unwrap_or_default();
    let sources = catalog.sources.iter().enumerate();
    let sources = sources.map(|(at, source)| SourceRow {
        kind: source.kind.as_str(),
        path: path(&source.root),
        skills: catalog.skills.iter().filter(|it| it.source == at).count(),
    });
    let page = AdminPage {
        active: "admin",
        version: server.version,
        fingerprint: snapshot.fingerprint.clone(),
        trouble: server.trouble(),
        // Some hundred places are looked at; those without skills are many and say little.
        sources: sources.filter(|source| source.skills > 0).collect(),
        collisions: catalog
            .shadowed
            .iter()
            .map(|loser| Collision {
                name: loser.skill.record.name.clone(),
                winner: path(&loser.winner),
                loser: path(&loser.skill.record.folder),
            })
            .collect(),
        invalid: catalog
            .skipped
            .iter()
            .map(|skipped| (path(&skipped.path), skipped.reason.clone()))
            .collect(),
        problems: catalog
            .skills
            .iter()
            .filter(|skill| !skill.record.problems.is_empty())
            .map(|skill| (skill.record.name.clone(), skill.record.problems.len()))
            .collect(),
        frame,
    };
    Ok(shown(&page))
}

/// `POST /admin/reload`.
pub(crate) async fn reload(State(server): State<Arc<Server>>, frame: Frame) -> Page {
    let done = elsewhere(move || server.reload()).await;
    match done.and_then(|done| Ok(done?)) {
        Ok(_) => Ok(Redirect::to("/admin").into_response()),
        Err(problem) => Err(NoPage::new(frame, problem)),
    }
}
