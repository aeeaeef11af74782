//! A session in the audit log, and whether it can be made again to the byte.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use skillyard_audit::{Filter, read};

use super::audit::Row;
use super::part::Part;
use super::{Frame, NoPage, Page, elsewhere, shown};
use crate::problem::Problem;
use crate::replay::Replayed;
use crate::server::Server;

/// How many events a page shows.
const MOST: usize = 500;

#[derive(Template)]
#[template(path = "replay.html")]
struct ReplayPage {
    frame: Frame,
    active: &'static str,
    replayed: Replayed,
    rows: Vec<Row>,
}

/// `GET /audit/replay/{session}`.
pub(crate) async fn page(
    State(server): State<Arc<Server>>,
    frame: Frame,
    Part(session): Part<String>,
) -> Page {
    let within = frame.clone();
    let composed = elsewhere(move || compose(&server, within, &session)).await;
    match composed.and_then(|page| page) {
        Ok(page) => Ok(shown(&page)),
        Err(problem) => Err(NoPage::new(frame, problem)),
    }
}

fn compose(server: &Server, frame: Frame, session: &str) -> Result<ReplayPage, Problem> {
    let replayed = server.replayed(session)?;
    let filter = Filter {
        session: Some(session.to_owned()),
        limit: Some(MOST),
        ..Filter::default()
    };
    let reading = read(server.host.audit_folder(), &filter)?;
    let lines = reading.lines.iter();
    Ok(ReplayPage {
        active: "audit",
        replayed,
        rows: lines.filter_map(|line| Row::of(line)).collect(),
        frame,
    })
}
