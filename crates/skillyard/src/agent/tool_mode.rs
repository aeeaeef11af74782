//! How the model of a session calls tools: as was said, as is known, or as a probe finds.

use std::sync::atomic::AtomicBool;

use skillyard_agent::probe::{ProbeCache, probe};
use skillyard_agent::settings::{Settings, ToolMode};

use super::model;
use crate::commands::agent;
use crate::context::Context;
use crate::error::CommandError;
use crate::sanitize::visible;

/// The only API that servers of all kinds speak, each in its own way.
const COMPATIBLE: &str = "openai-chat";

/// How the model of these settings calls tools. Whatever keeps a probe from being made will be
/// told by the turn itself, which comes next.
pub(crate) fn tool_mode(
    context: &Context,
    settings: &Settings,
    cancel: &AtomicBool,
) -> Result<ToolMode, CommandError> {
    if settings.tool_mode != ToolMode::Auto {
        return Ok(settings.tool_mode);
    }
    let Some((server, _)) = settings.model.split_once('/') else {
        return Ok(ToolMode::Native);
    };
    let server = context.config()?.model_server(server);
    let Some(server) = server.map_err(CommandError::Setting)? else {
        return Ok(ToolMode::Native);
    };
    let said = agent::tool_mode(&server.tool_mode)?;
    if said != ToolMode::Auto {
        return Ok(said);
    }
    if server.api != COMPATIBLE {
        return Ok(ToolMode::Native);
    }
    let name = settings.model_name();
    let cache = ProbeCache::new(&context.environment.models_file());
    if let Some(mode) = cache.get(&server.url, name) {
        return Ok(mode);
    }
    let shown = visible(&settings.model).into_owned();
    let printer = &context.printer;
    printer.note(&format!("Asking {shown} once how it calls tools …"));
    let provider = model::provider(context, &settings.model)?;
    let Ok(mode) = probe(&*provider, name, cancel) else {
        return Ok(ToolMode::Native);
    };
    // What cannot be kept is asked again next time.
    let _ = cache.set(&server.url, name, mode);
    let word = match mode {
        ToolMode::Auto | ToolMode::Native => "native",
        ToolMode::JsonSchema => "json-schema",
        ToolMode::Text => "text",
    };
    printer.note(&format!("It calls tools as `{word}`; this is remembered."));
    Ok(mode)
}
