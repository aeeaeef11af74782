//! `POST /api/v1/tools/{name}`: the tools for models, also by the names other runtimes use.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::input::{Caller, Given, Named};
use super::refusals::{Altered, Full, Missing, NotJson, Senseless, Unanswered};
use super::run;
use crate::problem::Problem;
use crate::request_context::{FileAccess, RequestContext};
use crate::script;
use crate::server::Server;
use crate::telemetry::parent_of;
use crate::tool::{Answer, Tool};
use crate::web::elsewhere;

/// What a tool gave.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ToolOutput {
    /// The tool, by its own name.
    tool: String,
    /// For a model.
    content: String,
    /// For a program, where the content is more than text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    structured: Option<Value>,
}

/// Call a tool: `skill_search`, `skill_load`, `skill_read`, `skill_files`, or `skill_run` where
/// scripts may be run and who asks has the role `run`
#[utoipa::path(post, path = "/api/v1/tools/{name}", tag = "tools", params(("name" = String, Path)),
    request_body(content = Object, content_type = "application/json"),
    responses((status = 200, body = ToolOutput),
        Senseless, Altered, Missing, NotJson, Unanswered, Full))]
pub(super) async fn call(
    State(server): State<Arc<Server>>,
    caller: Caller,
    Named(name): Named<String>,
    headers: HeaderMap,
    Given(input): Given<Map<String, Value>>,
) -> Result<Json<ToolOutput>, Problem> {
    let parent = parent_of(&headers);
    if script::is_named(&name) {
        let answer = run::run(server, caller, input, parent).await?;
        return Ok(Json(ToolOutput::of(script::NAME, answer)));
    }
    let unknown = || Problem::new(StatusCode::NOT_FOUND, "there is no such tool");
    let tool = Tool::of(&name).ok_or_else(unknown)?;
    let answer = elsewhere(move || {
        let asker = RequestContext {
            trace: parent.as_ref(),
            files: FileAccess::over_http(&server, caller.holder.role),
            ..caller.request_context()
        };
        server.call(tool, input, asker)
    });
    let answer = answer.await??;
    Ok(Json(ToolOutput::of(tool.name(), answer)))
}

impl ToolOutput {
    fn of(tool: &str, answer: Answer) -> Self {
        Self {
            tool: tool.to_owned(),
            content: answer.text,
            structured: answer.structured,
        }
    }
}
