//! `/api/v1/skills/{name}`: one skill, its instructions, and the activation of it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use skillyard_audit::EventKind;
use skillyard_format::Document;
use skillyard_format::render::activation::portion;
use skillyard_format::tokens::estimate;
use utoipa::ToSchema;

use super::input::tagged;
use super::input::{Caller, JsonBody, PathInput, plain};
use super::openapi::{Altered, Forbidden, Missing, NotJson, Senseless};
use crate::contents::Contents;
use crate::inspection::{Finding, Inspection};
use crate::problem::Problem;
use crate::request_context::{FileAccess, RequestContext};
use crate::server::Server;
use crate::usage::Usage;
use crate::view::SkillSummary;
use crate::web::elsewhere;

/// All about a skill but its text.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SkillDetail {
    #[serde(flatten)]
    summary: SkillSummary,
    /// The digest of all its files.
    digest: Option<String>,
    /// The further fields of its frontmatter.
    #[schema(value_type = Object)]
    fields: Value,
    /// About how many tokens its instructions have.
    body_tokens: usize,
    /// About how many a chat has for it once it is activated, with what is put around them.
    activation_tokens: usize,
    /// How many files it has.
    files: usize,
    /// Where it came from.
    provenance: String,
    /// How far it is trusted.
    tier: String,
    /// What becomes of its scripts: `run`, `ask` or `blocked`.
    scripts: String,
    /// Who signed it, if somebody who is trusted did.
    #[serde(skip_serializing_if = "Option::is_none")]
    signer: Option<String>,
    /// Its version or commit, as it was installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    /// Whether it stands in for one of a project that is not trusted, which the list has.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stands_in: bool,
    /// What is wrong with its file.
    diagnostics: Vec<Diagnostic>,
}

/// Something wrong with a skill that does not keep it from being used.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Diagnostic {
    /// The rule's code.
    code: String,
    /// What is wrong.
    message: String,
}

/// A skill's instructions as they are written.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SkillBody {
    /// Its name.
    name: String,
    /// The digest of all its files.
    digest: Option<String>,
    /// The Markdown below the frontmatter, or as much of it as is given at once.
    body: String,
    /// The byte of its `SKILL.md` to go on at, if there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
}

/// What a skill is activated with.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActivationInput {
    /// What the user wrote behind the skill's name.
    #[serde(default)]
    arguments: String,
    /// What the caller calls their session; the audit log has it as `client_session`.
    #[schema(max_length = 64, pattern = "^[!-~]*$")]
    session: Option<String>,
    /// What the caller calls the task that it is for, as `task` of the audit log.
    #[schema(max_length = 64, pattern = "^[!-~]*$")]
    task: Option<String>,
}

/// A skill that was activated.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ActivationOutput {
    /// Its name.
    name: String,
    /// The digest of all its files.
    digest: Option<String>,
    /// What to give to a model.
    content: String,
    /// The byte of its `SKILL.md` to go on at, if there is more than is given at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<usize>,
    /// Its other files.
    files: Vec<String>,
}

/// Get one skill
#[utoipa::path(get, path = "/api/v1/skills/{name}", tag = "skills", params(("name" = String, Path)),
    responses((status = 200, body = SkillDetail), (status = 304, description = "not changed"),
        Senseless, Missing))]
pub(super) async fn get(
    State(server): State<Arc<Server>>,
    caller: Caller,
    PathInput(name): PathInput<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let detail = elsewhere(move || {
        let snapshot = server.catalog.snapshot();
        let viewer = caller.viewer(&server);
        let skill = server.meant(&snapshot, &name)?;
        let contents = Contents::open(skill)?;
        let text = contents.skill_file()?;
        let (skill, digest) = server.looked_at(skill, &contents);
        let skill = &*skill;
        let standing = server.host.standing(skill, digest.as_ref());
        let standing = viewer.redactor().standing(standing);
        let problems = skill.record.problems.iter();
        let document = Document::parse(text.as_bytes());
        Ok::<_, Problem>(SkillDetail {
            summary: SkillSummary::of(skill, &viewer),
            digest: digest.map(|digest| digest.to_string()),
            fields: serde_json::from_str(&skill.record.fields).unwrap_or_default(),
            body_tokens: estimate(document.body()),
            activation_tokens: server.activation_tokens(skill, &document),
            files: contents.list(None)?.files.len(),
            provenance: standing.provenance,
            tier: standing.tier,
            scripts: standing.scripts,
            signer: standing.signer,
            version: standing.version,
            stands_in: skill.record.folder != snapshot.known(&name)?.record.folder,
            diagnostics: problems
                .map(|problem| Diagnostic {
                    code: problem.code.clone(),
                    message: viewer.redactor().redact(&problem.message),
                })
                .collect(),
        })
    });
    tagged(&headers, &detail.await??)
}

/// Get a skill's instructions as they are written
#[utoipa::path(get, path = "/api/v1/skills/{name}/body", tag = "skills", params(("name" = String, Path)),
    responses((status = 200, body = SkillBody), (status = 304, description = "not changed"),
        Senseless, Altered, Missing))]
pub(super) async fn body(
    State(server): State<Arc<Server>>,
    caller: Caller,
    PathInput(name): PathInput<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let read = elsewhere(move || {
        let snapshot = server.catalog.snapshot();
        let skill = server.meant(&snapshot, &name)?;
        let contents = Contents::open(skill)?;
        // First, so that what is read is what was hashed.
        let hashed = server.hashed(skill, &contents);
        let text = contents.skill_file()?;
        let own = &skill.record.file_name;
        let read = EventKind::ResourceRead;
        let digest = server.give(skill, read, own, caller.request_context(), hashed)?;
        let document = Document::parse(text.as_bytes());
        let most = server.host.portions().instruction_bytes;
        let portion = portion(&text, document.body(), own, most);
        Ok::<_, Problem>(SkillBody {
            name: skill.record.name.clone(),
            digest: Some(digest.to_string()),
            body: portion.text.into_owned(),
            next_offset: portion.cursor,
        })
    });
    tagged(&headers, &read.await??)
}

/// What the scanner found in a skill.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Findings {
    /// The worst first.
    findings: Vec<Finding>,
    /// Whether all of its files were looked at; else there may be more.
    complete: bool,
}

/// Scan a skill as it is now
#[utoipa::path(get, path = "/api/v1/skills/{name}/findings", tag = "skills", params(("name" = String, Path)),
    responses((status = 200, body = Findings),
        Senseless, Missing))]
pub(super) async fn findings(
    State(server): State<Arc<Server>>,
    PathInput(name): PathInput<String>,
) -> Result<Json<Findings>, Problem> {
    let found = elsewhere(move || {
        let snapshot = server.catalog.snapshot();
        let skill = server.meant(&snapshot, &name)?;
        let Inspection { findings, complete } = server.inspections.of(skill)?;
        Ok::<_, Problem>(Findings { findings, complete })
    });
    Ok(Json(found.await??))
}

/// How a skill was used, from the audit log
#[utoipa::path(get, path = "/api/v1/skills/{name}/usage", tag = "skills", params(("name" = String, Path)),
    responses((status = 200, body = Usage),
        Forbidden, Missing))]
pub(super) async fn usage(
    State(server): State<Arc<Server>>,
    PathInput(name): PathInput<String>,
) -> Result<Json<Usage>, Problem> {
    let counted = elsewhere(move || {
        let snapshot = server.catalog.snapshot();
        let name = &snapshot.known(&name)?.record.name;
        Ok::<_, Problem>(server.usage(name)?)
    });
    Ok(Json(counted.await??))
}

/// Activate a skill: its instructions, wrapped for a model, and recorded
#[utoipa::path(post, path = "/api/v1/skills/{name}/activate", tag = "skills", params(("name" = String, Path)),
    request_body = ActivationInput,
    responses((status = 200, body = ActivationOutput),
        Senseless, Altered, Missing, NotJson))]
pub(super) async fn activate(
    State(server): State<Arc<Server>>,
    caller: Caller,
    PathInput(name): PathInput<String>,
    JsonBody(input): JsonBody<ActivationInput>,
) -> Result<Json<ActivationOutput>, Problem> {
    plain("session", input.session.as_deref())?;
    plain("task", input.task.as_deref())?;
    let activated = elsewhere(move || {
        let snapshot = server.fresh_snapshot();
        let asker = RequestContext {
            session: input.session.as_deref(),
            task: input.task.as_deref(),
            files: FileAccess::over_http(&server, caller.holder.role),
            ..caller.request_context()
        };
        let skill = server.usable(&snapshot, &name)?;
        let activated = server.activate(skill, &input.arguments, asker)?;
        if !skill.record.model_invocable {
            // The user said so: from now on the tools give their model the rest of it.
            let digest = activated.digest.to_string();
            let active = activated.active.clone();
            let name = &caller.holder.name;
            server.conversation_skills.load(name, name, active, digest);
        }
        Ok::<_, Problem>(activated)
    });
    let activated = activated.await??;
    Ok(Json(ActivationOutput {
        name: activated.name,
        digest: Some(activated.digest.to_string()),
        content: activated.text,
        next_offset: activated.next_offset,
        files: activated.files,
    }))
}
