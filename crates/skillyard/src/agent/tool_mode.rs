//! How the model of a session calls tools: as was said, as is known, or as a probe finds.

use std::sync::atomic::AtomicBool;

use skillyard_agent::probe::{ProbeCache, Proof, probe};
use skillyard_agent::settings::{AgentSettings, ToolMode};

use super::model;
use super::settings;
use crate::config::models::ModelServer;
use crate::context::Context;
use crate::error::CommandError;
use crate::text::sanitize::visible;

/// The only API that servers of all kinds speak, each in its own way.
const COMPATIBLE: &str = "openai-chat";

/// How the model of these settings calls tools, if that was said or found before. Nobody is asked.
pub(crate) fn known_tool_mode(
    context: &Context,
    settings: &AgentSettings,
) -> Result<Option<ToolMode>, CommandError> {
    if settings.tool_mode != ToolMode::Auto {
        return Ok(Some(settings.tool_mode));
    }
    let Some(server) = server(context, settings)? else {
        return Ok(Some(ToolMode::Native));
    };
    let said = settings::tool_mode(&server.tool_mode)?;
    if said != ToolMode::Auto {
        return Ok(Some(said));
    }
    if server.api != COMPATIBLE {
        return Ok(Some(ToolMode::Native));
    }
    Ok(cache(context).get(&server.url, settings.model_name()))
}

/// The same, and asks the model where it is not known; people are told of that on stderr.
pub(crate) fn tool_mode(
    context: &Context,
    settings: &AgentSettings,
    cancel: &AtomicBool,
) -> Result<ToolMode, CommandError> {
    let mut tell = |text: &str| context.printer.note(text);
    asked_tool_mode(context, settings, cancel, &mut tell)
}

/// The same for whoever wants to be told. Whatever keeps the model from answering will be told by
/// the turn itself, which comes next.
pub(crate) fn asked_tool_mode(
    context: &Context,
    settings: &AgentSettings,
    cancel: &AtomicBool,
    tell: &mut dyn FnMut(&str),
) -> Result<ToolMode, CommandError> {
    if let Some(mode) = known_tool_mode(context, settings)? {
        return Ok(mode);
    }
    let shown = visible(&settings.model).into_owned();
    tell(&format!("Asking {shown} once how it calls tools …"));
    let provider = model::provider(context, &settings.model)?;
    let Ok(probed) = probe(&*provider, settings.model_name(), cancel) else {
        return Ok(ToolMode::Native);
    };
    let word = match probed.mode {
        ToolMode::Auto | ToolMode::Native => "native",
        ToolMode::JsonSchema => "json-schema",
        ToolMode::Text => "text",
    };
    if probed.proof == Proof::CutOff {
        tell(&format!(
            "Its answers were cut off before they showed it; `{word}` is tried, and `--tool-mode` says it."
        ));
        return Ok(probed.mode);
    }
    if let Some(server) = server(context, settings)? {
        // What cannot be kept is asked again next time.
        let _ = cache(context).set(&server.url, settings.model_name(), probed.mode);
    }
    tell(&format!("It calls tools as `{word}`; this is remembered."));
    Ok(probed.mode)
}

fn server(
    context: &Context,
    settings: &AgentSettings,
) -> Result<Option<ModelServer>, CommandError> {
    let Some((name, _)) = settings.model.split_once('/') else {
        return Ok(None);
    };
    let server = context.config()?.model_server(name);
    server.map_err(CommandError::Setting)
}

fn cache(context: &Context) -> ProbeCache {
    ProbeCache::new(&context.environment.models_file())
}
