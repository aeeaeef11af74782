//! One file of a skill.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use skillyard_catalog::resource::{BinaryContent, ReadLimits, ReadRange, ResourceContent};
use skillyard_http::markdown::render;
use skillyard_http::sight::source;
use skillyard_http::size::size;

use super::part::Part;
use super::{Frame, NoPage, Page, elsewhere, file_address, shown, skill_address};
use crate::contents::Contents;
use crate::problem::Problem;
use crate::server::Server;

/// How much of a file a page shows.
const MAX_BYTES: u64 = 256 * 1024;

#[derive(Template)]
#[template(path = "file.html")]
struct FilePage {
    frame: Frame,
    active: &'static str,
    name: String,
    address: String,
    path: String,
    size: String,
    shown: Shown,
    cut: bool,
}

enum Shown {
    Html(String),
    Text(String),
    Binary(&'static str),
}

/// `GET /skills/{name}/files/{path}`.
pub(crate) async fn page(
    State(server): State<Arc<Server>>,
    frame: Frame,
    Part((name, path)): Part<(String, String)>,
) -> Page {
    let within = frame.clone();
    let composed = elsewhere(move || compose(&server, within, &name, &path)).await;
    match composed.and_then(|page| page) {
        Ok(page) => Ok(shown(&page)),
        Err(problem) => Err(NoPage::new(frame, problem)),
    }
}

fn compose(server: &Server, frame: Frame, name: &str, path: &str) -> Result<FilePage, Problem> {
    let snapshot = server.catalog.snapshot();
    let skill = snapshot.known(name);
    let skill = skill.map_err(|problem| server.absent(name, problem))?;
    let limits = ReadLimits {
        max_bytes: MAX_BYTES,
        binary: BinaryContent::Include,
        ..server.host.read_limits()
    };
    let read = Contents::open(skill)?.read(path, ReadRange::default(), limits)?;
    let is_markdown = read.path.to_ascii_lowercase().ends_with(".md");
    let is_own = read.path == skill.record.file_name.as_str();
    Ok(FilePage {
        active: "library",
        frame,
        name: skill.record.name.clone(),
        address: skill_address(&skill.record.name),
        size: size(read.size),
        cut: read.next_offset.is_some(),
        shown: match read.content {
            ResourceContent::Text(text) if is_markdown && !is_own => {
                Shown::Html(render(&text, |link| file_address(&skill.record.name, link)).html)
            }
            ResourceContent::Text(text) => {
                let seen = source(&read.path, text.as_bytes());
                Shown::Text(seen.unwrap_or(text))
            }
            ResourceContent::Binary { media_type, bytes } => {
                let seen = source(&read.path, &bytes.unwrap_or_default());
                seen.map_or(Shown::Binary(media_type), Shown::Text)
            }
        },
        path: read.path,
    })
}
