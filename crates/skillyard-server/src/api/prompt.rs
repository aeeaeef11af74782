//! `GET /api/v1/prompt`: the catalog for a model's prompt.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use skillyard_catalog::prompt::{DEFAULT_BUDGET, Room};
use skillyard_catalog::selection::{Layer, NamePattern, Selection};
use skillyard_format::render::catalog::CatalogFormat;
use utoipa::{IntoParams, ToSchema};

use super::input::QueryInput;
use super::openapi::Senseless;
use crate::catalog_cache::prompt::{self, PromptRequest};
use crate::problem::Problem;
use crate::server::Server;
use crate::web::elsewhere;

/// How many skills a prompt may name.
const MAX_SKILLS: usize = 1_000;

/// What the prompt is like.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromptInput {
    /// `xml`, `json`, `markdown`, `codex`, `skills-ref` or `summary`.
    format: Option<Format>,
    /// What the prompt is for: the skills that fit it best stay when not all do.
    task: Option<String>,
    /// About how many tokens it may have.
    budget: Option<usize>,
    /// Only skills with these names or patterns, separated by commas.
    allow: Option<String>,
    /// No skills with these names or patterns, separated by commas.
    deny: Option<String>,
    /// The folder that the skills are in for whoever reads the prompt.
    mount: Option<String>,
}

impl PromptInput {
    fn selection(&self) -> Result<Selection, Problem> {
        let read = |text: &Option<String>| {
            let read = text
                .as_deref()
                .map_or_else(|| Ok(Vec::new()), NamePattern::list);
            read.map_err(|error| Problem::bad(error.to_string()))
        };
        let layer = Layer {
            name: "request".to_owned(),
            allow: read(&self.allow)?,
            deny: read(&self.deny)?,
            ..Layer::default()
        };
        Ok(Selection {
            layers: vec![layer],
        })
    }
}

/// The shape of a catalog.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Format {
    Xml,
    Json,
    Markdown,
    Codex,
    SkillsRef,
    Summary,
}

impl From<Format> for CatalogFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Xml => Self::Xml,
            Format::Json => Self::Json,
            Format::Markdown => Self::Markdown,
            Format::Codex => Self::Codex,
            Format::SkillsRef => Self::SkillsRef,
            Format::Summary => Self::Summary,
        }
    }
}

/// A catalog.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Prompt {
    /// The text for the prompt.
    prompt: String,
    /// How many skills had no room.
    omitted: usize,
}

/// Get the catalog of skills for a model's prompt; paths of the server are never in it
#[utoipa::path(get, path = "/api/v1/prompt", tag = "find", params(PromptInput),
    responses((status = 200, body = Prompt),
        Senseless))]
pub(super) async fn get(
    State(server): State<Arc<Server>>,
    QueryInput(input): QueryInput<PromptInput>,
) -> Result<Json<Prompt>, Problem> {
    let selection = input.selection()?;
    let leads_up = |mount: &String| mount.split('/').any(|part| part == "..");
    if input.mount.as_ref().is_some_and(leads_up) {
        return Err(Problem::bad("`mount` leads out of where it begins"));
    }
    let rendered = elsewhere(move || {
        let wanted = PromptRequest {
            format: input.format.unwrap_or(Format::Xml).into(),
            room: Room {
                tokens: input.budget.unwrap_or(DEFAULT_BUDGET),
                skills: MAX_SKILLS,
            },
            task: input.task.as_deref(),
            selection: &selection,
            mount: input.mount.as_deref(),
        };
        prompt::render(&server.catalog.snapshot(), &*server.host, wanted)
    });
    let (prompt, omitted) = rendered.await?;
    Ok(Json(Prompt { prompt, omitted }))
}
