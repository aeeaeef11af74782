//! One skill: its instructions, its files, where it came from and what it may do.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Form, State};
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::response::Redirect;
use serde::Deserialize;
use serde_json::Value;
use skillyard_catalog::CatalogSkill;
use skillyard_catalog::resource::{BinaryContent, ReadLimits, ReadRange, ResourceContent};
use skillyard_format::Document;
use skillyard_http::address::{encoded, size};
use skillyard_http::markdown::{Rendered, render};
use skillyard_http::visible::source;

use super::{Frame, NoPage, Page, PathInput, elsewhere, file_address, shown, skill_address};
use crate::access::Holder;
use crate::contents::{Contents, FileList};
use crate::host::{SkillTrust, Switch};
use crate::inspection::{Finding, Inspection};
use crate::problem::Problem;
use crate::server::Server;
use crate::usage::Usage;
use crate::view::SkillSummary;

#[derive(Template)]
#[template(path = "skill.html")]
struct SkillPage {
    frame: Frame,
    active: &'static str,
    skill: SkillSummary,
    standing: SkillTrust,
    digest: Option<String>,
    body: Rendered,
    activation_tokens: usize,
    fields: Vec<(String, String)>,
    files: FileList,
    problems: Vec<(String, String)>,
    shadows: Vec<String>,
    /// What is used in its place, if its project is not trusted.
    stand_in: Option<String>,
    findings: Vec<Finding>,
    /// Whether the scanner saw all files.
    complete: bool,
    /// Only admins see it.
    usage: Option<Usage>,
}

/// `GET /skills/{name}`.
pub(crate) async fn page(
    State(server): State<Arc<Server>>,
    frame: Frame,
    PathInput(name): PathInput<String>,
) -> Page {
    let within = frame.clone();
    let composed = elsewhere(move || compose(&server, within, &name)).await;
    match composed.and_then(|page| page) {
        Ok(page) => Ok(shown(&page)),
        Err(problem) => Err(NoPage::new(frame, problem)),
    }
}

fn compose(server: &Server, frame: Frame, name: &str) -> Result<SkillPage, Problem> {
    let snapshot = server.catalog.snapshot();
    let skill = snapshot.known(name);
    let skill = skill.map_err(|problem| server.absent(name, problem))?;
    let contents = Contents::open(skill)?;
    let text = contents.skill_file()?;
    let document = Document::parse(text.as_bytes());
    let (skill, digest) = server.looked_at(skill, &contents);
    let skill = &*skill;
    let viewer = frame.viewer(server);
    let record = &skill.record;
    let problems = record.problems.iter();
    let losers = snapshot.catalog.shadowed.iter();
    let place = |skill: &CatalogSkill| {
        let path = viewer.path(&skill.record.folder);
        path.unwrap_or_else(|| skill.kind.as_str().to_owned())
    };
    let meant = snapshot.meant(name)?;
    let Inspection { findings, complete } = server.inspections.of(skill)?;
    Ok(SkillPage {
        active: "library",
        skill: SkillSummary::of(skill, &viewer),
        standing: viewer
            .redactor()
            .standing(server.host.standing(skill, digest.as_ref())),
        digest: digest.map(|digest| digest.to_string()),
        body: render(document.body(), |link| file_address(&record.name, link)),
        activation_tokens: server.activation_tokens(skill, &document),
        fields: fields(&record.fields),
        files: contents.list(None)?,
        problems: problems
            .map(|problem| {
                (
                    problem.code.clone(),
                    viewer.redactor().redact(&problem.message),
                )
            })
            .collect(),
        findings,
        complete,
        usage: frame
            .is_admin()
            .then(|| server.usage(&record.name).ok())
            .flatten(),
        shadows: losers
            .filter(|loser| loser.skill.record.name == record.name)
            .map(|loser| place(&loser.skill))
            .collect(),
        stand_in: (meant.record.folder != record.folder).then(|| place(meant)),
        frame,
    })
}

/// The further fields of the frontmatter, for people.
fn fields(json: &str) -> Vec<(String, String)> {
    let fields: serde_json::Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
    let plain = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    fields
        .iter()
        .flat_map(|(key, value)| match value {
            Value::Object(inner) => inner
                .iter()
                .map(|(name, value)| (format!("{key}.{name}"), plain(value)))
                .collect(),
            value => vec![(key.clone(), plain(value))],
        })
        .collect()
}

impl SkillPage {
    fn file_address(&self, path: &str) -> String {
        file_address(&self.skill.name, &encoded(path))
    }
}

/// What a skill is switched to.
#[derive(Debug, Deserialize)]
pub(crate) struct SwitchForm {
    to: String,
}

/// `POST /skills/{name}/switch`.
pub(crate) async fn switch(
    State(server): State<Arc<Server>>,
    frame: Frame,
    PathInput(name): PathInput<String>,
    Form(form): Form<SwitchForm>,
) -> Page {
    let switch = match form.to.as_str() {
        "on" => Switch::On,
        "off" => Switch::Off,
        _ => return Err(NoPage::new(frame, Problem::bad("`to` is `on` or `off`"))),
    };
    let address = skill_address(&name);
    let holder = frame.holder();
    let done = elsewhere(move || server.switch(&name, switch, &holder)).await;
    match done.and_then(|done| done) {
        Ok(_) => Ok((StatusCode::SEE_OTHER, Redirect::to(&address)).into_response()),
        Err(problem) => Err(NoPage::new(frame, problem)),
    }
}

impl Server {
    /// Switches a skill of the catalog and looks again; tells whether anything changed.
    pub(crate) fn switch(
        &self,
        name: &str,
        switch: Switch,
        holder: &Holder,
    ) -> Result<bool, Problem> {
        let snapshot = self.catalog.snapshot();
        let skill = snapshot.known(name)?;
        let changed = self.host.switch(&skill.record.name, switch, holder)?;
        self.reload()?;
        Ok(changed)
    }
}

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
    shown: FileView,
    cut: bool,
}

enum FileView {
    Html(String),
    Text(String),
    Binary(&'static str),
}

/// `GET /skills/{name}/files/{path}`.
pub(crate) async fn file(
    State(server): State<Arc<Server>>,
    frame: Frame,
    PathInput((name, path)): PathInput<(String, String)>,
) -> Page {
    let within = frame.clone();
    let composed = elsewhere(move || compose_file(&server, within, &name, &path)).await;
    match composed.and_then(|page| page) {
        Ok(page) => Ok(shown(&page)),
        Err(problem) => Err(NoPage::new(frame, problem)),
    }
}

fn compose_file(
    server: &Server,
    frame: Frame,
    name: &str,
    path: &str,
) -> Result<FilePage, Problem> {
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
                FileView::Html(render(&text, |link| file_address(&skill.record.name, link)).html)
            }
            ResourceContent::Text(text) => {
                let seen = source(&read.path, text.as_bytes());
                FileView::Text(seen.unwrap_or(text))
            }
            ResourceContent::Binary { media_type, bytes } => {
                let seen = source(&read.path, &bytes.unwrap_or_default());
                seen.map_or(FileView::Binary(media_type), FileView::Text)
            }
        },
        path: read.path,
    })
}
