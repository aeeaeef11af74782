//! `GET /view/{name}/files/{path}`: one file of a version.

use std::path::Path;

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::Response;
use skillyard_http::address::size;
use skillyard_http::markdown::render;
use skillyard_http::visible::source;

use super::Frame;
use super::opened;
use super::skill::VersionQuery;
use super::{file_address, page, skill_address, with_query};
use crate::endpoints::named;
use crate::error::RegistryError;
use crate::extract::Segments;
use crate::package::FindingFact;
use crate::server::Server;

/// How much of a file a page shows.
const MAX_BYTES: usize = 256 * 1024;

#[derive(Template)]
#[template(path = "file.html")]
struct FilePage {
    frame: Frame,
    name: String,
    version: String,
    address: String,
    path: String,
    size: String,
    executable: bool,
    findings: Vec<FindingFact>,
    shown: FileView,
    cut: bool,
}

enum FileView {
    /// Made harmless by `markdown`.
    Html(String),
    Text(String),
    Binary,
}

/// Look at one file of a skill
#[utoipa::path(get, path = "/view/{name}/files/{path}", tag = "pages",
    params(("name" = String, Path, description = "the skill"),
        ("path" = String, Path, description = "the file"), VersionQuery),
    responses((status = 200, description = "a page", content_type = "text/html")))]
pub(crate) async fn file(
    State(server): State<Server>,
    frame: Frame,
    Segments((name, path)): Segments<(String, String)>,
    wanted: Result<Query<VersionQuery>, QueryRejection>,
) -> Result<Response, RegistryError> {
    let name = named(&name)?;
    let version = VersionQuery::version(wanted, &name)?;
    let version = server.registry.version(&name, version.as_ref()).await?;
    let known = version.facts.files.iter().find(|file| file.path == path);
    // Only what the version lists is looked for in its archive.
    let known = known.ok_or_else(|| RegistryError::NoFile {
        skill: name.to_string(),
        path: path.chars().take(200).collect(),
    })?;
    let number = version.version.to_string();
    let (skill, at) = (name.to_string(), number.clone());
    let wanted = path.clone();
    let (shown, cut) = opened(
        &server,
        [&version],
        move |each| each == wanted,
        move |[files]| {
            let content = files.into_iter().next();
            let bytes = content.map(|file| file.bytes).unwrap_or_default();
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            shown(&path, bytes, |link| file_address(&skill, &at, folder, link))
        },
    )
    .await?;
    let findings = version.facts.findings.iter();
    page(&FilePage {
        frame,
        address: with_query(&skill_address(name.as_str()), &[("version", &number)]),
        name: name.to_string(),
        version: number,
        size: size(known.size),
        executable: known.executable,
        findings: findings
            .filter(|finding| finding.path == known.path)
            .cloned()
            .collect(),
        path: known.path.clone(),
        shown,
        cut,
    })
}

/// A file as a page shows it, and whether something was left out.
fn shown(path: &str, mut bytes: Vec<u8>, address: impl Fn(&str) -> String) -> (FileView, bool) {
    let is_long = bytes.len() > MAX_BYTES;
    if is_long {
        // The last letter may be cut in two.
        let end = (MAX_BYTES - 3..=MAX_BYTES)
            .rev()
            .find(|end| std::str::from_utf8(&bytes[..*end]).is_ok());
        bytes.truncate(end.unwrap_or(MAX_BYTES));
    }
    let Some(text) = source(path, &bytes) else {
        return (FileView::Binary, false);
    };
    let path = Path::new(path);
    let is_markdown = path
        .extension()
        .is_some_and(|kind| kind.eq_ignore_ascii_case("md"));
    let is_own = path.as_os_str().eq_ignore_ascii_case("SKILL.md");
    // The instructions are rendered on the skill's own page; here their frontmatter is seen too.
    if is_markdown && !is_own {
        return (FileView::Html(render(&text, address).html), is_long);
    }
    (FileView::Text(text), is_long)
}
