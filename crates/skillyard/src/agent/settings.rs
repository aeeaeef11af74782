//! The settings of sessions: of agents, and of those without one.

use skillyard_agent::agent::{AgentStore, Drift};
use skillyard_agent::session::AgentVersion;
use skillyard_agent::settings::{AgentSettings, Strategy, ToolMode};
use skillyard_agent::shelf::{Shelf, ShelfError};
use skillyard_trust::verdict::OptIn;

use super::shelf;
use crate::agent::{FileAccess, SessionSpec};
use crate::context::Context;
use crate::error::CommandError;
use crate::error::agent::AgentFailure;
use crate::library::NameFilter;
use crate::mcp::Lenders;
use crate::text::sanitize::visible;
use crate::text::shell::shell_word;

/// How an agent without a name works.
pub(crate) fn configured(context: &Context) -> Result<AgentSettings, CommandError> {
    let config = context.config()?;
    let strategy = config.text("agents.activation");
    let strategy = strategy.as_deref().map(self::strategy);
    let mut settings = AgentSettings {
        model: config
            .text("agents.model")
            .unwrap_or_else(|| "offline".into()),
        strategy: strategy.transpose()?.unwrap_or(Strategy::Tool),
        router_model: config.text("agents.router_model"),
        ..AgentSettings::default()
    };
    settings.limits.catalog_skills = config.max_skills();
    let routed = config.count("agents.routed_skills");
    settings.limits.routed_skills = routed.unwrap_or(settings.limits.routed_skills);
    Ok(settings)
}

/// The settings, the skills and the version of an agent, for a session.
pub(crate) fn resolved(
    context: &Context,
    name: &str,
) -> Result<(AgentSettings, Vec<String>, AgentVersion), CommandError> {
    let kept = store(context).load(name).map_err(AgentFailure::from)?;
    let shelf = all_skills(context)?;
    for (pin, drift) in kept.definition.drift(&shelf) {
        let text = match drift {
            Drift::Same => continue,
            Drift::Changed { .. } => "has changed since this version of the agent was made".into(),
            Drift::Missing => missing(&shelf, &pin.name, None),
        };
        let text = format!("warning: skill `{}` {text}", pin.name);
        context.printer.note(&visible(&text));
    }
    let names = kept.definition.reach(&shelf);
    let version = AgentVersion {
        name: kept.name,
        version: kept.version,
    };
    let mut settings = kept.definition.settings();
    if settings.router_model.is_none() {
        settings.router_model = context.config()?.text("agents.router_model");
    }
    Ok((settings, names, version))
}

/// A strategy by its name.
pub(crate) fn strategy(value: &str) -> Result<Strategy, CommandError> {
    match value {
        "tool" => Ok(Strategy::Tool),
        "router" => Ok(Strategy::Router),
        "hybrid" => Ok(Strategy::Hybrid),
        _ => Err(unknown(value, "strategy", "`tool`, `router` and `hybrid`")),
    }
}

/// A tool mode by its name.
pub(crate) fn tool_mode(value: &str) -> Result<ToolMode, CommandError> {
    match value {
        "auto" => Ok(ToolMode::Auto),
        "native" => Ok(ToolMode::Native),
        "json-schema" | "json_schema" => Ok(ToolMode::JsonSchema),
        "text" => Ok(ToolMode::Text),
        _ => Err(unknown(
            value,
            "tool mode",
            "`auto`, `native`, `json-schema` and `text`",
        )),
    }
}

pub(crate) fn unknown(value: &str, what: &'static str, known: &'static str) -> CommandError {
    AgentFailure::Word {
        value: value.to_owned(),
        what,
        known,
    }
    .into()
}

/// The agents of this user.
pub(crate) fn store(context: &Context) -> AgentStore {
    AgentStore::new(&context.environment.agents_folder())
}

/// Every enabled skill.
pub(crate) fn all_skills(context: &Context) -> Result<Shelf, CommandError> {
    let wanted = SessionSpec {
        choice: NameFilter::default(),
        only: None,
        opt_in: OptIn::No,
        lenders: Lenders::default(),
        lent_before: None,
        files: FileAccess::None,
    };
    shelf(context, &wanted)
}

/// Why a skill of an agent cannot be used, and what can be done; it may be had by a reference.
pub(crate) fn missing(shelf: &Shelf, name: &str, reference: Option<&str>) -> String {
    match (shelf.named(name), reference) {
        (Err(ShelfError::Withheld { why, .. }), _) => {
            let remedy = why.remedy.map(|remedy| format!(" ({remedy})"));
            let remedy = remedy.unwrap_or_default();
            format!("cannot be used: {}{remedy}", why.reason)
        }
        (_, Some(reference)) => format!(
            "is not here or not enabled; install it with `skillyard install {} --scope user`",
            shell_word(reference)
        ),
        (_, None) => "is not here or not enabled".into(),
    }
}
