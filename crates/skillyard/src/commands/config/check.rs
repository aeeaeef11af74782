//! `skillyard config check`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::config::hosts::HostSettings;
use crate::config::layer::Setting;
use crate::config::mcp::{McpEndpoint, unreachable};
use crate::config::source::SourceConfig;
use crate::config::{Config, denied_tools};
use crate::context::Context;
use crate::error::config_error::{ConfigError, ConfigProblem};
use crate::error::{ExitStatus, Outcome};
use crate::redactor::without_userinfo;
use crate::text::sanitize::visible;

/// Check that the configuration can be used
///
/// Reads every layer, and resolves the variables of every source and host as `install` would, of every
/// server of models and of MCP, of the receiver of traces, and of the database of sessions. Variables that look like ours and are none are told,
/// and logins that are for another host than the one in use. Nothing is sent anywhere. The exit code
/// is 1 when something could not be used.
///
/// Examples:
///   skillyard config check
///   skillyard config check --json
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct ConfigCheckArgs {}

/// A place that is asked or sent something, or that sessions are in.
struct CheckedEndpoint {
    name: String,
    url: String,
    /// The header that logs in, by its name.
    login: Option<String>,
}

pub(super) fn run(context: &Context) -> Outcome {
    let config = context.config()?;
    let mut places = Vec::new();
    if let Some(found) = config.registry().transpose() {
        let place = of_source("registry", found, config.get("registry.url"));
        places.push(("registry".to_owned(), place));
    }
    for alias in config.aliases() {
        if let Some(found) = config.source(&alias).transpose() {
            let key = format!("sources.{alias}");
            let place = of_source(&alias, found, config.get(&format!("{key}.url")));
            places.push((key, place));
        }
    }
    places.push((
        "hosts.github".to_owned(),
        of_host("github", config.github()),
    ));
    places.push((
        "hosts.gitlab".to_owned(),
        of_host("gitlab", config.gitlab()),
    ));
    if let Some(found) = config.sessions_database().transpose() {
        let place = found.map(|address| CheckedEndpoint {
            name: "sessions (PostgreSQL)".to_owned(),
            url: without_userinfo(address.expose()).into_owned(),
            login: None,
        });
        places.push(("sessions.database".to_owned(), place));
    }
    places.extend(models(&config));
    if let Some(found) = config.trace_receiver().transpose() {
        let place = found.map(|receiver| CheckedEndpoint {
            name: "telemetry".to_owned(),
            url: without_userinfo(&receiver.url).into_owned(),
            login: receiver.headers.into_iter().next().map(|(name, _)| name),
        });
        places.push(("telemetry".to_owned(), place));
    }
    places.extend(mcp(&config));
    places.extend(denied(&config));
    let status = if places.iter().all(|(_, place)| place.is_ok()) {
        ExitStatus::Success
    } else {
        ExitStatus::Negative
    };
    if context.printer.is_json() {
        let places: Vec<Value> = places
            .iter()
            .map(|(key, place)| as_json(key, place))
            .collect();
        let not_sent: Vec<Value> = config
            .logins_at_home()
            .map(|(login, url)| json!({ "key": login.key, "url": without_userinfo(&url) }))
            .collect();
        let unknown: Vec<Value> = context
            .environment
            .unknown()
            .map(|(name, meant)| json!({ "name": name, "meant": meant }))
            .collect();
        context.printer.json(
            &json!({ "usable": status == ExitStatus::Success, "places": places, "not_sent": not_sent, "unknown_variables": unknown }),
        )?;
        return Ok(status);
    }
    let mut text = String::new();
    for (key, place) in &places {
        let _ = match place {
            Ok(place) => writeln!(text, "✓ {}  {}{}", place.name, place.url, login(place)),
            Err(error) => writeln!(text, "✗ {key}  {error}"),
        };
    }
    context.printer.data(&visible(&text))?;
    for (login, in_use) in config.logins_at_home() {
        let note = format!(
            "warning: {}: `{}` is not sent to {}: no `url` in this layer or a weaker one names that host",
            login.origin.place(),
            login.key,
            without_userinfo(&in_use)
        );
        context.printer.note(&visible(&note));
    }
    Ok(status)
}

/// The servers of models; one that nothing says the address of is none.
fn models(config: &Config) -> Vec<(String, Result<CheckedEndpoint, ConfigError>)> {
    let servers = config.model_servers().into_iter().filter_map(|name| {
        let server = config.model_server(&name).transpose()?;
        let place = server.map(|server| CheckedEndpoint {
            name: format!("{name} (models)"),
            url: without_userinfo(&server.url).into_owned(),
            login: server.key.map(|_| "key".to_owned()),
        });
        Some((format!("models.{name}"), place))
    });
    servers.collect()
}

/// The MCP servers, and what would be one.
fn mcp(config: &Config) -> Vec<(String, Result<CheckedEndpoint, ConfigError>)> {
    let servers = config.mcp_servers().into_iter().map(|name| {
        let server = config.mcp_server(&name).and_then(|server| {
            let server = server.ok_or_else(|| unreachable(&name))?;
            let (url, login) = match server.reach {
                McpEndpoint::Program { command, .. } => (command, None),
                McpEndpoint::Address { url, headers } => {
                    let login = headers.into_iter().next().map(|(header, _)| header);
                    (without_userinfo(&url).into_owned(), login)
                }
            };
            let name = format!("{name} (MCP server)");
            Ok(CheckedEndpoint { name, url, login })
        });
        (format!("mcp.servers.{name}"), server)
    });
    let none = config.mcp_unreachable().into_iter().map(|name| {
        let error = unreachable(&name);
        (format!("mcp.servers.{name}"), Err(error))
    });
    servers.chain(none).collect()
}

/// Lists of tools that deny something else than they say.
fn denied(config: &Config) -> Vec<(String, Result<CheckedEndpoint, ConfigError>)> {
    let misread = config.all("tools.deny").filter_map(|setting| {
        let problem = denied_tools::problem(setting)?;
        let at = Some(setting.origin.clone());
        Some((setting.key.clone(), Err(ConfigError { at, problem })))
    });
    misread.collect()
}

fn of_source(
    name: &str,
    found: Result<SourceConfig<'_>, ConfigError>,
    said: Option<&Setting>,
) -> Result<CheckedEndpoint, ConfigError> {
    let source = found?;
    if let (Some(problem), Some(said)) = (source.misfit(), said) {
        return Err(ConfigError {
            at: Some(said.origin.clone()),
            problem: ConfigProblem::Value {
                key: said.key.clone(),
                problem: problem.to_owned(),
            },
        });
    }
    Ok(CheckedEndpoint {
        name: format!("{name} ({})", source.kind.as_str()),
        url: without_userinfo(&source.url).into_owned(),
        login: source.auth_header()?.map(|(header, _)| header),
    })
}

fn of_host(
    name: &str,
    found: Result<HostSettings, ConfigError>,
) -> Result<CheckedEndpoint, ConfigError> {
    let host = found?;
    Ok(CheckedEndpoint {
        name: name.to_owned(),
        url: format!(
            "{}, API {}",
            without_userinfo(&host.web),
            without_userinfo(&host.api)
        ),
        login: host.token.map(|_| "Authorization".to_owned()),
    })
}

fn login(place: &CheckedEndpoint) -> String {
    place
        .login
        .as_ref()
        .map_or_else(String::new, |header| format!(", logs in with `{header}`"))
}

fn as_json(key: &str, place: &Result<CheckedEndpoint, ConfigError>) -> Value {
    match place {
        Ok(place) => json!({ "key": key, "url": place.url, "login": place.login }),
        Err(error) => json!({ "key": key, "problem": error.to_string() }),
    }
}
